import type { Instant } from '../core/clock.ts';
import type { JobRef } from '../core/job.ts';

/** The log of the database has another name: a standby has taken over, or a backup was restored. */
export interface LogChange {
  readonly from: string;
  readonly to: string;
  /** Whether the one follows on the other; false: this process has missed one in between. */
  readonly isContinued: boolean;
  /** The highest number that was there: what the former log had beyond it is lost. */
  readonly lastNumber: number;
}

/** A place in the history of one job. */
export interface JobPlace extends JobRef {
  readonly version: number;
  readonly note: number;
}

/** Of a database that can be away, and come back with another log, under a running process. */
export interface LogChanges {
  /** What was learnt of the former log is to be forgotten. */
  listen(onChange: (change: LogChange) => void): () => void;
  /**
   * Whether a former log of that name, as far as this one continues it, has told of the job what
   * this one tells up to there.
   */
  isKept(log: string, at: JobPlace): Promise<boolean>;
  /**
   * Since when the database can be written to without a break: nobody could renew a lease just
   * before. Null where a test has a time of its own.
   */
  backSince(): Promise<Instant | null>;
}
