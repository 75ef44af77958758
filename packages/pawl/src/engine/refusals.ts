import { PawlError } from '../core/errors.ts';
import type { Job, JobRef } from '../core/job.ts';

export function notFound(ref: JobRef): PawlError {
  return new PawlError('NOT_FOUND', `there is no job ${ref.id}`);
}

export function unknownType(type: string): PawlError {
  return new PawlError('UNKNOWN_TYPE', `the type "${type}" is not registered`);
}

export function leaseLost(job: Job): PawlError {
  const holder = job.owner === null ? 'nobody' : `"${job.owner}"`;
  return new PawlError(
    'LEASE_LOST',
    `job ${job.id} is in ${job.state} at epoch ${job.epoch}, owned by ${holder}`,
    { details: { state: job.state, phase: job.phase, epoch: job.epoch } },
  );
}

/** The row still names the owner, but its deadline has passed by the database's clock. */
export function leaseExpired(job: Job): PawlError {
  return new PawlError(
    'LEASE_LOST',
    `the lease of "${job.owner}" on job ${job.id} at epoch ${job.epoch} was not renewed in time`,
    { details: { state: job.state, phase: job.phase, epoch: job.epoch } },
  );
}
