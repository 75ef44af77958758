import type { Instant } from '../../core/clock.ts';

/**
 * One attempt: from when it could begin, and when it began and ended. Null: not by the end of the
 * stretch. One that ended without having begun left its line, as a cancelled job does.
 */
export interface AttemptTimes {
  readonly dueAt: Instant;
  readonly startedAt: Instant | null;
  readonly endedAt: Instant | null;
}

/** When what happened to a job, really or in a simulation. */
export interface Timeline {
  readonly type: string;
  readonly queue: string;
  readonly attempts: readonly AttemptTimes[];
  /** When the job ended; null: it had not by the end of the stretch. */
  readonly endedAt: Instant | null;
}

/** A stretch of time, without its last moment. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}
