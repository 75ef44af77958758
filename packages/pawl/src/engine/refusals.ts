import { PawlError } from '../core/errors.ts';
import type { Job, JobRef } from '../core/job.ts';

export function notFound(ref: JobRef): PawlError {
  return new PawlError('NOT_FOUND', `there is no job ${ref.id}`);
}

export function leaseLost(job: Job): PawlError {
  const holder = job.owner === null ? 'nobody' : `"${job.owner}"`;
  return new PawlError(
    'LEASE_LOST',
    `job ${job.id} is in ${job.state} at epoch ${job.epoch}, owned by ${holder}`,
    { details: { state: job.state, phase: job.phase, epoch: job.epoch } },
  );
}

/**
 * The row still names the owner, but its deadline has passed by the database's clock, or the token
 * that was shown is of another claim.
 */
export function leaseExpired(job: Job, token?: string | null): PawlError {
  const other = (token ?? null) === null ? '' : ', or `token` is not that of its claim';
  const lease = `the lease of "${job.owner}" on job ${job.id} at epoch ${job.epoch}`;
  return new PawlError(
    'LEASE_LOST',
    `${lease} was not renewed in time${other}: stop, the job is taken back`,
    { details: { state: job.state, phase: job.phase, epoch: job.epoch } },
  );
}
