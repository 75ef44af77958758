import type { Instant } from './clock.ts';
import type { Phase } from './phase.ts';

/** JSON as text. The platform never looks inside a payload, so it is not parsed on the way. */
export type JsonText = string;

/** What led to an error, as far as it is known. */
export interface ErrorCause {
  readonly class: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly details?: unknown;
}

/** An error as a job keeps it: bounded, without secrets, and only of what every store can hold. */
export interface JobError {
  readonly class: string;
  readonly message: string;
  readonly code: string | null;
  readonly stage: string | null;
  readonly retryable: boolean;
  /** Why it was not retried although attempts were left, and what to change. */
  readonly hint?: string;
  readonly details?: unknown;
  readonly stack?: string;
  readonly causes?: readonly ErrorCause[];
}

export type CancelMode = 'soft' | 'hard';

/** Someone asked for the job's end while it was executing; its owner has not honoured it yet. */
export interface CancelWish {
  readonly mode: CancelMode;
  readonly reason: string | null;
}

/**
 * How a job came from its parent: run again, replayed from a dead letter, made to undo it, or
 * linked by whoever enqueued it.
 */
export const PARENT_KINDS = ['rerun', 'replay', 'compensation', 'caller'] as const;

export type ParentKind = (typeof PARENT_KINDS)[number];

/** The wait that a job was started for, by a turn of the job that waits. */
export interface AwaitedBy {
  readonly jobId: string;
  readonly wait: string;
  /** The job's name within the wait. */
  readonly key: string;
}

/** Names a job everywhere: ids are unique within a tenant. */
export interface JobRef {
  readonly tenant: string;
  readonly id: string;
}

/** One job as it is stored. Times are the database's; an owner and a lease come and go together. */
export interface Job extends JobRef {
  readonly type: string;
  readonly queue: string;
  readonly lifecycle: string;
  readonly lifecycleVersion: number;
  /** The policy frozen at enqueue, by its number in the store. */
  readonly policy: number;
  readonly state: string;
  readonly phase: Phase;
  readonly epoch: number;
  readonly version: number;
  readonly priority: number;
  readonly runAt: Instant;
  readonly deadlineAt: Instant | null;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly retryCount: number;
  /** The last backoff, which decorrelated jitter grows from. */
  readonly backoffMs: number | null;
  readonly progress: number;
  readonly stage: string | null;
  readonly message: string | null;
  readonly owner: string | null;
  readonly leaseExpiry: Instant | null;
  readonly cancel: CancelWish | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly startedAt: Instant | null;
  readonly completedAt: Instant | null;
  readonly error: JobError | null;
  readonly input: JsonText;
  readonly result: JsonText | null;
  readonly checkpoint: JsonText | null;
  readonly metadata: JsonText | null;
  readonly correlationId: string | null;
  readonly traceId: string | null;
  readonly requestedBy: string | null;
  /** Whose limits it counts under; null: those of `requestedBy`. */
  readonly limitKey: string | null;
  readonly parentJobId: string | null;
  /** Null without a parent. */
  readonly parentKind: ParentKind | null;
  readonly documentId: string | null;
  /** Its place in a tree; null for a root and for every job outside of trees. */
  readonly awaitedBy: AwaitedBy | null;
}
