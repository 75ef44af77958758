import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import { type Outgoing, systemClock, systemTimers, typeDefinitionOf } from 'pawl/define';
import {
  ConfigurationError,
  type Engine,
  type EngineLog,
  largeSource,
  openWorker,
  type ProcessRole,
  SHARED_TENANT,
  valuesIn,
} from 'pawl/plugin';
import type { ArtifactServices } from '@pawl/server/internal/http/artifact-view';
import { providerRoutes } from '@pawl/server/internal/http/providers';
import { ConfigurationFile } from './gateway/configuration-file.ts';
import { type Gateway, openGateway } from './gateway/gateway.ts';
import type { ProviderAccess } from './model/provider-standing.ts';
import { callbackJob } from './server/callback-job.ts';
import { fanOutCallbacks } from './server/callbacks.ts';
import { echo } from './server/echo.ts';
import { landingPage } from './server/landing.ts';
import { ownProcesses } from './server/own-processes.ts';
import { baseOf, type OgcDependencies } from './server/dependencies.ts';
import { ogcRoutes } from './server/routes.ts';
import type { OgcSettings } from './settings.ts';

interface OgcOptions {
  readonly artifacts: ArtifactServices;
  readonly outgoing: Outgoing;
  readonly settings: OgcSettings;
  readonly log: EngineLog;
  /** Types that the user's own jobs have, and that nothing built in may take. */
  readonly taken: readonly string[];
}

/** OGC API – Processes on a platform: its routes, and the work behind them. */
export interface PlatformOgc {
  readonly routes: readonly FastifyPluginCallback[];
  readonly landing: (request: FastifyRequest) => object;
  start(roles: ReadonlySet<ProcessRole>): Promise<void>;
  stop(): Promise<void>;
}

/** Under this name the place in the log is kept up to which subscribers were called back. */
const FOLLOWER = 'pawl.ogc-callbacks';

/** The gateway to the providers of the file; null where no file is named. */
async function openProviders(
  engine: Engine,
  { settings, artifacts, outgoing, log }: OgcOptions,
): Promise<{ gateway: Gateway; file: ConfigurationFile } | null> {
  if (settings.providers === null) return null;
  const { path } = settings.providers;
  const file = new ConfigurationFile({ ...settings.providers, timers: systemTimers, log });
  await file.open().catch((error: unknown) => {
    const fault = `names ${path}, which cannot be used: ${(error as Error).message}`;
    throw new ConfigurationError('PAWL_OGC_PROVIDERS', fault);
  });
  const configuration = () => file.current;
  const { access } = artifacts;
  return {
    gateway: openGateway({ engine, artifacts: access, http: outgoing, configuration, log }),
    file,
  };
}

/** Where no providers file is named. */
function nobodyElsewhere(since: number): ProviderAccess {
  return {
    watch: { since, windowMs: 0 },
    standings: () => [],
    providerOfType: () => null,
  };
}

export async function openOgc(engine: Engine, options: OgcOptions): Promise<PlatformOgc> {
  const { artifacts, outgoing, settings, log, taken } = options;
  const { access } = artifacts;
  const providers = await openProviders(engine, options);
  const wake = (): void => worker.wake();
  const own = ownProcesses({ engine, artifacts, outgoing, wake });
  const sources = providers === null ? [own] : [own, providers.gateway];
  const deps: OgcDependencies = { engine, sources, settings, outgoing, access };
  const jobs = [...(taken.includes(echo.type) ? [] : [echo]), callbackJob(deps)];
  // A worker of their own: subscribers that dawdle take no slot from anybody's work.
  const worker = openWorker({
    source: largeSource(engine, valuesIn(access)),
    artifacts: access,
    jobs,
    log,
  });
  const follower = engine.follow({
    name: FOLLOWER,
    handle: async (items) => {
      if ((await fanOutCallbacks(deps, items)) > 0) worker.wake();
    },
  });
  return {
    routes: [
      ogcRoutes(deps, (message, facts) => log.warn(message, facts)),
      providerRoutes(engine, providers?.gateway ?? nobodyElsewhere(systemClock.now())),
    ],
    landing: (request) => landingPage(baseOf(deps, request)),
    start: async (roles) => {
      for (const job of jobs) {
        await engine.putType({ tenant: SHARED_TENANT, type: job.type }, typeDefinitionOf(job));
      }
      const isSweeping = roles.has('sweeper');
      if (roles.has('worker') || isSweeping) worker.start();
      if (isSweeping) follower.start();
      providers?.file.start();
      await providers?.gateway.start({ isWorking: roles.has('worker'), isSweeping });
    },
    stop: async () => {
      await providers?.file.stop();
      await providers?.gateway.stop();
      await follower.stop();
      await worker.drain();
    },
  };
}
