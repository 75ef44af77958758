import { defineJob } from './define-job.ts';

/**
 * `defineJob` for types with a fixed retry policy: only the lists of the type decide what is
 * retried, whatever a worker reports.
 */
export const defineFixedRetryJob: typeof defineJob = (type, options) => {
  const job = defineJob(type, options);
  return { ...job, policy: { ...job.policy, isRetryFixed: true } };
};
