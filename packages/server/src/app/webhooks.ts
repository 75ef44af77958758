import { join } from 'node:path';
import type { FastifyPluginCallback } from 'fastify';
import { openLinkKeys, parseLinkKeys } from 'pawl/internal/artifact/link-keys';
import { systemClock } from 'pawl/internal/core/clock';
import type { EngineLog } from 'pawl/internal/engine/context';
import type { Engine } from 'pawl/internal/engine/engine';
import { SHARED_TENANT } from 'pawl/internal/engine/registry';
import { typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { briefEventJson } from '../http/view.ts';
import { webhookRoutes } from '../http/webhooks.ts';
import type { Outgoing } from 'pawl/internal/outgoing/outgoing';
import type { WebhookRecords } from 'pawl/internal/records/webhooks';
import { fanOut } from '../webhooks/deliveries.ts';
import { deliveryJob } from '../webhooks/delivery-job.ts';
import { SecretBox, type SealingKey } from '../webhooks/secret-box.ts';
import { Webhooks } from '../webhooks/webhooks.ts';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { ConfigurationError } from 'pawl/internal/settings/configuration-error';
import type { ProcessRole } from 'pawl/internal/plugin/process-role';

/** The webhooks of a platform: their API, and the work of telling. */
export interface PlatformWebhooks {
  readonly routes: FastifyPluginCallback;
  /** The log is followed where things are swept, and deliveries are made there and by workers. */
  start(roles: ReadonlySet<ProcessRole>): Promise<void>;
  stop(): Promise<void>;
}

/** Under this name the place in the log is kept up to which everybody was told. */
const FOLLOWER = 'pawl.webhooks';

export async function openWebhooks(
  engine: Engine,
  options: {
    records: WebhookRecords;
    outgoing: Outgoing;
    dataFolder: string;
    secrets: SecretSettings;
    log: EngineLog;
  },
): Promise<PlatformWebhooks> {
  const { records, outgoing, dataFolder, secrets, log } = options;
  const keys = secrets.keys ?? (await openLinkKeys(join(dataFolder, 'secret-keys.json')));
  const webhooks = new Webhooks({ engine, records, box: new SecretBox(keys), outgoing });
  const deps = { engine, webhooks, outgoing, view: briefEventJson, clock: systemClock };
  const job = deliveryJob(deps);
  // A worker of their own: receivers that dawdle take no slot from anybody's work.
  const worker = openWorker({ source: engine, jobs: [job], log });
  const follower = engine.follow({
    name: FOLLOWER,
    handle: async (items) => {
      if ((await fanOut({ engine, records }, items)).length > 0) worker.wake();
    },
  });
  return {
    routes: webhookRoutes({ webhooks, engine }),
    start: async (roles) => {
      await engine.putType({ tenant: SHARED_TENANT, type: job.type }, typeDefinitionOf(job));
      if (roles.has('worker') || roles.has('sweeper')) worker.start();
      if (roles.has('sweeper')) follower.start();
    },
    stop: async () => {
      await follower.stop();
      await worker.drain();
    },
  };
}
