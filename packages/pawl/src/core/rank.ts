import type { Instant } from './clock.ts';

export const PRIORITY_NORMAL = 0;
export const PRIORITY_HIGH = 100;

/** Two sub-queues of each queue: jobs of at least the high priority, and the others. */
export type PriorityClass = 'normal' | 'high';

export function priorityClassOf(priority: number): PriorityClass {
  return priority >= PRIORITY_HIGH ? 'high' : 'normal';
}

/** How long a job must have waited to be worth one point of priority more. */
export const AGING_MS = 30_000;

/**
 * Where a job stands in line: the earlier, the sooner. A point of priority is worth a head start of
 * AGING_MS, so that nothing starves, and the order of two jobs never changes while they wait.
 */
export function rankAtOf(job: { readonly priority: number; readonly runAt: Instant }): Instant {
  return job.runAt - job.priority * AGING_MS;
}
