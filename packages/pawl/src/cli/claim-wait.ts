import { leaseWindowMs } from '../core/lease.ts';
import type { JobDefinition } from '../handler/define-job.ts';

const WAIT_MS_MAX = 10_000;

/**
 * How long an empty claim waits at the server. A worker counts a lease from the moment it asked,
 * since only that is safe; so the wait must be short beside the shortest lease, or a job that comes
 * at its end would seem lost already.
 */
export function claimWaitMs(jobs: readonly Pick<JobDefinition, 'lifecycle' | 'policy'>[]): number {
  const windows = jobs.map(({ lifecycle, policy }) =>
    leaseWindowMs({ ...lifecycle.defaults.lease, ...policy.lease }),
  );
  return Math.min(WAIT_MS_MAX, ...windows.map((ms) => Math.floor(ms / 4)));
}
