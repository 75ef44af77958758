import { hash, randomBytes } from 'node:crypto';
import type { Clock, Instant } from './clock.ts';
import type { Random } from './random.ts';

/** Where new ids come from. UUIDv7: sortable by birth, unique without coordination. */
export interface Ids {
  next(): string;
}

const UUID_BYTES = 16;
const DRAWN_AT_ONCE = 256;
const TIME_BYTES = 6;
const VARIANT_BYTE = 8;
/** The twelve bits behind the time; a new millisecond begins in the lower half of them. */
const COUNT_MAX = 0xfff;
const COUNT_START_MAX = 0x7ff;

const DIGITS: Uint8Array = Buffer.from('0123456789abcdef');
/** Where the two digits of each byte stand between the hyphens. */
const PLACES: readonly number[] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
/** Written anew for every id: many are made at once, and pieces of text are dear. */
const TEXT: Buffer = Buffer.alloc(36, '-');

/** The 16 bytes from there on, with a version and a variant in their places. */
function uuidOf(bytes: Uint8Array, from: number, version: 7 | 8): string {
  for (const [index, place] of PLACES.entries()) {
    let byte = bytes[from + index]!;
    if (index === 6) byte = (byte & 0x0f) | (version << 4);
    else if (index === 8) byte = (byte & 0x3f) | 0x80;
    TEXT[place] = DIGITS[byte >> 4]!;
    TEXT[place + 1] = DIGITS[byte & 0x0f]!;
  }
  return TEXT.toString('latin1');
}

/** The moment takes the place of the first bytes of chance. */
function uuidV7(at: number, chance: Buffer, from = 0): string {
  chance.writeUIntBE(at, from, TIME_BYTES);
  return uuidOf(chance, from, 7);
}

/**
 * Ids of a running system: the given clock, real randomness, drawn for many ids at once. Those of
 * one millisecond ascend too, so that jobs of one call are added at the end of every index and come
 * back in the order in which they were made; 62 bits of each are chance.
 */
export function systemIds(clock: Clock): Ids {
  let drawn = Buffer.alloc(0);
  let used = 0;
  let last: Instant | null = null;
  let count = 0;
  return {
    next: () => {
      if (used === drawn.length) {
        drawn = randomBytes(UUID_BYTES * DRAWN_AT_ONCE);
        used = 0;
      }
      const from = used;
      used += UUID_BYTES;
      const now = clock.now();
      const isNext = now === last && count < COUNT_MAX;
      count = isNext ? count + 1 : drawn.readUInt16BE(from + TIME_BYTES) & COUNT_START_MAX;
      last = now;
      drawn.writeUInt16BE(count, from + TIME_BYTES);
      return uuidV7(now, drawn, from);
    },
  };
}

/** Repeatable ids for tests and simulation. */
export function seededIds(clock: Clock, random: Random): Ids {
  return {
    next: () =>
      uuidV7(
        clock.now(),
        Buffer.from(Array.from({ length: UUID_BYTES }, () => random.next() * 256)),
      ),
  };
}

/**
 * An id that is derived from a time and a name. Creating the same thing twice gives the same id, so
 * the second attempt finds the first.
 */
export function derivedId(at: Instant, name: string): string {
  return uuidV7(at, digestOf(name));
}

/**
 * The id of an event, derived from its key: the same in every process, retry and export, and not
 * stored.
 */
export function eventIdOf(jobId: string, version: number, note: number): string {
  return uuidOf(digestOf(`${jobId}/${version}/${note}`), 0, 8);
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/**
 * The id of a child, alike for everyone who asks for it. The parent's birth comes first, so that a
 * tree lies together where ids are kept in the order of time. Version 8: part of a flow.
 */
export function childIdOf(
  parent: { readonly tenant: string; readonly id: string; readonly createdAt: Instant },
  wait: string,
  key: string,
): string {
  const bytes = digestOf(JSON.stringify([parent.tenant, parent.id, wait, key]));
  bytes.writeUIntBE(parent.createdAt, 0, TIME_BYTES);
  bytes[VARIANT_BYTE]! &= 0x0f;
  return uuidOf(bytes, 0, 8);
}

/**
 * Another id turned into one of a flow, of the same time: for a job that may be born behind a gate,
 * which children never are.
 */
export function flowIdOf(id: string): string {
  return `${id.slice(0, 14)}8${id.slice(15, 19)}9${id.slice(20)}`;
}

/** Whether a job may have been born behind a gate, as far as its id tells. */
export function isGatedId(id: string): boolean {
  return isFlowId(id) && id[19] === '9';
}

/** Whether a job has a part in a flow, as far as its id tells: parents have ids of any kind. */
export function isFlowId(id: string): boolean {
  return id[14] === '8';
}
