import type { FastifyInstance } from 'fastify';
import type { JobRef } from 'pawl/internal/core/job';
import { systemTimers, type Timers } from 'pawl/internal/core/timers';
import type { Artifacts } from 'pawl/internal/engine/artifacts';
import type { EngineLog } from 'pawl/internal/engine/context';
import type { Engine } from 'pawl/internal/engine/engine';
import { definitionsIn, type JobDefinition } from 'pawl/internal/handler/define-job';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { extensionOf, partsOf } from 'pawl/internal/pawl/parts';
import { Pawl } from 'pawl/internal/pawl/pawl';
import type { Plugin } from 'pawl/internal/plugin/plugin';
import { Plugins } from 'pawl/internal/plugin/plugins';
import { loadJobs } from 'pawl/internal/settings/load-jobs';
import { openStore } from 'pawl/internal/settings/open-store';
import type { JobType } from 'pawl/internal/handler/job-type';
import type { Authenticator } from '../auth/authenticator.ts';
import { type ArtifactServices, resultArtifacts } from '../http/artifact-view.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { RequestLog } from '../http/request-log.ts';
import { buildServer } from '../http/server.ts';
import { ServerStatus } from '../http/status.ts';
import { openArtifacts } from './artifacts.ts';
import type { Configuration } from './configuration.ts';
import { type Measuring, openMeasuring } from './measuring.ts';
import { openAccess } from './open-access.ts';
import { openOutgoing } from './outgoing.ts';
import { platformPlugins } from './plugins.ts';
import { pluginServer } from './plugin-server.ts';
import { checkRoles } from './roles.ts';
import { openSecrets } from './secrets.ts';

/** A platform that is up: where it answers, what it stores in, and how to end it. */
export interface Platform {
  /** Empty where this process does not answer requests. */
  readonly url: string;
  /** Where `/metrics` is told without credentials, if it is. */
  readonly metricsUrl: string | null;
  readonly storeName: string;
  readonly pawl: Pawl;
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

/** What a platform is made of beside its settings. */
export interface PlatformParts {
  /** Default: those of the packages that are installed. */
  readonly plugins?: readonly Plugin[];
  /** Beside those of the module that the settings name. */
  readonly jobs?: readonly JobType[];
  /** Runs once the jobs are registered, before any is claimed. */
  readonly onStart?: (pawl: Pawl) => unknown;
  /** How the time of draining is waited for. Default: that of the runtime. */
  readonly timers?: Timers;
}

interface Opening {
  readonly configuration: Configuration;
  readonly log: PlatformLog;
  readonly measuring: Measuring;
  readonly jobs: readonly JobDefinition[];
  readonly plugins: readonly Plugin[];
}

/** The engine with its store and its artifacts, as programs have it. */
async function openCore({ configuration, log, measuring, jobs, plugins }: Opening) {
  const named = [
    ...jobs.map((job) => job.lifecycle),
    ...plugins.flatMap((one) => one.lifecycles ?? []),
  ];
  const lifecycles = [...new Set([...builtInLifecycles, ...named])];
  const { store, storeName } = await openStore(configuration, lifecycles);
  const { files, keys } = await openArtifacts(configuration.dataFolder, configuration.artifacts);
  const pawl = new Pawl({
    store: measuring.measured(store),
    files,
    codec: null,
    links: { publicUrl: configuration.publicUrl, keys },
    jobs,
    lifecycles,
    tenant: 'default',
    log,
    ...configuration.retention,
    hooks: measuring.hooks,
    watch: measuring.watch,
    isSweeping: configuration.roles.has('sweeper'),
  });
  return { pawl, storeName, linkKeys: keys };
}

/** The plug-ins, started; their jobs are the platform's from now on. */
async function openPlugins(
  opening: Opening,
  pawl: Pawl,
  services: ArtifactServices,
): Promise<Plugins> {
  const { configuration, log, jobs, plugins } = opening;
  const { context, engine } = partsOf(pawl);
  const outgoing = openOutgoing(configuration.outgoing, log);
  const secrets = await openSecrets(configuration);
  const { dataFolder, publicUrl, roles, env: settings } = configuration;
  const base = {
    pawl,
    engine,
    records: context.store.records,
    artifacts: services.access,
    linkedArtifacts: async (job: JobRef) => (await resultArtifacts(services, job)).artifacts,
    audit: engine.audit,
    secrets,
    http: outgoing,
    log,
    settings,
    roles,
    dataFolder,
    publicUrl,
  };
  const opened = await Plugins.start(plugins, base, jobs);
  const extension = extensionOf(pawl);
  extension.add(opened.jobs);
  extension.onClose(async () => {
    await opened.stop();
    await outgoing.close();
  });
  return opened;
}

/** Bursts may be twice as large. */
function rateOf({ requestsPerSecond }: Configuration['access']): RateLimit | null {
  if (requestsPerSecond === null) return null;
  return { perSecond: requestsPerSecond, burst: 2 * requestsPerSecond };
}

interface Serving {
  readonly pawl: Pawl;
  readonly services: ArtifactServices;
  readonly opened: Plugins;
  readonly status: ServerStatus;
  readonly authenticator: Authenticator | null;
}

function serverOf(
  { configuration, log, measuring }: Opening,
  { pawl, services, opened, status, authenticator }: Serving,
): Promise<FastifyInstance> {
  const { context, engine } = partsOf(pawl);
  return buildServer({
    engine,
    doctor: context,
    slo: context,
    artifacts: services,
    meter: measuring.meter,
    log,
    ...pluginServer(opened.started, {
      page: configuration.page,
      stopping: engine.live.stopping,
    }),
    authenticator,
    status,
    rate: rateOf(configuration.access),
    corsOrigins: configuration.access.corsOrigins,
    requiresLeaseTokens: configuration.access.requiresLeaseTokens,
    connections: { perAddressMax: configuration.access.connectionsPerAddress },
    warn: (message, facts) => log.warn(message, facts),
  });
}

/** Starts from the store outwards, so that nothing is accepted that could not be kept. */
export async function startPlatform(
  configuration: Configuration,
  log: PlatformLog,
  parts: PlatformParts = {},
): Promise<Platform> {
  const { jobsModule, roles } = configuration;
  const { timers = systemTimers } = parts;
  const plugins = await platformPlugins(parts.plugins);
  const loaded = jobsModule === null ? [] : await loadJobs(jobsModule);
  const jobs = [...new Set([...loaded, ...definitionsIn(parts.jobs ?? [])])];
  const measuring = await openMeasuring(configuration.measuring);
  const opening: Opening = { configuration, log, measuring, jobs, plugins };
  const { pawl, storeName, linkKeys } = await openCore(opening);
  const { context, engine } = partsOf(pawl);
  const artifacts = partsOf(pawl).artifacts!;
  const services = { access: artifacts, keys: linkKeys, clock: context.clock };
  const status = new ServerStatus();
  let server: FastifyInstance | null = null;
  const stop = async (): Promise<void> => {
    status.drain();
    await timers.sleep(configuration.drainMs, new AbortController().signal);
    await engine.live.stop();
    await server?.close();
    await pawl.close();
    await measuring.stop();
  };
  try {
    const { authenticator, firstKeyFile } = await openAccess(configuration, engine, log);
    const opened = await openPlugins(opening, pawl, services);
    const all = [...jobs, ...opened.jobs];
    checkRoles(roles, all.length);
    context.inputs.learn([...jobs, ...opened.allJobs]);
    server = await serverOf(opening, { pawl, services, opened, status, authenticator });
    await pawl.start();
    await parts.onStart?.(pawl);
    const isWorking = all.length > 0 && roles.has('worker');
    if (isWorking) pawl.work();
    await opened.begin();
    const { host, port } = configuration;
    const { metricsUrl } = await measuring.start(context, configuration);
    const url = roles.has('api') ? await server.listen({ host, port }) : '';
    const types = isWorking ? all.map(({ type }) => type) : [];
    const { isOpen } = configuration.access;
    return {
      url,
      metricsUrl,
      storeName,
      pawl,
      engine,
      artifacts,
      firstKeyFile,
      isOpen,
      types,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
