import { ConfigurationError, type PluginHost, type Setting } from 'pawl/plugin';
import type { MonitorLink, OgcServerSettings } from './server/dependencies.ts';

/** Options of the plug-in; settings of the process override them. */
export interface OgcOptions {
  /** Path of the providers file (JSON). Default: none. */
  readonly providers?: string;
  /**
   * How synchronous responses link to their job. Default: plain, as the official suite reads it.
   */
  readonly monitorLink?: MonitorLink;
  /** Maximum wait of a synchronous execution. Default: a minute. */
  readonly syncWaitMs?: number;
  /** Serves the 2.0 draft of the standard, rather than 1.0. Default: false. */
  readonly draft2?: boolean;
  /** A PostgreSQL with PostGIS that features can be delivered to. Default: none. */
  readonly postgis?: { readonly url: string; readonly schema?: string };
  /**
   * The environment with the secrets that the providers file names. Default: that of the process.
   */
  readonly env?: NodeJS.ProcessEnv;
}

/** How OGC API – Processes is served, and which providers stand behind it. */
export interface OgcSettings extends OgcServerSettings {
  /** The providers file, and where it finds the secrets that it names; null: there is none. */
  readonly providers: { readonly path: string; readonly env: NodeJS.ProcessEnv } | null;
}

const MONITOR_LINKS: readonly MonitorLink[] = ['plain', 'rfc8288', 'none'];

export function ogcSettings(options: OgcOptions): readonly Setting[] {
  const { providers = null, monitorLink = 'plain', syncWaitMs = 60_000 } = options;
  const { postgis, draft2 = false } = options;
  return [
    {
      name: 'PAWL_OGC_PROVIDERS',
      fallback: providers,
      sentence:
        'JSON file of OGC providers; their processes are offered here. Changes are picked up.',
    },
    {
      name: 'PAWL_OGC_MONITOR_LINK',
      fallback: monitorLink,
      sentence:
        'Link of synchronous OGC answers to their job: plain (as the suite does), rfc8288, none.',
    },
    {
      name: 'PAWL_OGC_SYNC_WAIT_MS',
      fallback: String(syncWaitMs),
      sentence: 'How long a synchronous OGC execution waits before it answers with a status.',
    },
    {
      name: 'PAWL_OGC_DRAFT_2',
      fallback: draft2 ? 'on' : 'off',
      sentence: 'Serves the 2.0 draft of OGC API – Processes, rather than 1.0: on or off.',
    },
    {
      name: 'PAWL_OGC_POSTGIS_URL',
      fallback: postgis?.url ?? null,
      sentence:
        'URL of a PostgreSQL database with PostGIS, to which OGC executions may write features.',
      isSecret: true,
    },
    {
      name: 'PAWL_OGC_POSTGIS_SCHEMA',
      fallback: postgis?.schema ?? 'pawl_results',
      sentence: 'Schema of those tables; other tenants use pawl_results_<tenant>.',
    },
  ];
}

export function readOgcSettings(
  { settings, publicUrl }: Pick<PluginHost, 'settings' | 'publicUrl'>,
  options: OgcOptions,
): OgcSettings {
  const [path, monitorLink, syncWaitMs, draft2, url, schema] = ogcSettings(options).map(
    ({ name, fallback }) => settings[name] ?? fallback ?? '',
  );
  const { env = process.env } = options;
  return {
    publicUrl,
    monitorLink: monitorLinkOf(monitorLink!),
    syncWaitMs: syncWaitOf(syncWaitMs!),
    isDraft2: flagOf('PAWL_OGC_DRAFT_2', draft2!),
    postgis: url === '' ? null : { url: urlOf(url!), schema: schemaOf(schema!) },
    providers: path === '' ? null : { path: path!, env },
  };
}

function monitorLinkOf(text: string): MonitorLink {
  const found = MONITOR_LINKS.find((one) => one === text);
  if (found !== undefined) return found;
  const form = `give one of ${MONITOR_LINKS.join(', ')}`;
  throw new ConfigurationError('PAWL_OGC_MONITOR_LINK', `is "${text}": ${form}`);
}

function flagOf(name: string, text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new ConfigurationError(name, `is "${text}": give on or off`);
}

/** Never shown: it has a password in it. */
function urlOf(text: string): string {
  if (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)) return text;
  const form = 'give an address such as postgres://user:password@host/database';
  throw new ConfigurationError(
    'PAWL_OGC_POSTGIS_URL',
    `is not the address of a PostgreSQL: ${form}`,
  );
}

function schemaOf(text: string): string {
  if (/^[a-z_][a-z0-9_]{0,30}$/.test(text)) return text;
  const form = 'give 1 to 31 of a–z, 0–9 and _, no digit first';
  throw new ConfigurationError('PAWL_OGC_POSTGIS_SCHEMA', `is "${text}": ${form}`);
}

function syncWaitOf(text: string): number {
  const ms = Number(text);
  if (Number.isInteger(ms) && ms >= 0 && ms <= 3_600_000) return ms;
  const form = 'give milliseconds up to 3600000';
  throw new ConfigurationError('PAWL_OGC_SYNC_WAIT_MS', `is "${text}": ${form}`);
}
