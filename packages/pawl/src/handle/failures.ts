import type { JobType } from '../handler/job-type.ts';
import type { JobHandle } from './job-handle.ts';
import type { DeadLetterSnapshot, JobSnapshot, Page, Paging } from './job-snapshot.ts';

/** Failed jobs with the same cause: the same type and error class, and similar messages. */
export interface FailureCause {
  readonly fingerprint: string;
  readonly type: string;
  /** The class, the code and the message of the latest of them. */
  readonly class: string;
  readonly code: string;
  readonly message: string;
  /** Why it was not retried, and what to change; null where its attempts were used up. */
  readonly hint: string | null;
  readonly count: number;
  /** How many of them have a dead letter. */
  readonly deadLetters: number;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  /** The latest of them. */
  readonly jobId: string;
}

/** By what failed and dead jobs are found. */
export interface FailureFilter {
  readonly type?: JobType | string;
  readonly queue?: string;
  readonly fingerprint?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

/** What came of one job of many that were to be run again or replayed. */
export type ManyResult =
  | { readonly id: string; readonly ok: true; readonly job: JobHandle }
  | { readonly id: string; readonly ok: false; readonly error: Error };

/** The outcome of a call on many jobs, one entry for each job. */
export interface ManyResults {
  readonly results: readonly ManyResult[];
  /** There are more: ask again, with this cursor where there is one. */
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** Failed jobs, with or without a dead letter; only the newest few thousand are read. */
export interface Failures {
  /** Grouped by cause, the latest first. */
  causes(filter?: FailureFilter): Promise<readonly FailureCause[]>;
  /** The jobs of one cause, or of a filter, newest first. */
  jobs(cause: string | FailureCause | FailureFilter, paging?: Paging): Promise<Page<JobSnapshot>>;
  /** Runs those again that were neither run again nor replayed yet. */
  rerun(
    filter: FailureFilter | { readonly ids: readonly string[] },
    options?: Paging & {
      /** The new jobs keep the results of finished stages, as `JobHandle.rerun` does. */
      readonly keep?: boolean;
    },
  ): Promise<ManyResults>;
}

export interface DeadLetterFilter extends Paging {
  readonly jobId?: string;
  readonly type?: JobType | string;
  readonly reasonCode?: string;
  readonly fingerprint?: string;
  readonly isReplayed?: boolean;
}

/** The dead-letter queue: list, read and replay dead letters. */
export interface DeadLetters {
  /** Newest first. */
  list(filter?: DeadLetterFilter): Promise<Page<DeadLetterSnapshot>>;
  get(id: string): Promise<DeadLetterSnapshot>;
  /** Makes a new job from a dead letter, once: asking again answers with that job. */
  replay(id: string, options?: { readonly input?: unknown }): Promise<JobHandle>;
  replayMany(
    asked: (
      | { readonly ids: readonly string[] }
      | { readonly filter: Omit<DeadLetterFilter, keyof Paging | 'jobId' | 'isReplayed'> }
    ) & {
      /** Spreads the new jobs over time. */
      readonly perSecond?: number;
    },
  ): Promise<ManyResults>;
}
