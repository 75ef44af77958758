import type { Instant } from './clock.ts';
import type { JobLabels } from './job-labels.ts';
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

/**
 * An error as it is stored with a job: limited in size, without secrets, in characters that every
 * store accepts.
 */
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

/** Identifies a job: tenant and id. Ids are unique within a tenant. */
export interface JobRef {
  readonly tenant: string;
  readonly id: string;
}

/**
 * A stored job. Times come from the database's clock. Owner and lease are set and cleared together.
 */
export interface Job extends JobRef, JobLabels {
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
  /** The code that first took it, where that has a name; it stays what it is then. */
  readonly revision: string | null;
  /** Whether only workers that offer this revision may take it again. */
  readonly isPinned: boolean;
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
}
