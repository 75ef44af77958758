import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { get } from '../../api.ts';
import type { Page } from '../../page.ts';

const PAGE = 50;
/** A search goes on by itself while it has found nothing, but not for ever. */
const WINDOWS_MAX = 10;

/** A page of jobs, and whether it is as full as pages are. */
export interface Found extends Page<JobJson> {
  readonly isFull: boolean;
}

/** The next page that holds something, or how far nothing was found. */
export async function findJobs(query: Record<string, string>, cursor: string): Promise<Found> {
  let page = await get<Page<JobJson>>('./v1/jobs', { ...query, cursor, limit: PAGE });
  for (let n = 1; n < WINDOWS_MAX && page.items.length === 0 && page.nextCursor !== null; n++) {
    page = await get('./v1/jobs', { ...query, cursor: page.nextCursor, limit: PAGE });
  }
  return { ...page, isFull: page.items.length === PAGE };
}
