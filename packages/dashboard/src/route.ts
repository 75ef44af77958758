// Where the user is: `#/jobs/1?phase=failed`. In the hash, because the server's own paths
// (`/jobs`, `/processes`) belong to its API.
import { computed, signal } from '@preact/signals';

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export interface Place {
  /** `jobs`, `1`. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

/** Anyone can make an address up, so it may be none. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Only what looks like one is asked for: an id out of an address must not lead elsewhere. */
export function isJobId(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

export const place = computed<Place>(() => {
  const [path = '', query = ''] = hash.value.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').filter((part) => part !== '');
  return { parts: parts.map(decoded), query: new URLSearchParams(query) };
});

export function hrefOf(parts: readonly string[], query: Record<string, string> = {}): string {
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(filled).toString();
  const path = parts.map(encodeURIComponent).join('/');
  return `#/${path}${text === '' ? '' : `?${text}`}`;
}

/** `plugins/heartbeats` → its parts; none for the overview. */
export function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

export function go(href: string): void {
  if (href.startsWith('#')) location.hash = href;
  else location.assign(href);
}
