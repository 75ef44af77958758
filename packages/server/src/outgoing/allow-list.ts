import { type Address, type AddressRange, isWithin, parseRange } from './address.ts';

/** Places that may be reached although they are not public, plainly encrypted or on odd ports. */
export interface AllowList {
  hasHost(host: string, port: number): boolean;
  hasAddress(address: Address, port: number): boolean;
}

interface Entry {
  readonly host: string;
  readonly range: AddressRange | null;
  /** Null for every port. */
  readonly port: number | null;
}

const HOST = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;

/** Reads hosts, `host:port`, addresses and CIDR ranges; throws on an entry that is none of them. */
export function parseAllowList(texts: readonly string[]): AllowList {
  const entries = texts.map(entryOf);
  const covers = (entry: Entry, port: number): boolean =>
    entry.port === null || entry.port === port;
  return {
    hasHost: (host, port) => entries.some((entry) => entry.host === host && covers(entry, port)),
    hasAddress: (address, port) =>
      entries.some(
        (entry) => entry.range !== null && isWithin(address, entry.range) && covers(entry, port),
      ),
  };
}

function entryOf(text: string): Entry {
  const lower = text.trim().toLowerCase();
  const bare = parseRange(lower);
  if (bare !== null) return { host: lower, range: bare, port: null };
  const [, bracketed, name, digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(lower) ?? [];
  const host = bracketed ?? name ?? '';
  const range = parseRange(host);
  const port = digits === undefined ? null : Number(digits);
  const isHost = range !== null || (bracketed === undefined && HOST.test(host));
  if (isHost && (port === null || (port > 0 && port <= 65_535))) return { host, range, port };
  const fault = `"${text}" is not a host or network`;
  throw new TypeError(`${fault}: give a host, host:port, an address or a range like 10.0.0.0/8`);
}
