import { createHash, randomBytes } from 'node:crypto';
import type { Clock, Instant } from './clock.ts';
import type { Random } from './random.ts';

/** Where new ids come from. UUIDv7: sortable by birth, unique without coordination. */
export interface Ids {
  next(): string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** 32 hexadecimal digits with a version and a variant in their places. */
function uuidOf(hex: string, version: 7 | 8): string {
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]!;
  const [time, middle] = [hex.slice(0, 8), hex.slice(8, 12)];
  const [third, fourth] = [hex.slice(13, 16), hex.slice(17, 20)];
  return `${time}-${middle}-${version}${third}-${variant}${fourth}-${hex.slice(20)}`;
}

/** The moment, and of the 32 digits of chance those that it leaves. */
function uuidV7(at: number, chance: string): string {
  return uuidOf(at.toString(16).padStart(12, '0').slice(-12) + chance.slice(12), 7);
}

const UUID_BYTES = 16;
const DRAWN_AT_ONCE = 256;

/** Ids of a running system: the given clock, real randomness, drawn for many ids at once. */
export function systemIds(clock: Clock): Ids {
  let drawn = Buffer.alloc(0);
  let used = 0;
  return {
    next: () => {
      if (used === drawn.length) {
        drawn = randomBytes(UUID_BYTES * DRAWN_AT_ONCE);
        used = 0;
      }
      const chance = drawn.toString('hex', used, used + UUID_BYTES);
      used += UUID_BYTES;
      return uuidV7(clock.now(), chance);
    },
  };
}

/** Repeatable ids for tests and simulation. */
export function seededIds(clock: Clock, random: Random): Ids {
  return {
    next: () =>
      uuidV7(
        clock.now(),
        Buffer.from(Array.from({ length: UUID_BYTES }, () => random.next() * 256)).toString('hex'),
      ),
  };
}

/**
 * An id that everyone derives alike from a moment and a name: who makes the same thing twice makes
 * it under the same id, and finds it there.
 */
export function derivedId(at: Instant, name: string): string {
  return uuidV7(at, digestOf(name));
}

/**
 * An event's id is derived from its key, so that every process, retry and export names it alike
 * and no column has to be stored for it.
 */
export function eventIdOf(jobId: string, version: number, note: number): string {
  return uuidOf(digestOf(`${jobId}/${version}/${note}`), 8);
}

function digestOf(text: string): string {
  return createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * UUID_BYTES);
}
