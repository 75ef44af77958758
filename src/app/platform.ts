import { mkdir } from 'node:fs/promises';
import { systemClock } from '../core/clock.ts';
import { systemIds } from '../core/ids.ts';
import { systemRandom } from '../core/random.ts';
import { systemTimers } from '../core/timers.ts';
import type { EngineLog } from '../engine/context.ts';
import { Engine } from '../engine/engine.ts';
import { Sweeper } from '../engine/sweeps/sweeper.ts';
import { LiveHub } from '../http/live.ts';
import { buildServer } from '../http/server.ts';
import { ServerStatus } from '../http/status.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { openPostgresStore } from '../store/postgres/store.ts';
import { openSqliteStore } from '../store/sqlite/store.ts';
import type { Store } from '../store/store.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { openArtifacts } from './artifacts.ts';
import { type Configuration, storePath } from './configuration.ts';
import { loadJobs, startCrew } from './crew.ts';
import { openAccess } from './open-access.ts';

/** A platform that is up: where it answers, what it stores in, and how to end it. */
export interface Platform {
  readonly url: string;
  readonly storeName: string;
  readonly engine: Engine;
  /** Where the first key was written, if it was made just now. */
  readonly firstKeyFile: string | null;
  readonly isOpen: boolean;
  /** The types whose jobs are run in this process. */
  readonly types: readonly string[];
  stop(): Promise<void>;
}

async function openStore(
  configuration: Configuration,
  lifecycles: readonly Lifecycle[],
): Promise<{ store: Store; storeName: string }> {
  if (configuration.databaseUrl !== null) {
    const store = await openPostgresStore({ url: configuration.databaseUrl, lifecycles });
    return { store, storeName: 'PostgreSQL' };
  }
  await mkdir(configuration.dataFolder, { recursive: true });
  const path = storePath(configuration);
  return { store: await openSqliteStore({ path, lifecycles }), storeName: `SQLite in ${path}` };
}

/** Starts from the store outwards, so that nothing is accepted that could not be kept. */
export async function startPlatform(
  configuration: Configuration,
  log: EngineLog,
): Promise<Platform> {
  const { jobsModule } = configuration;
  const jobs = jobsModule === null ? [] : await loadJobs(jobsModule);
  const lifecycles = [...new Set([...builtInLifecycles, ...jobs.map((job) => job.lifecycle)])];
  const { store, storeName } = await openStore(configuration, lifecycles);
  const engine = new Engine({
    store,
    lifecycles,
    random: systemRandom,
    ids: systemIds(systemClock),
    log,
  });
  const sweeper = new Sweeper(engine.context, { timers: systemTimers });
  const live = new LiveHub(engine, { timers: systemTimers });
  const { authenticator, firstKeyFile } = await openAccess(configuration, engine, log);
  const { isOpen, requestsPerSecond } = configuration.access;
  const artifacts = await openArtifacts(engine, configuration.dataFolder, configuration.artifacts);
  const status = new ServerStatus();
  const server = await buildServer({
    engine,
    live,
    artifacts: artifacts.face,
    authenticator,
    status,
    rate:
      requestsPerSecond === null
        ? null
        : { perSecond: requestsPerSecond, burst: 2 * requestsPerSecond },
    warn: (message, facts) => log.warn(message, facts),
  });
  const crew = await startCrew(engine, jobs, log);
  sweeper.start();
  artifacts.sweep.start();
  const stop = async (): Promise<void> => {
    status.drain();
    await systemTimers.sleep(configuration.drainMs, new AbortController().signal);
    await live.stop();
    await server.close();
    await crew.stop();
    await artifacts.sweep.stop();
    await sweeper.stop();
    await store.close();
  };
  try {
    const url = await server.listen({ host: configuration.host, port: configuration.port });
    return { url, storeName, engine, firstKeyFile, isOpen, types: crew.types, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
