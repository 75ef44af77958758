import type { Instant } from '../core/clock.ts';
import { isOwned } from '../core/phase.ts';
import type { Throttle } from '../core/throttle.ts';
import type { Move } from './move.ts';
import type { RecordOp } from './records.ts';

/** How an owner's turn counts for its type; null where it says nothing about it. */
export type TurnEnd = 'succeeded' | 'failed' | null;

/**
 * Turns that end in success count as such, and those that end in an error or are lost as failed.
 * A cancel, a snooze, a release and whatever nobody was working on do not count.
 */
export function turnEndOf({ place, steps }: Move): TurnEnd {
  const last = steps.at(-1);
  if (last === undefined || !isOwned(place.phase) || last.to.phase === 'cancelled') return null;
  if (last.to.phase === 'succeeded') return 'succeeded';
  return steps.some(({ error }) => error !== undefined && error !== null) ? 'failed' : null;
}

/** Ends are counted in slots of so long, each under the instant of its begin. */
export const SLOT_MS = 1_000;

export function slotOf(at: Instant): Instant {
  return at - (at % SLOT_MS);
}

/** A type that fails, or is throttled, with what its next throttle depends on. */
export interface TypeHealth {
  readonly tenant: string;
  readonly type: string;
  /** Ends in slots that begin no earlier than asked for, and no earlier than the last change. */
  readonly succeeded: number;
  readonly failed: number;
  /** Jobs of it that are in flight. */
  readonly owned: number;
  readonly throttle: Throttle | null;
  /** What bounds it now, the throttle or somebody's setting. */
  readonly concurrency: number | null;
}

/** Sets, changes or (null) lifts a throttle, if it still is the one that was seen. */
export interface ThrottleChange {
  readonly tenant: string;
  readonly type: string;
  readonly seen: Throttle | null;
  readonly next: Throttle | null;
  readonly actor: string;
  /** Record ops in the same transaction: the audit entry. */
  readonly with: readonly RecordOp[];
}

/** A look over limiters of starts, in the order of their keys. */
export interface RateTrim {
  /** Only keys after this one; null from the first. */
  readonly after: string | null;
  readonly limit: number;
}

export interface RateTrimmed {
  readonly trimmed: number;
  /** Where to go on; null: it came to the end. */
  readonly next: string | null;
}

/** A limiter that was not touched for so long may go, if it has all its tokens again. */
export const RATE_IDLE_MS = 60_000;

/** What keeps types from being worked on too much, but for the limits that the hot verbs keep. */
export interface ControlStore {
  /** Types with a failed end since then, and all that are throttled, by tenant and type. */
  ailing(since: Instant): Promise<TypeHealth[]>;
  /** False: the throttle has changed, or a record op was refused; nothing was written. */
  throttle(change: ThrottleChange): Promise<boolean>;
  /**
   * Forgets limiters that nobody waits at, that no start has touched for RATE_IDLE_MS, and that
   * have all their tokens again by the slowest rate that any policy has: to forget one of those
   * changes nothing.
   */
  trimRates(trim: RateTrim): Promise<RateTrimmed>;
}
