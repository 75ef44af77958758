import type { DeadLetterJson } from '../../pawl/src/contract/dead-letter.ts';
import type { JobJson } from '../../pawl/src/contract/job.ts';
import { get } from './api.ts';
import { may } from './me.ts';
import type { Page } from './page.ts';

/** The dead letters of jobs, as far as they have any. */
export async function lettersOf(jobs: readonly Pick<JobJson, 'id'>[]): Promise<DeadLetterJson[]> {
  if (!may('dlq:read')) return [];
  const found = await Promise.all(
    jobs.map(({ id }) => get<Page<DeadLetterJson>>('./v1/dlq', { jobId: id, limit: 1 })),
  );
  return found.flatMap(({ items }) => items);
}
