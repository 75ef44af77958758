import type { Claim } from '../engine/claim.ts';

const REPORT_MS_MAX = 500;

/** At half of what is left; where a limit is near and nothing can be gained, not ever faster. */
export function renewAfter({ renewInMs }: Claim, leftMs: number): number {
  return Math.min(renewInMs, Math.max(leftMs / 2, renewInMs / 4));
}

/** A lease ends with its time-out, so a handler is ended a little earlier, to be reported. */
export function timeToReport(limitMs: number): number {
  return limitMs - Math.min(REPORT_MS_MAX, limitMs / 10);
}

/** From the claim on, by the database's clock. */
export function deadlineMs({ job, leaseMs }: Claim): number {
  if (job.deadlineAt === null || job.leaseExpiry === null) return Infinity;
  return job.deadlineAt - (job.leaseExpiry - leaseMs);
}
