import type { Instant } from '../../core/clock.ts';
import { type Fault, invalid } from '../../core/errors.ts';
import type { Purge } from '../../store/retention.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long each kind of record is kept; null for ever. */
export interface RetentionPolicy {
  /** Jobs and their events, from the job's end on. At least 24 hours. */
  readonly jobsMs: number | null;
  /** Heartbeats, progress, log lines. */
  readonly notesMs: number | null;
  /** How far back the firehose can be read; no longer than jobs are. */
  readonly feedMs: number | null;
  /** Idempotency and unique keys, from the end of their window on. */
  readonly keysMs: number | null;
  readonly firesMs: number | null;
  readonly deadLettersMs: number | null;
}

export const DEFAULT_RETENTION: RetentionPolicy = {
  jobsMs: 30 * DAY_MS,
  notesMs: DAY_MS,
  feedMs: 2 * DAY_MS,
  keysMs: 0,
  firesMs: 90 * DAY_MS,
  deadLettersMs: 90 * DAY_MS,
};

/** A client that was away for a day can still read how its jobs ended. */
const EVENTS_MS_MIN = DAY_MS;

/** The defaults with what is given in their place; refuses what would break a promise. */
export function retentionPolicy(given: Partial<RetentionPolicy> = {}): RetentionPolicy {
  const policy = { ...DEFAULT_RETENTION, ...given };
  const faults: Fault[] = Object.entries(policy)
    .filter(([, ms]) => ms !== null && !(Number.isSafeInteger(ms) && ms >= 0))
    .map(([name]) => ({ pointer: `/${name}`, message: 'must be milliseconds from 0, or null' }));
  const { jobsMs, feedMs } = policy;
  if (jobsMs !== null && jobsMs < EVENTS_MS_MIN) {
    faults.push({ pointer: '/jobsMs', message: 'must be at least 24 hours' });
  }
  if (jobsMs !== null && (feedMs === null || feedMs > jobsMs)) {
    // Else the feed would name events that are gone, and a reader would miss them unawares.
    faults.push({ pointer: '/feedMs', message: 'must not be longer than jobsMs' });
  }
  if (faults.length > 0) throw invalid(faults);
  return policy;
}

/** What may go, in the jobs' tables and of records. */
export interface Cuts extends Omit<Purge, 'limit'> {
  readonly fires: Instant | null;
  readonly deadLetters: Instant | null;
}

/** What may go by that time. */
export function cutsAt(policy: RetentionPolicy, now: Instant): Cuts {
  const before = (ms: number | null): Instant | null => (ms === null ? null : now - ms);
  return {
    jobs: before(policy.jobsMs),
    notes: before(policy.notesMs),
    feed: before(policy.feedMs),
    keys: before(policy.keysMs),
    fires: before(policy.firesMs),
    deadLetters: before(policy.deadLettersMs),
  };
}
