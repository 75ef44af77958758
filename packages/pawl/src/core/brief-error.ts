import type { JobEvent } from './event.ts';
import type { Job, JobError } from './job.ts';

/** An error as lists and streams of many jobs show it: its parts that may be long are left out. */
export function briefError(error: JobError): JobError {
  const { class: errorClass, message, code, stage, retryable, hint } = error;
  const brief = { class: errorClass, message, code, stage, retryable };
  return hint === undefined ? brief : { ...brief, hint };
}

export function briefJob(job: Job): Job {
  return job.error === null ? job : { ...job, error: briefError(job.error) };
}

export function briefEvent(event: JobEvent): JobEvent {
  const error = event.payload?.['error'] as JobError | null | undefined;
  if (error === null || error === undefined) return event;
  return { ...event, payload: { ...event.payload, error: briefError(error) } };
}
