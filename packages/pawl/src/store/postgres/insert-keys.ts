import type { NewJob } from '../insert.ts';

/** Every id and key that an insert is about to take. */
export function keysOfJob(job: NewJob): string[] {
  const keys = [JSON.stringify(['id', job.tenant, job.id])];
  if (job.idempotency !== null) {
    keys.push(JSON.stringify(['key', job.tenant, job.idempotency.key]));
  }
  return keys;
}
