// The plug-in started by a host that has what it asks for, as a platform starts it.
import { SHARED_TENANT } from 'pawl/internal/engine/registry';
import { typeDefinitionOf } from 'pawl/internal/handler/define-job';
import {
  type Artifacts,
  type Engine,
  largeSource,
  openWorker,
  type Plugin,
  type PluginHost,
  type PluginParts,
  type RecordStore,
  valuesIn,
} from 'pawl/plugin';
import { declaredRecords } from 'pawl/internal/plugin/declared-records';
import { home } from '@pawl/server/internal/app/dashboard';
import { readPublicUrl } from '@pawl/server/internal/app/public-url';
import { type ArtifactServices, resultArtifacts } from '@pawl/server/internal/http/artifact-view';
import { pluginRoutes } from '@pawl/server/internal/http/plugin-routes';
import type { Outgoing } from 'pawl/define';
import { ogc } from '../src/index.ts';

export interface OgcHost {
  readonly engine: Engine;
  readonly artifacts: ArtifactServices;
  readonly outgoing: Outgoing;
  readonly records: RecordStore;
  readonly env: NodeJS.ProcessEnv;
  /** Types of jobs that the plug-in must not take. */
  readonly taken: ReadonlySet<string>;
  readonly isWorking: boolean;
}

export interface StartedOgc {
  readonly routes: readonly ReturnType<typeof pluginRoutes>[];
  begin(): Promise<void>;
  stop(): Promise<void>;
}

/** What of a host the plug-in asks for; all else would be an error that a test shows. */
function hostOf(plugin: Plugin, options: OgcHost, wake: () => void): PluginHost {
  const { engine, artifacts, outgoing, records, env, taken, isWorking } = options;
  const host: Partial<PluginHost> = {
    engine,
    records: declaredRecords(plugin, records),
    artifacts: artifacts.access,
    linkedArtifacts: async (job) => (await resultArtifacts(artifacts, job)).artifacts,
    http: { ...outgoing, allowing: () => outgoing },
    log: { warn: () => undefined },
    settings: env,
    roles: new Set(isWorking ? (['api', 'worker', 'sweeper'] as const) : (['api'] as const)),
    takenTypes: taken,
    publicUrl: readPublicUrl(env),
    wake,
  };
  // As a platform hands it on: its members are those of a prototype.
  return Object.create(host) as PluginHost;
}

export async function startOgc(options: OgcHost): Promise<StartedOgc> {
  const { engine, artifacts, taken, isWorking, env } = options;
  const plugin = ogc({ env });
  const host = hostOf(plugin, options, () => worker.wake());
  const parts = (await plugin.start!(host)) as PluginParts;
  const jobs = parts.jobs!.filter(({ type }) => !taken.has(type));
  const worker = workerOf(engine, artifacts.access, jobs);
  const followers = parts.followers!.map(({ name, handle }) =>
    engine.follow({ name, handle: async (items, batch) => handle(items, batch) }),
  );
  return {
    routes: [
      pluginRoutes(parts.routes!, engine.live.stopping),
      home(({ protocol, host: name }) => parts.landing!(`${protocol}://${name}`)),
    ],
    begin: async () => {
      for (const job of jobs) {
        await engine.putType({ tenant: SHARED_TENANT, type: job.type }, typeDefinitionOf(job));
      }
      await plugin.begin!(host);
      if (!isWorking) return;
      worker.start();
      for (const follower of followers) follower.start();
    },
    stop: async () => {
      await plugin.stop!();
      for (const follower of followers) await follower.stop();
      await worker.drain();
    },
  };
}

function workerOf(engine: Engine, access: Artifacts, jobs: NonNullable<PluginParts['jobs']>) {
  const source = largeSource(engine, valuesIn(access));
  return openWorker({ source, artifacts: access, jobs });
}
