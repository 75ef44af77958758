import { isIPv6, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { parseAddress, unmapped } from './address.ts';
import type { AllowList } from './allow-list.ts';
import { readDestination, type Resolve, resolveGuarded } from './guard.ts';
import { refused } from 'pawl/internal/outgoing/outgoing-error';

const CONNECT_MS_MAX = 10_000;

/**
 * Opens connections to checked addresses only. The name is resolved once, here, and the socket is
 * bound to what was found: a name that means another address a moment later changes nothing.
 */
export function guardedConnector(allow: AllowList, resolve: Resolve): buildConnector.connector {
  return (options, callback) => void open(options, callback, { allow, resolve });
}

async function open(
  options: buildConnector.Options,
  callback: buildConnector.Callback,
  { allow, resolve }: { allow: AllowList; resolve: Resolve },
): Promise<void> {
  const { protocol, hostname, port } = options;
  const origin = `${protocol}//${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port || ''}`;
  try {
    const addresses = await resolveGuarded(readDestination(origin), allow, resolve);
    pinnedTo(addresses)(options, verified(addresses, callback));
  } catch (error) {
    callback(error as Error, null);
  }
}

function pinnedTo(addresses: readonly string[]): buildConnector.connector {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const lookup: LookupFunction = (_host, { all }, answer) => {
    if (all === true) answer(null, found);
    else answer(null, found[0]!.address, found[0]!.family);
  };
  // Said aloud, so that no environment variable can switch the check of certificates off.
  const tls = { rejectUnauthorized: true };
  const limits = { timeout: CONNECT_MS_MAX, maxCachedSessions: 0, allowH2: false };
  return buildConnector({ lookup, autoSelectFamily: true, ...tls, ...limits });
}

/** Hands a socket on only if it really ends where it should. */
function verified(
  addresses: readonly string[],
  callback: buildConnector.Callback,
): buildConnector.Callback {
  const expected = new Set(addresses.map(keyOf));
  return (...[error, socket]) => {
    if (error !== null) callback(noted(error), null);
    else if (expected.has(keyOf(socket.remoteAddress ?? ''))) callback(null, socket);
    else {
      socket.destroy();
      callback(refused('the connection went to another address than the one checked'), null);
    }
  };
}

/** The errors of connections that were never made, by which nothing can have been sent. */
const unconnected = new WeakSet<Error>();

function noted(error: Error): Error {
  unconnected.add(error);
  return error;
}

/** True where the connection failed, and the request had not yet begun to leave. */
export function isUnconnected(error: unknown): boolean {
  return error instanceof Error && unconnected.has(error);
}

function keyOf(address: string): string {
  const parsed = parseAddress(address);
  return parsed === null ? '' : unmapped(parsed).join('.');
}
