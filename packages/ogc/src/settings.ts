import { ConfigurationError, type PluginHost, type Setting } from 'pawl/plugin';
import type { MonitorLink, OgcServerSettings } from './server/dependencies.ts';

/** What a program that composes its platform may say; the settings of a process go before it. */
export interface OgcOptions {
  /** The JSON file of providers whose processes are offered here. Default: none. */
  readonly providers?: string;
  /** How synchronous answers name their job. Default: plain, as the official suite reads it. */
  readonly monitorLink?: MonitorLink;
  /** The longest that a synchronous execution is waited for. Default: a minute. */
  readonly syncWaitMs?: number;
  /** Where the secrets are that the providers file names. Default: the process's environment. */
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
  return [
    {
      name: 'PAWL_OGC_PROVIDERS',
      fallback: providers,
      sentence: 'A JSON file of OGC providers whose processes are offered here; it is watched.',
    },
    {
      name: 'PAWL_OGC_MONITOR_LINK',
      fallback: monitorLink,
      sentence:
        'How synchronous OGC answers name their job: plain (as the suite), rfc8288 or none.',
    },
    {
      name: 'PAWL_OGC_SYNC_WAIT_MS',
      fallback: String(syncWaitMs),
      sentence: 'How long a synchronous OGC execution waits before it answers with a status.',
    },
  ];
}

export function readOgcSettings(
  { settings, publicUrl }: Pick<PluginHost, 'settings' | 'publicUrl'>,
  options: OgcOptions,
): OgcSettings {
  const [path, monitorLink, syncWaitMs] = ogcSettings(options).map(
    ({ name, fallback }) => settings[name] ?? fallback ?? '',
  );
  const { env = process.env } = options;
  return {
    publicUrl,
    monitorLink: monitorLinkOf(monitorLink!),
    syncWaitMs: syncWaitOf(syncWaitMs!),
    providers: path === '' ? null : { path: path!, env },
  };
}

function monitorLinkOf(text: string): MonitorLink {
  const found = MONITOR_LINKS.find((one) => one === text);
  if (found !== undefined) return found;
  const form = `give one of ${MONITOR_LINKS.join(', ')}`;
  throw new ConfigurationError('PAWL_OGC_MONITOR_LINK', `is "${text}": ${form}`);
}

function syncWaitOf(text: string): number {
  const ms = Number(text);
  if (Number.isInteger(ms) && ms >= 0 && ms <= 3_600_000) return ms;
  const form = 'give milliseconds up to 3600000';
  throw new ConfigurationError('PAWL_OGC_SYNC_WAIT_MS', `is "${text}": ${form}`);
}
