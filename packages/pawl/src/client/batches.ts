import type { JobWish } from '../handle/enqueue-options.ts';
import type { BatchJobJson } from '../contract/enqueue.ts';
import { keyedWireJob } from './wire-job.ts';

/** As many jobs as one request can make. */
export const BATCH_MAX = 1_000;

/** A request is at most a mebibyte unless the server was told otherwise; some of it is not jobs. */
const BATCH_LENGTH_MAX = 900_000;

/** What is sent together, in order; as a whole, all of it is. */
export function batchesOf(wishes: readonly JobWish[], isWhole = false): BatchJobJson[][] {
  const jobs = wishes.map(keyedWireJob);
  if (isWhole) return [jobs];
  const batches: BatchJobJson[][] = [];
  let room = 0;
  for (const job of jobs) {
    const length = JSON.stringify(job).length;
    room -= length;
    const last = batches.at(-1);
    if (last === undefined || room < 0 || last.length === BATCH_MAX) {
      batches.push([job]);
      room = BATCH_LENGTH_MAX - length;
    } else last.push(job);
  }
  return batches;
}
