import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { systemTimers } from 'pawl/internal/core/timers';
import type { Artifacts } from 'pawl/internal/engine/artifacts';
import type { EngineContext, EngineLog } from 'pawl/internal/engine/context';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import type { JobDefinition } from 'pawl/internal/handler/define-job';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import type { RateLimit } from '../http/rate-limit.ts';
import type { RequestLog } from '../http/request-log.ts';
import { buildServer } from '../http/server.ts';
import { ServerStatus } from '../http/status.ts';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { Configuration } from './configuration.ts';
import { loadJobs } from 'pawl/internal/settings/load-jobs';
import { startPlatformWorker } from './platform-worker.ts';
import { type Measuring, openMeasuring } from './measuring.ts';
import { openAccess } from './open-access.ts';
import { openStore } from 'pawl/internal/settings/open-store';
import { openEnvironment } from './environment.ts';

/** A platform that is up: where it answers, what it stores in, and how to end it. */
export interface Platform {
  /** Empty where this process does not answer requests. */
  readonly url: string;
  /** Where `/metrics` is told without credentials, if it is. */
  readonly metricsUrl: string | null;
  readonly storeName: string;
  readonly engine: Engine;
  readonly artifacts: Artifacts;
  /** Where the first key was written, if it was made just now. */
  readonly firstKeyFile: string | null;
  readonly isOpen: boolean;
  /** The types whose jobs are run in this process. */
  readonly types: readonly string[];
  stop(): Promise<void>;
}

/** Warnings are told to it; lines about requests too, where it takes them. */
export type PlatformLog = EngineLog & Partial<RequestLog>;

async function openEngineContext(
  configuration: Configuration,
  {
    jobs,
    log,
    measuring,
  }: { jobs: readonly JobDefinition[]; log: EngineLog; measuring: Measuring },
): Promise<{ context: EngineContext; storeName: string }> {
  const lifecycles = [...new Set([...builtInLifecycles, ...jobs.map((job) => job.lifecycle)])];
  const { store, storeName } = await openStore(configuration, lifecycles);
  const context = openContext({
    store: measuring.measured(store),
    lifecycles,
    random: systemRandom,
    ids: systemIds(systemClock),
    log,
    ...measuring.hooks,
  });
  return { context, storeName };
}

/** Bursts may be twice as large. */
function rateOf({ requestsPerSecond }: Configuration['access']): RateLimit | null {
  if (requestsPerSecond === null) return null;
  return { perSecond: requestsPerSecond, burst: 2 * requestsPerSecond };
}

/** Starts from the store outwards, so that nothing is accepted that could not be kept. */
export async function startPlatform(
  configuration: Configuration,
  log: PlatformLog,
): Promise<Platform> {
  const { jobsModule, roles } = configuration;
  const own = jobsModule === null ? [] : await loadJobs(jobsModule);
  const measuring = await openMeasuring(configuration.measuring);
  const parts = { jobs: own, log, measuring };
  const { context, storeName } = await openEngineContext(configuration, parts);
  const engine = new Engine(context);
  const sweeper = new Sweeper(context, { timers: systemTimers, ...configuration.retention });
  const { authenticator, firstKeyFile } = await openAccess(configuration, engine, log);
  const { isOpen } = configuration.access;
  const around = await openEnvironment({ context, engine }, configuration, { own, log });
  const { access: artifacts } = around.artifacts;
  const status = new ServerStatus();
  const server = await buildServer({
    engine,
    doctor: context,
    slo: context,
    artifacts: around.artifacts,
    meter: measuring.meter,
    log,
    more: around.routes,
    authenticator,
    status,
    rate: rateOf(configuration.access),
    warn: (message, facts) => log.warn(message, facts),
  });
  context.inputs.learn(around.jobs);
  const worker = await startPlatformWorker(engine, around.jobs, {
    log,
    artifacts,
    watch: measuring.watch,
    isWorking: roles.has('worker'),
  });
  await around.start(roles);
  if (roles.has('sweeper')) sweeper.start();
  const stop = async (): Promise<void> => {
    status.drain();
    await systemTimers.sleep(configuration.drainMs, new AbortController().signal);
    await engine.live.stop();
    await server.close();
    await worker.stop();
    await sweeper.stop();
    await around.stop();
    await measuring.stop();
    await context.store.close();
  };
  try {
    const { host, port } = configuration;
    const { metricsUrl } = await measuring.start(context, configuration);
    const url = roles.has('api') ? await server.listen({ host, port }) : '';
    const { types } = worker;
    return { url, metricsUrl, storeName, engine, artifacts, firstKeyFile, isOpen, types, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
