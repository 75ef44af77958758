/**
 * The roles of a process: `api` answers requests, `worker` runs the jobs of a module, `sweeper`
 * does periodic duties (retries, lost leases, schedules, webhooks, retention).
 */
export const PROCESS_ROLES = ['api', 'worker', 'sweeper'] as const;

/** What a process does: `api`, `worker` or `sweeper`. */
export type ProcessRole = (typeof PROCESS_ROLES)[number];
