import { useRef } from 'preact/hooks';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';

export interface HeldList {
  readonly jobs: readonly JobJson[];
  /** How many came since the list was held. */
  readonly newer: number;
}

/**
 * The list as it came, or, while the user works on it, the jobs that were there when that began, as
 * they stand now: rows must not move away from under a hand that chooses them.
 */
export function useHeldList(jobs: readonly JobJson[], isHeld: boolean): HeldList {
  const kept = useRef(jobs);
  if (!isHeld) {
    kept.current = jobs;
    return { jobs, newer: 0 };
  }
  const fresh = new Map(jobs.map((job) => [job.id, job]));
  kept.current = kept.current.map((job) => fresh.get(job.id) ?? job);
  const newest = kept.current[0];
  const at = jobs.findIndex(({ id }) => id === newest?.id);
  return { jobs: kept.current, newer: at < 0 ? jobs.length : at };
}
