import { defineJob } from './define-job.ts';

/**
 * `defineJob` for types whose document lists what is retried: these lists alone decide, whatever a
 * worker says of an error.
 */
export const defineFixedRetryJob: typeof defineJob = (type, options) => {
  const job = defineJob(type, options);
  return { ...job, policy: { ...job.policy, isRetryFixed: true } };
};
