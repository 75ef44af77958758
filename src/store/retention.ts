import type { Instant } from '../core/clock.ts';
import type { JobError, JobRef, JsonText } from '../core/job.ts';
import type { RecordOp } from './records.ts';

/**
 * What may go: everything of its kind that is not younger than the instant; null keeps it all.
 * - `jobs`: ended then or before, and not awaited by a job that is still there and has not ended.
 *   With a job go its events, notes and stage results. A store that drops whole partitions keeps a
 *   job until the partition of its id is over.
 * - `notes`: written then or before. A store that drops whole partitions keeps them until theirs is
 *   over.
 * - `feed`: what the tail reads. It goes from its start on, and a cursor into what is gone is
 *   reset. Its last line is kept, so that a reader of a quiet log keeps its place.
 * - `keys`: idempotency keys whose window had ended then, and unique keys whose window had ended
 *   and whose job nobody can join any more.
 */
export interface Purge {
  readonly jobs: Instant | null;
  readonly notes: Instant | null;
  readonly feed: Instant | null;
  readonly keys: Instant | null;
  /** At most so many rows of a kind are looked at, so that nobody waits for long. */
  readonly limit: number;
}

/** How many went of each kind; a day that was dropped as a whole counts in `days` only. */
export interface Purged {
  readonly jobs: number;
  readonly notes: number;
  readonly feed: number;
  readonly keys: number;
  readonly days: number;
  /** Ask again: there may be more that may go. */
  readonly hasMore: boolean;
}

/** Where another process is at it already. */
export const NOTHING_PURGED: Purged = {
  jobs: 0,
  notes: 0,
  feed: 0,
  keys: 0,
  days: 0,
  hasMore: false,
};

/**
 * `erased`: what the job said is gone, what happened to it is not. Nothing was written where it is
 * `notEnded`, `missing`, or `stale`: a condition of the record ops failed.
 */
export type EraseOutcome = 'erased' | 'notEnded' | 'missing' | 'stale';

export interface RetentionVerbs {
  /** Takes away a slice of what may go, and never a job that has not ended. */
  purge(purge: Purge): Promise<Purged>;
  /**
   * Of a job that has ended: input becomes `null`; result, checkpoint, message, metadata and stage
   * results go; errors keep their class, code and stage. The same in its events and its notes
   * (which lose their payloads too). The first time, one annotation `job_erased`. The record ops
   * are part of the transaction.
   */
  erase(ref: JobRef, actor: string, ops?: readonly RecordOp[]): Promise<EraseOutcome>;
}

/** What is left in place of a text. */
export const ERASED = 'erased';

export function erasedError(error: JobError): JobError {
  const { class: name, code, stage, retryable } = error;
  return { class: name, message: ERASED, code, stage, retryable };
}

export function erasedErrorText(error: JsonText): JsonText {
  return JSON.stringify(erasedError(JSON.parse(error) as JobError));
}

/** An event's payload: what it says of an error is erased, the rest tells what happened. */
export function erasedPayloadText(text: JsonText): JsonText {
  const payload = JSON.parse(text) as { error?: JobError };
  if (payload.error === undefined) return text;
  return JSON.stringify({ ...payload, error: erasedError(payload.error) });
}
