import type { Instant } from '../core/clock.ts';
import type { Job } from '../core/job.ts';

/**
 * At most one job at a time for a key, over (tenant, type, mode, key). What it means that there is
 * one already depends on the mode; the key's job is the last one that was made for it.
 * - `throttle`: for `windowMs` after its birth the key's job is the answer, whatever became of it.
 * - `debounce`: a new job is due `windowMs` after its birth (unless it has a runAt of its own).
 *   While the key's job is still delayed, its runAt is put off to `windowMs` from now, but never to
 *   an earlier time and never past `waitMaxMs` after its birth. Once it is due and until it is
 *   claimed it is the answer as it stands.
 * - `replace`: while nobody has claimed the key's job (it is held or ready, at its first epoch) its
 *   input is replaced.
 * In every other case a new job is made. A change (runAt or input really another) is an annotation:
 * version + 1, updatedAt = now and one event `job_amended` by the newcomer's actor, its cause the
 * mode, its payload `{runAt}` for debounce and null for replace.
 */
export interface UniqueClaim {
  readonly key: string;
  readonly mode: 'throttle' | 'debounce' | 'replace';
  /** 0 for replace. */
  readonly windowMs: number;
  /** At least windowMs; of the newcomer that made the job. 0 for the other modes. */
  readonly waitMaxMs: number;
}

/** For how long after a job's birth its key's entry has a say. */
export function uniqueUntil({ mode, windowMs, waitMaxMs }: UniqueClaim, birth: Instant): Instant {
  return birth + (mode === 'debounce' ? waitMaxMs : windowMs);
}

/** When a new job is due, where it did not say so itself. */
export function uniqueRunAt(unique: UniqueClaim | undefined, birth: Instant): Instant {
  return unique?.mode === 'debounce' ? birth + unique.windowMs : birth;
}

/** Where a debounced job's due time is put. */
export function postponedRunAt(
  unique: UniqueClaim,
  standing: { readonly runAt: Instant; readonly until: Instant; readonly now: Instant },
): Instant {
  const { runAt, until, now } = standing;
  return Math.max(runAt, Math.min(now + unique.windowMs, until));
}

/** Held or ready, and never in anybody's hands. */
export function isUnclaimed({ phase, epoch }: Pick<Job, 'phase' | 'epoch'>): boolean {
  return epoch === 1 && (phase === 'held' || phase === 'ready');
}

/** A job that stands for the newcomer. */
export interface JoinOutcome {
  readonly kind: 'throttled' | 'debounced' | 'replaced';
  readonly id: string;
}
