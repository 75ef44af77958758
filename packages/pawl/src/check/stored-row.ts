import { isOwned, isTerminal } from '../core/phase.ts';
import type { JobInvariant } from './invariant.ts';
import { ofRow } from './violation.ts';

export const ownership: JobInvariant = {
  id: 'S1',
  sentence: 'a row has an owner and a lease exactly while it is leased or executing',
  check: ({ job }) => {
    const has = [job.owner !== null, job.leaseExpiry !== null];
    if (has.every((one) => one === isOwned(job.phase))) return [];
    const names = `owner ${job.owner ?? 'none'}, lease until ${job.leaseExpiry ?? 'never'}`;
    return [ofRow(`the row is ${job.phase} with ${names}`)];
  },
};

export const noWishAtEnd: JobInvariant = {
  id: 'S2',
  sentence: 'a row in a terminal phase has no pending cancel request',
  check: ({ job }) => {
    if (!isTerminal(job.phase) || job.cancel === null) return [];
    return [ofRow(`the row is ${job.phase} and still has a ${job.cancel.mode} cancel pending`)];
  },
};

export const success: JobInvariant = {
  id: 'S3',
  sentence: 'a succeeded row has progress 100 and no error',
  check: ({ job }) => {
    if (job.phase !== 'succeeded' || (job.progress === 100 && job.error === null)) return [];
    const error = job.error === null ? 'no error' : `the error ${job.error.class}`;
    return [ofRow(`the row succeeded with progress ${job.progress} and ${error}`)];
  },
};
