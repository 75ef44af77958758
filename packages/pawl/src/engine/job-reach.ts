import { type JobAccess, jobAccess, type Requester } from '../core/job-access.ts';
import type { Job, JobRef } from '../core/job.ts';
import { seenBy } from '../records/job-shares.ts';
import type { JobQuery } from '../store/query.ts';
import type { EngineContext } from './context.ts';

/** A job that a caller may look at, and whether it may change it too. */
export interface ReachedJob {
  readonly job: Job;
  readonly access: Exclude<JobAccess, 'none'>;
}

/** The jobs as far as the caller reaches: null for each that is not there, or not for it. */
export async function reachedJobs(
  { store, records }: EngineContext,
  requester: Requester,
  asked: { readonly refs: readonly JobRef[]; readonly isGuests?: (job: Job) => boolean },
): Promise<(ReachedJob | null)[]> {
  const { refs, isGuests = () => false } = asked;
  const jobs = await store.read(refs);
  const hasGroups = requester.reach === 'own' && requester.groups.length > 0;
  const shares = hasGroups ? await records.jobShares.of(refs) : [];
  return jobs.map((job, index) => {
    if (job === null) return null;
    const { requestedBy } = job;
    const sharedWith = shares[index] ?? [];
    const access = jobAccess(requester, { requestedBy, sharedWith, isGuests: isGuests(job) });
    return access === 'none' ? null : { job, access };
  });
}

/** What a list of jobs is narrowed to for a caller. Guests have no list. */
export function reachFilter({ principal, groups, reach }: Requester): Pick<JobQuery, 'seenBy'> {
  return reach === 'tenant' ? {} : { seenBy: seenBy(principal ?? '', groups) };
}
