import { briefError, briefJob } from '../core/brief-error.ts';
import type { Requester } from '../core/job-access.ts';
import { type DeadLetter, type DeadLetterFilter, lettersWith } from '../records/dead-letters.ts';
import type { JobPage, JobQuery } from '../store/query.ts';
import type { EngineContext } from './context.ts';
import { reachFilter } from './job-reach.ts';

/** With `fingerprint`: those that have a dead letter of it. */
export interface JobSearch extends Omit<JobQuery, 'seenBy'> {
  readonly fingerprint?: string;
  /** Whose list it is, where callers see different jobs; left out: all of the tenant's. */
  readonly requester?: Requester;
}

/** Jobs, their errors without stack, causes and details: those are told of one job at a time. */
export async function listJobs(
  { store }: EngineContext,
  { fingerprint, requester, ...query }: JobSearch,
): Promise<JobPage> {
  const record = fingerprint === undefined ? {} : { record: lettersWith(fingerprint) };
  const seen = requester === undefined ? {} : reachFilter(requester);
  const page = await store.list({ ...query, ...record, ...seen });
  return { ...page, jobs: page.jobs.map(briefJob) };
}

/** As with jobs, the whole of an error is told to who asks for one of them by its id. */
export async function listDeadLetters(
  { records }: EngineContext,
  filter: DeadLetterFilter,
): Promise<DeadLetter[]> {
  const letters = await records.deadLetters.list(filter);
  if (filter.id !== undefined) return letters;
  return letters.map((letter) => ({ ...letter, lastError: briefError(letter.lastError) }));
}
