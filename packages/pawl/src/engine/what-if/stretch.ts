import type { Instant } from '../../core/clock.ts';
import type { JobLabels } from '../../core/job-labels.ts';
import type { LimitPolicy } from '../../core/limits.ts';
import type { AttemptTimes, Span, Timeline } from './timeline.ts';

/** An attempt as the log tells it, with the worker that made it. */
export interface RecordedAttempt extends AttemptTimes {
  /** Null where it never began, or began before the stretch. */
  readonly worker: string | null;
}

/** A job as far as the log of a stretch tells of it. */
export interface RecordedJob extends Timeline {
  readonly tenant: string;
  readonly id: string;
  readonly priority: number;
  readonly labels: Pick<JobLabels, 'correlationId' | 'documentId' | 'limitKey' | 'requestedBy'>;
  readonly limits: LimitPolicy | null;
  readonly createdAt: Instant;
  readonly attempts: readonly RecordedAttempt[];
}

/** A worker and when it was there. */
export interface RecordedWorker extends Span {
  readonly id: string;
  readonly slots: number;
  /** How many jobs waited for a slot after each claim that left none free. */
  readonly aheads: readonly number[];
  readonly types: readonly string[];
  /** The worker itself said how many slots it has; else it is what was in use at once. */
  readonly isAnnounced: boolean;
}

/** A bound on how many jobs of a queue or a type are owned at once. */
export interface ConcurrencyRule {
  readonly tenant: string;
  readonly scope: 'queue' | 'type';
  readonly name: string;
  readonly concurrency: number;
}

/** A stretch of the log, as what-if plays it. */
export interface Stretch extends Span {
  readonly jobs: readonly RecordedJob[];
  readonly workers: readonly RecordedWorker[];
  readonly rules: readonly ConcurrencyRule[];
  /** What the log does not tell, in sentences. */
  readonly notes: readonly string[];
}
