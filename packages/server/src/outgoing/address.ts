// Which addresses belong to the public internet. Written here because the packages that tell it
// have been wrong about octal, mapped and reserved addresses again and again.
import { isIPv4, isIPv6 } from 'node:net';

/** 4 or 16 bytes. */
export type Address = Uint8Array;

/** All addresses that begin with the same bits. */
export interface AddressRange {
  readonly first: Address;
  readonly bits: number;
}

/** The bytes of an address as the system writes it; null for anything else. */
export function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number);
  return isIPv6(text) && !text.includes('%') ? parseIpv6(text) : null;
}

function parseIpv6(text: string): Address {
  const dotted = /[^:]*\.[^:]*$/.exec(text)?.[0];
  const tail = dotted === undefined ? [] : groupsOfDotted(dotted);
  const hex = dotted === undefined ? text : text.slice(0, -dotted.length).replace(/(?<!:):$/, '');
  const [head = [], rest] = hex.split('::').map((half) => half.split(':').filter(Boolean));
  const before = head.map((group) => Number.parseInt(group, 16));
  const after = [...(rest ?? []).map((group) => Number.parseInt(group, 16)), ...tail];
  const gap: number[] = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Uint8Array.from(
    [...before, ...gap, ...after].flatMap((group) => [group >> 8, group & 0xff]),
  );
}

function groupsOfDotted(text: string): number[] {
  const [a, b, c, d] = text.split('.').map(Number) as [number, number, number, number];
  return [a * 256 + b, c * 256 + d];
}

/** `10.0.0.0/8`, `fd00::/8`, or one address alone; null for anything else. */
export function parseRange(text: string): AddressRange | null {
  const [, address = '', size] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const first = parseAddress(address);
  if (first === null) return null;
  const bits = size === undefined ? first.length * 8 : Number(size);
  return bits <= first.length * 8 ? { first, bits } : null;
}

export function isWithin(address: Address, { first, bits }: AddressRange): boolean {
  if (address.length !== first.length) return false;
  return address.every((byte, index) => {
    const shared = Math.min(8, Math.max(0, bits - index * 8));
    return (byte ^ first[index]!) >> (8 - shared) === 0;
  });
}

function ranges(...texts: string[]): readonly AddressRange[] {
  return texts.map((text) => parseRange(text)!);
}

/** Own machine, private nets, link-local and metadata, tests, benchmarks, multicast, reserved. */
const CLOSED_IPV4 = ranges(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
);

/** Where public IPv6 addresses are taken from; all else is closed without being listed. */
const OPEN_IPV6 = ranges('2000::/3');

/** Protocol assignments (Teredo among them) and documentation. */
const CLOSED_IPV6 = ranges('2001::/23', '2001:db8::/32', '3fff::/20');

/** IPv6 addresses that stand for an IPv4 one, and where in them it lies. */
const CARRIERS: readonly { readonly range: AddressRange; readonly at: number }[] = [
  { range: parseRange('::ffff:0:0/96')!, at: 12 },
  { range: parseRange('::ffff:0:0:0/96')!, at: 12 },
  { range: parseRange('64:ff9b::/96')!, at: 12 },
  { range: parseRange('2002::/16')!, at: 2 },
];

/** True for an address that anybody on the internet may be asked to connect to. */
export function isPublic(address: Address): boolean {
  if (address.length === 4) return !CLOSED_IPV4.some((range) => isWithin(address, range));
  const carrier = CARRIERS.find(({ range }) => isWithin(address, range));
  if (carrier !== undefined) return isPublic(address.slice(carrier.at, carrier.at + 4));
  if (isIsatap(address) && !isPublic(address.slice(12))) return false;
  return (
    OPEN_IPV6.some((range) => isWithin(address, range)) &&
    !CLOSED_IPV6.some((range) => isWithin(address, range))
  );
}

/** `…:0:5efe:a.b.c.d` or `…:200:5efe:a.b.c.d` behind any prefix. */
function isIsatap(address: Address): boolean {
  const [a, b, c, d] = address.slice(8, 12);
  return (a === 0 || a === 2) && b === 0 && c === 0x5e && d === 0xfe;
}

/** A mapped address as the IPv4 address it is, so that both spellings meet the same rules. */
export function unmapped(address: Address): Address {
  const mapped = CARRIERS[0]!.range;
  return isWithin(address, mapped) ? address.slice(12) : address;
}
