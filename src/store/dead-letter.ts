import type { Instant } from '../core/clock.ts';
import type { DlqReason } from '../core/error-class.ts';
import type { JobError, JsonText } from '../core/job.ts';

/** A copy of a job that ended badly, kept for a person or an automatic replay. */
export interface DeadLetter {
  readonly tenant: string;
  readonly id: string;
  readonly jobId: string;
  readonly type: string;
  readonly reasonCode: DlqReason;
  readonly failureStage: string;
  readonly lastError: JobError;
  readonly attempts: number;
  /** The owner and deadline at the moment of the end; null when nobody owned the job. */
  readonly lastOwner: string | null;
  readonly lastLeaseExpiresAt: Instant | null;
  readonly correlationId: string | null;
  readonly input: JsonText;
  readonly fingerprint: string;
  readonly jobCreatedAt: Instant;
  readonly jobStartedAt: Instant | null;
  readonly createdAt: Instant;
  readonly replayedAs: string | null;
}

/** By descending id; ids are UUIDv7. */
export interface DeadLetterFilter {
  readonly tenant: string;
  readonly limit: number;
  readonly id?: string;
  readonly before?: string;
  /** Those of one job. */
  readonly jobId?: string;
  readonly type?: string;
  readonly reasonCode?: DlqReason;
  readonly fingerprint?: string;
  readonly isReplayed?: boolean;
}
