/**
 * What a process of the platform does: answer requests, run the jobs of a module, or see to what
 * comes due by itself (retries, lost leases, schedules, webhooks, retention).
 */
export const PROCESS_ROLES = ['api', 'worker', 'sweeper'] as const;

export type ProcessRole = (typeof PROCESS_ROLES)[number];
