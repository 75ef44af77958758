import type { FastifyPluginCallback } from 'fastify';
import { systemTimers } from '../core/timers.ts';
import type { EngineContext, EngineLog } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import { FlowFollower } from '../engine/flows/flow-follower.ts';
import { Compensator } from '../engine/follow/compensator.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import type { ArtifactServices } from '../http/artifact-view.ts';
import { openArtifacts } from './artifacts.ts';
import type { Configuration } from './configuration.ts';
import { home } from './dashboard.ts';
import { openOgc } from './ogc.ts';
import { openOutgoing } from './outgoing.ts';
import type { ProcessRole } from './roles.ts';
import { openStudio } from './studio.ts';
import { openWebhooks } from './webhooks.ts';

/** What stands around the engine: files, other hosts, built-in jobs, undoing, and who is told. */
export interface Environment {
  readonly artifacts: ArtifactServices;
  /** The user's own jobs and those built in. */
  readonly jobs: readonly JobDefinition[];
  /** Routes beside those of the native API. */
  readonly routes: readonly FastifyPluginCallback[];
  start(roles: ReadonlySet<ProcessRole>): Promise<void>;
  /** Once nobody asks and nobody works any more. */
  stop(): Promise<void>;
}

export async function openEnvironment(
  { context, engine }: { context: EngineContext; engine: Engine },
  configuration: Configuration,
  { own, log }: { own: readonly JobDefinition[]; log: EngineLog },
): Promise<Environment> {
  const { services: artifacts, sweep } = await openArtifacts(
    context,
    configuration.dataFolder,
    configuration.artifacts,
  );
  const outgoing = openOutgoing(configuration.outgoing, log);
  const { access } = artifacts;
  const compensator = new Compensator(context, { timers: systemTimers });
  const flows = new FlowFollower(context, { timers: systemTimers });
  const studio = openStudio(engine, { ...configuration, client: outgoing, artifacts: access, own });
  const jobs = [...own, ...studio.jobs];
  const webhooks = await openWebhooks(engine, {
    ...configuration,
    records: context.records.webhooks,
    outgoing,
    log,
  });
  const taken = jobs.map(({ type }) => type);
  const { ogc: settings } = configuration;
  const ogc = await openOgc(engine, { artifacts, outgoing, settings, log, taken });
  return {
    artifacts,
    jobs,
    routes: [webhooks.routes, ...ogc.routes, home(ogc.landing, configuration.page)],
    start: async (roles) => {
      await webhooks.start(roles);
      await ogc.start(roles);
      if (!roles.has('sweeper')) return;
      sweep.start();
      compensator.start();
      flows.start();
    },
    stop: async () => {
      await flows.stop();
      await compensator.stop();
      await ogc.stop();
      await webhooks.stop();
      await sweep.stop();
      await studio.close();
      await outgoing.close();
    },
  };
}
