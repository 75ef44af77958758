import { systemClock, systemTimers } from 'pawl/define';
import {
  ConfigurationError,
  definePlugin,
  type Plugin,
  type PluginHost,
  type PluginParts,
} from 'pawl/plugin';
import { ConfigurationFile } from './gateway/configuration-file.ts';
import { type Gateway, openGateway } from './gateway/gateway.ts';
import type { ProviderAccess } from './model/provider-standing.ts';
import { callbackJob } from './server/callback-job.ts';
import { fanOutCallbacks } from './server/callbacks.ts';
import { echo } from './server/echo.ts';
import { deliveredProcesses } from './server/delivered-processes.ts';
import { deliveryJob } from './server/delivery-job.ts';
import { deployedProcesses } from './server/deployed-processes.ts';
import { DEPLOYED, DEPLOYED_TYPE, DeployedRecords } from './server/deployed-records.ts';
import { landingPage } from './server/landing.ts';
import { ownProcesses } from './server/own-processes.ts';
import { baseOf, type OgcDependencies } from './server/dependencies.ts';
import { providersRoute } from './server/providers.ts';
import { ogcRoutes } from './server/routes.ts';
import { type OgcOptions, type OgcSettings, ogcSettings, readOgcSettings } from './settings.ts';

/** Under this name the place in the log is kept up to which subscribers were called back. */
const FOLLOWER = 'pawl.ogc-callbacks';

/** The gateway to the providers of a file, and the file, which is watched. */
interface Providers {
  readonly gateway: Gateway;
  readonly file: ConfigurationFile;
}

/**
 * OGC API – Processes: offers job types with `expose`, and the processes of the providers in a
 * file.
 */
export function ogc(options: OgcOptions = {}): Plugin {
  let providers: Providers | null = null;
  return definePlugin({
    name: 'ogc',
    settings: ogcSettings(options),
    records: [DEPLOYED, DEPLOYED_TYPE],
    // Subscribers that are slow to answer take no slot from anybody's work.
    hasOwnWorker: true,
    start: async (host) => {
      const settings = readOgcSettings(host, options);
      providers = await openProviders(host, settings);
      return partsOf(host, settings, providers?.gateway ?? null);
    },
    begin: async ({ roles }) => {
      providers?.file.start();
      const duties = { isWorking: roles.has('worker'), isSweeping: roles.has('sweeper') };
      await providers?.gateway.start(duties);
    },
    stop: async () => {
      await providers?.file.stop();
      await providers?.gateway.stop();
    },
  });
}

/** Null where no file is named. */
async function openProviders(
  { engine, artifacts, http, log }: PluginHost,
  { providers }: OgcSettings,
): Promise<Providers | null> {
  if (providers === null) return null;
  const file = new ConfigurationFile({ ...providers, timers: systemTimers, log });
  await file.open().catch((error: unknown) => {
    const fault = `names ${providers.path}, which cannot be used: ${(error as Error).message}`;
    throw new ConfigurationError('PAWL_OGC_PROVIDERS', fault);
  });
  const configuration = () => file.current;
  return { gateway: openGateway({ engine, artifacts, http, configuration, log }), file };
}

function partsOf(host: PluginHost, settings: OgcSettings, gateway: Gateway | null): PluginParts {
  const { engine, artifacts: access, http: outgoing, log } = host;
  const deployed = { records: new DeployedRecords(host.records), own: host, gateway };
  const others = [
    deployedProcesses(deployed),
    ownProcesses(host),
    ...(gateway === null ? [] : [gateway]),
  ];
  const wake = (): void => host.wake();
  const delivered = deliveredProcesses({ engine, artifacts: access, others, wake });
  const sources = [...others, delivered];
  const deps: OgcDependencies = { engine, sources, deployed, settings, outgoing, access };
  return {
    jobs: [echo, callbackJob(deps), deliveryJob({ ...deps, postgis: settings.postgis })],
    routes: [
      ...ogcRoutes(deps, log),
      providersRoute(engine, gateway ?? noProviders(systemClock.now())),
    ],
    followers: [
      {
        name: FOLLOWER,
        handle: async (items) => {
          if ((await fanOutCallbacks(deps, items)) > 0) host.wake();
        },
      },
    ],
    landing: (origin) => landingPage(baseOf(deps, { origin })),
  };
}

/** Where no providers file is named. */
function noProviders(since: number): ProviderAccess {
  return {
    watch: { since, windowMs: 0 },
    standings: () => [],
    providerOfType: () => null,
  };
}
