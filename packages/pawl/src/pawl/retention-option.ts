import { type Duration, durationMs } from '../core/duration.ts';
import { DEFAULT_RETENTION, type RetentionPolicy } from '../engine/retention/policy.ts';

type Kept = Duration | 'forever';

/** How long things are kept; what is left out is kept as long as by default. */
export type RetentionOption =
  | 'forever'
  | {
      /** Jobs and their events, from the job's end on; at least a day. Default: 30 days. */
      readonly jobs?: Kept;
      /** Heartbeats, progress, log lines. Default: a day. */
      readonly notes?: Kept;
      /** How far back the log of everything can be read; no longer than jobs. Default: 2 days. */
      readonly feed?: Kept;
      /** Past times of schedules. Default: 90 days. */
      readonly fires?: Kept;
      /** Default: 90 days. */
      readonly deadLetters?: Kept;
    };

const NAMES = ['jobs', 'notes', 'feed', 'fires', 'deadLetters'] as const;

export function retentionOf(given: RetentionOption): Partial<RetentionPolicy> {
  const msOf = (name: (typeof NAMES)[number], kept: Kept): number | null =>
    kept === 'forever' ? null : durationMs(kept, `/retention/${name}`);
  const policy: { -readonly [Name in keyof RetentionPolicy]?: number | null } = {};
  for (const name of NAMES) {
    const kept = given === 'forever' ? given : given[name];
    if (kept !== undefined) policy[`${name}Ms`] = msOf(name, kept);
  }
  // Who shortens the jobs need not know that the feed may not be longer.
  if (policy.feedMs === undefined && typeof policy.jobsMs === 'number') {
    policy.feedMs = Math.min(DEFAULT_RETENTION.feedMs!, policy.jobsMs);
  }
  return policy;
}
