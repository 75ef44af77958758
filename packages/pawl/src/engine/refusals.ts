import { workerIn } from '../core/actor.ts';
import { PawlError } from '../core/errors.ts';
import type { Job, JobRef } from '../core/job.ts';

export function notFound(ref: JobRef): PawlError {
  return new PawlError('NOT_FOUND', `there is no job ${ref.id}`);
}

export function unknownType(type: string): PawlError {
  return new PawlError('UNKNOWN_TYPE', `the type "${type}" is not registered`);
}

/** A worker's name alone does not tell why, where another credential has claimed the job by it. */
function holderOf({ owner }: Job, asking: string): string {
  if (owner === null) return 'nobody';
  const isNamesake = owner !== asking && workerIn(owner) === workerIn(asking);
  const other = isNamesake ? ' with another credential: report with the one that claimed it' : '';
  return `"${workerIn(owner)}"${other}`;
}

export function leaseLost(job: Job, asking: string): PawlError {
  const holder = holderOf(job, asking);
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
  const owner = workerIn(job.owner ?? '');
  const lease = `the lease of "${owner}" on job ${job.id} at epoch ${job.epoch}`;
  return new PawlError('LEASE_LOST', `${lease} was not renewed in time${other}`, {
    details: { state: job.state, phase: job.phase, epoch: job.epoch },
  });
}
