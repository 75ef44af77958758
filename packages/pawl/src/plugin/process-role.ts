/**
 * What a process of the platform does: answer requests, run the jobs of a module, or do
 * what is due (retries, lost leases, schedules, webhooks, retention).
 */
export const PROCESS_ROLES = ['api', 'worker', 'sweeper'] as const;

/** What a process does: `api`, `worker` or `sweeper`. */
export type ProcessRole = (typeof PROCESS_ROLES)[number];
