import type { DeadLetterJson } from '../../src/http/schema/dead-letter.ts';
import type { JobJson } from '../../src/http/schema/job.ts';
import { get } from './api.ts';
import type { Page } from './page.ts';

const PAGE = 500;

async function lettersOfType(type: string, ids: Set<string>): Promise<DeadLetterJson[]> {
  const found: DeadLetterJson[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<DeadLetterJson> = await get('./v1/dlq', { type, limit: PAGE, cursor });
    found.push(...page.items.filter(({ jobId }) => ids.delete(jobId)));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && ids.size > 0);
  return found;
}

/** The dead letters of jobs, as far as they have any. */
export async function lettersOf(
  jobs: readonly Pick<JobJson, 'id' | 'type'>[],
): Promise<DeadLetterJson[]> {
  const byType = Map.groupBy(jobs, ({ type }) => type);
  const found = await Promise.all(
    [...byType].map(([type, own]) => lettersOfType(type, new Set(own.map(({ id }) => id)))),
  );
  return found.flat();
}
