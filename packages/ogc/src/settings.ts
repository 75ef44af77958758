import type { MonitorLink, OgcServerSettings } from './server/dependencies.ts';
import { ConfigurationError } from 'pawl/plugin';

/** How OGC API – Processes is served, and which providers stand behind it. */
export interface OgcSettings extends OgcServerSettings {
  /** The providers file, and where it finds the secrets that it names; null: there is none. */
  readonly providers: { readonly path: string; readonly env: NodeJS.ProcessEnv } | null;
}

const MONITOR_LINKS: readonly MonitorLink[] = ['plain', 'rfc8288', 'none'];

export function readOgcSettings(env: NodeJS.ProcessEnv): OgcSettings {
  const path = env['PAWL_OGC_PROVIDERS'] ?? '';
  return {
    publicUrl: publicUrlOf(env['PAWL_PUBLIC_URL'] ?? ''),
    monitorLink: monitorLinkOf(env['PAWL_OGC_MONITOR_LINK'] ?? 'plain'),
    syncWaitMs: syncWaitOf(env['PAWL_OGC_SYNC_WAIT_MS'] ?? '60000'),
    providers: path === '' ? null : { path, env },
  };
}

function publicUrlOf(text: string): string | null {
  if (text === '') return null;
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (isUrl && !/[?#]/.test(text)) return text.replace(/\/+$/, '');
  const form = 'give an address such as https://jobs.example.org';
  throw new ConfigurationError('PAWL_PUBLIC_URL', `is "${text}": ${form}`);
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
