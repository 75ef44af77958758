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

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return `${parts.join('-')}-${hex.slice(20)}`;
}

function uuidV7(at: number, random: Uint8Array): string {
  const bytes = new Uint8Array(random);
  let rest = at;
  for (let index = 5; index >= 0; index--) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return uuidOf(bytes);
}

/** Ids of a running system: the given clock, real randomness. */
export function systemIds(clock: Clock): Ids {
  return { next: () => uuidV7(clock.now(), randomBytes(16)) };
}

/** Repeatable ids for tests and simulation. */
export function seededIds(clock: Clock, random: Random): Ids {
  return {
    next: () =>
      uuidV7(
        clock.now(),
        Uint8Array.from({ length: 16 }, () => random.next() * 256),
      ),
  };
}

/**
 * An id that everyone derives alike from a moment and a name: who makes the same thing twice makes
 * it under the same id, and finds it there.
 */
export function derivedId(at: Instant, name: string): string {
  return uuidV7(at, createHash('sha256').update(name).digest().subarray(0, 16));
}

/**
 * An event's id is derived from its key, so that every process, retry and export names it alike
 * and no column has to be stored for it.
 */
export function eventIdOf(jobId: string, version: number, note: number): string {
  const bytes = createHash('sha256').update(`${jobId}/${version}/${note}`).digest().subarray(0, 16);
  bytes[6] = 0x80 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return uuidOf(bytes);
}
