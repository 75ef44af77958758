import { lookup } from 'node:dns/promises';
import { isPublic, parseAddress, unmapped } from './address.ts';
import type { AllowList } from './allow-list.ts';
import { OutgoingError, refused } from 'pawl/internal/outgoing/outgoing-error';

/** The addresses of a host name, all of them. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Where a request goes: a URL without tricks. */
export interface Destination {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
}

const URL_LENGTH_MAX = 2_048;

/** For https to public hosts; others must be allowed by name. */
const PORTS: ReadonlySet<number> = new Set([443, 8443]);

/** Reads a URL strictly: http or https, no credentials, no dot behind the host. */
export function readDestination(text: string | URL): Destination {
  const written = String(text);
  if (written.length > URL_LENGTH_MAX) {
    throw refused(`the URL is longer than ${URL_LENGTH_MAX} characters`);
  }
  const url = URL.canParse(written) ? new URL(written) : null;
  if (url === null) throw refused('the URL cannot be read: give one like https://host/path');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refused(`the URL begins with ${url.protocol}: give one that begins with https:`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('the URL carries a user name or a password: send credentials in a header');
  }
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  url.hash = '';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return { url, host, port };
}

/** All addresses of the destination, or a refusal if any one of them may not be reached. */
export async function resolveGuarded(
  destination: Destination,
  allow: AllowList,
  resolve: Resolve,
): Promise<readonly string[]> {
  const { host, port } = destination;
  const literal = parseAddress(host);
  const found = literal === null ? await resolveName(host, resolve) : [host];
  if (!allow.hasHost(host, port)) {
    for (const text of found) checkAddress(text, destination, allow);
  }
  return found;
}

async function resolveName(host: string, resolve: Resolve): Promise<readonly string[]> {
  const found = await resolve(host).catch((cause: unknown) => {
    throw new OutgoingError('network', `the host ${host} was not found`, cause);
  });
  if (found.length > 0) return found;
  throw new OutgoingError('network', `the host ${host} has no address`);
}

function checkAddress(text: string, { url, host, port }: Destination, allow: AllowList): void {
  const parsed = parseAddress(text);
  const address = parsed === null ? null : unmapped(parsed);
  if (address !== null && allow.hasAddress(address, port)) return;
  const place = `${url.hostname}:${port}`;
  if (address === null || !isPublic(address)) {
    throw refused(`${host} is not a public place of the internet`, place);
  }
  if (url.protocol !== 'https:') {
    throw refused(`${host} would be asked without encryption: use https`, place);
  }
  if (!PORTS.has(port)) {
    throw refused(`port ${port} of ${host} is not one of ${[...PORTS].join(', ')}`, place);
  }
}

/** Names as the machine resolves them, hosts file included. */
export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};
