import type { Instant } from '../core/clock.ts';
import type { Phase } from '../core/phase.ts';
import type { PriorityClass } from '../core/rank.ts';
import { byBytes } from './byte-order.ts';

/** Counts of jobs that have not ended, by phase. */
export interface Tally {
  readonly tenant: string;
  readonly type: string;
  readonly queue: string;
  readonly state: string;
  readonly phase: Phase;
  readonly priorityClass: PriorityClass;
  readonly count: number;
  /** The counting ended at its bound: there are so many at least, and there may be more. */
  readonly isAtLeast: boolean;
  /** The earliest due time among those that were counted. */
  readonly oldestRunAt: Instant;
}

/**
 * Some queues of a tenant, by the bytes of their names: of those that have jobs the first `limit`,
 * beginning with `from`, or with the next after `after`.
 */
export interface QueueRange {
  readonly from?: string;
  readonly after?: string;
  readonly limit: number;
}

export interface TallyBounds {
  /** So many of one line are counted. */
  readonly max?: number;
  /** Of one tenant only. Default: all queues. */
  readonly queues?: QueueRange;
}

/** Whether a queue lies where the range begins or behind it. */
export function isAhead(queue: string, { from, after }: QueueRange): boolean {
  if (from !== undefined && byBytes(queue, from) < 0) return false;
  return after === undefined || byBytes(queue, after) > 0;
}

/** So many of one line are counted, unless more are asked for: a look costs some milliseconds. */
export const TALLY_MAX = 10_000;

type Place = Omit<Tally, 'count' | 'isAtLeast' | 'oldestRunAt'>;

/** Jobs of one place may have been counted in several lines. */
export function mergeTallies(parts: Iterable<Tally>): Tally[] {
  const merged = new Map<string, Tally>();
  for (const part of parts) {
    const key = keyOf(part);
    const before = merged.get(key);
    merged.set(key, before === undefined ? part : sum(before, part));
  }
  return [...merged.values()];
}

/** Counts by phase, and the phases whose count was cut off at a limit. */
export function byPhase(tallies: readonly Tally[]): {
  phases: Record<string, number>;
  atLeast: string[];
} {
  const phases: Record<string, number> = {};
  for (const { phase, count } of tallies) phases[phase] = (phases[phase] ?? 0) + count;
  const cut = tallies.filter(({ isAtLeast }) => isAtLeast).map(({ phase }) => phase);
  return { phases, atLeast: [...new Set(cut)] };
}

function keyOf({ tenant, type, queue, state, phase, priorityClass }: Place): string {
  return JSON.stringify([tenant, type, queue, state, phase, priorityClass]);
}

function sum(one: Tally, other: Tally): Tally {
  return {
    ...one,
    count: one.count + other.count,
    isAtLeast: one.isAtLeast || other.isAtLeast,
    oldestRunAt: Math.min(one.oldestRunAt, other.oldestRunAt),
  };
}
