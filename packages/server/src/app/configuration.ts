import type { PageSettings } from 'pawl/internal/contract/page';
import { type AccessSettings, readAccess } from './access-settings.ts';
import { type ArtifactSettings, readArtifactSettings } from './artifacts.ts';
import { ConfigurationError } from 'pawl/internal/settings/configuration-error';
import { type LogSettings, readLogSettings } from './log-settings.ts';
import { type MeasuringSettings, readMeasuringSettings } from './measuring-settings.ts';
import { readStoreSettings, type StoreSettings } from 'pawl/internal/settings/store-settings';
import { type OutgoingSettings, readOutgoingSettings } from './outgoing.ts';
import { readPageSettings } from './page-settings.ts';
import { readRetentionSettings, type RetentionSettings } from './retention-settings.ts';
import type { ProcessRole } from 'pawl/internal/plugin/process-role';
import { readRoles } from './roles.ts';
import { readPublicUrl } from './public-url.ts';
import { readSecretSettings, type SecretSettings } from './secrets.ts';

/** What a running platform is told from outside. */
export interface Configuration extends StoreSettings {
  readonly host: string;
  readonly port: number;
  readonly access: AccessSettings;
  readonly page: PageSettings;
  readonly artifacts: ArtifactSettings;
  readonly outgoing: OutgoingSettings;
  /** Where clients reach the platform; null: by the host that each request names. */
  readonly publicUrl: string | null;
  readonly secrets: SecretSettings;
  readonly measuring: MeasuringSettings;
  readonly log: LogSettings;
  readonly retention: RetentionSettings;
  /** What this process does; all there is to do, unless told otherwise. */
  readonly roles: ReadonlySet<ProcessRole>;
  /** A module whose exported jobs are run by a worker in this process. */
  readonly jobsModule: string | null;
  /** How long the server goes on, telling load balancers to look elsewhere, before it stops. */
  readonly drainMs: number;
  /** All settings by name, for plug-ins. */
  readonly env: NodeJS.ProcessEnv;
}

function portOf(text: string | undefined): number {
  if (text === undefined || text === '') return 8080;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ConfigurationError('PORT', `is "${text}": give a whole number from 0 to 65535`);
}

function drainOf(text: string | undefined): number {
  const ms = Number(text ?? '0');
  if (Number.isInteger(ms) && ms >= 0 && ms <= 600_000) return ms;
  throw new ConfigurationError('PAWL_DRAIN_MS', `is "${text}": give milliseconds up to 600000`);
}

export function readConfiguration(env: NodeJS.ProcessEnv): Configuration {
  const host = env['HOST'] ?? '127.0.0.1';
  const store = readStoreSettings(env);
  const jobsModule = env['PAWL_JOBS'] ?? null;
  const access = readAccess(env, host);
  return {
    host,
    port: portOf(env['PORT']),
    ...store,
    access,
    page: readPageSettings(env, access),
    artifacts: readArtifactSettings(env),
    outgoing: readOutgoingSettings(env),
    publicUrl: readPublicUrl(env),
    secrets: readSecretSettings(env),
    measuring: readMeasuringSettings(env),
    log: readLogSettings(env),
    retention: readRetentionSettings(env),
    jobsModule,
    roles: readRoles(env, store),
    drainMs: drainOf(env['PAWL_DRAIN_MS']),
    env,
  };
}
