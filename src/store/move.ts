import type { Instant } from '../core/clock.ts';
import type { Step } from '../core/decision.ts';
import type { EventType } from '../core/event.ts';
import type { CancelWish, JobRef, JsonText } from '../core/job.ts';
import type { Place } from '../core/lifecycle.ts';
import type { ClaimedJob } from './claim.ts';
import type { RecordOp } from './records.ts';

/**
 * Who may make the move, judged by the database at that moment:
 * `owner`: the named owner, its deadline not yet passed;
 * `expired`: anyone, the job being owned and its deadline passed;
 * `version`: anyone, the job being at exactly this version.
 * A deadline has passed from its very millisecond on: now >= leaseExpiry.
 */
export type Fence =
  | { readonly kind: 'owner'; readonly owner: string; readonly token?: string | null }
  | { readonly kind: 'expired' }
  | { readonly kind: 'version'; readonly version: number };

/**
 * A fact about a job that moves nothing: version + 1, updatedAt = now and one event whose `from`
 * and `to` are the state as it is. Also of a job in a terminal phase.
 *
 * With `wake` also, for a job that waits for its time: runAt = now, and it is let in as `due` does
 * it, at the place in line that it would have if it had been due since its birth. One that the
 * engine has to requeue comes back from `due`, and keeps that place when it is requeued.
 */
export interface Annotation {
  readonly event: EventType;
  readonly cause: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
  /** Undefined keeps the stored wish. */
  readonly cancel?: CancelWish | null;
  readonly wake?: true;
}

/**
 * A compare-and-set on one job: where it must stand (place, epoch, fence, and whether a cancel
 * wish is pending, unless null), and what then happens: steps, or an annotation, or both in this
 * order.
 *
 * Applying a step, all with the database's time `now`:
 * - state, phase, epoch, attempts, retryCount are set as given; version + 1 and one event, unless
 *   the step is quiet; updatedAt = now.
 * - into ready or waiting: runAt = now + delayMs (out of held: the later of now and the stored
 *   one); claimable at once if ready and due, else when `due` lets it in.
 * - into executing: startedAt = now if it was null. Into a terminal phase: completedAt = now.
 * - out of leased/executing: owner, lease and claim request are cleared.
 * - into a terminal phase: the cancel wish is cleared.
 * - into succeeded: progress = 100. `backoffMs` null keeps the stored one.
 * The event holds the row's progress, stage, message after the step; its payload is `{error}`
 * where the step has one and `{delayMs}` where it is not 0 (both, if both); with fence `expired`
 * also `{owner, leaseExpiry}` as they were before the first step, on each event of the move; null
 * if that leaves nothing. A write that the guard refuses fails the whole call, nothing changed.
 */
export interface Move extends JobRef {
  /** As the claim gave it: the job is looked up by it, where the fence shows the token too. */
  readonly key?: string | undefined;
  readonly lifecycle: string;
  readonly lifecycleVersion: number;
  readonly place: Place;
  readonly epoch: number;
  readonly fence: Fence;
  readonly isCancelWished: boolean | null;
  readonly actor: string;
  readonly steps: readonly Step[];
  readonly annotation: Annotation | null;
  /** Stored with the last step, or the annotation. Undefined keeps what is stored. */
  readonly result?: JsonText;
  readonly checkpoint?: JsonText;
  /** Of an end that is no success: what its cause is known by. */
  readonly fingerprint?: string | null;
  /** Record ops in the move's transaction: if a condition fails, the move misses. */
  readonly with?: readonly RecordOp[];
}

/** True if any of the moves has record ops. */
export function hasRecords(moves: readonly Move[]): boolean {
  return moves.some((move) => move.with !== undefined);
}

/**
 * `moved`: the job's version and the database's time after the last step. `missed`: the job did
 * not stand there, or is not there at all, or a condition of its record ops failed; who wants to
 * know why reads it.
 */
export type MoveOutcome =
  | { readonly kind: 'moved'; readonly version: number; readonly at: Instant }
  | { readonly kind: 'missed' };

/** What a call has done that makes moves and then claims, in one transaction. */
export interface MovedAndClaimed {
  readonly outcomes: readonly MoveOutcome[];
  readonly claimed: readonly ClaimedJob[];
}
