import type { Instant } from '../core/clock.ts';
import type { NoteType } from '../core/event.ts';
import type { CancelWish, JobRef, JsonText } from '../core/job.ts';

export interface NoteDraft {
  readonly type: NoteType;
  readonly message: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
}

/**
 * An owner's sign of life and what it has to say, fenced by owner, epoch and deadline.
 * - The heartbeat is now: the deadline becomes min(lease end, now + 2 heartbeats, lease limit),
 *   with the lease end itself moved to now + ttl once half of the ttl (or more) has passed. The
 *   limit is the claim's: an attempt ends with its time-out, and with the job's deadlineAt, come
 *   what may.
 * - `progress` is clamped so that it never falls; undefined members keep what is stored.
 * - Writes one note `job_lease_renewed` if the lease end moved, else `job_heartbeat`, then the
 *   given notes; all hold the row's progress and stage after the renewal, and its message unless
 *   the note has one of its own; `from` and `to` are the state, the actor is the worker's.
 * - A kept stage result replaces one of the same name. updatedAt = now.
 */
export interface Renewal extends JobRef {
  readonly owner: string;
  readonly epoch: number;
  /** The claim's token; where it is shown it must match. */
  readonly token?: string | null;
  /** As the claim gave it: the store looks the job up by it, where the token is shown too. */
  readonly key?: string | undefined;
  readonly stage?: string | null;
  readonly progress?: number;
  readonly message?: string | null;
  readonly checkpoint?: JsonText;
  readonly stageResult?: { readonly name: string; readonly result: JsonText };
  readonly notes?: readonly NoteDraft[];
}

/** `lost`: not the owner any more, whatever the reason. */
export type RenewOutcome =
  | {
      readonly kind: 'renewed';
      readonly at: Instant;
      readonly leaseExpiry: Instant;
      readonly progress: number;
      readonly cancel: CancelWish | null;
    }
  | { readonly kind: 'lost' };
