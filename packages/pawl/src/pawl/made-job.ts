import type { EnqueueResult } from '../engine/enqueue.ts';
import type { MadeJob } from '../handle/job-access.ts';

/** What handles are made from. */
export function madeOf({ kind, job }: Exclude<EnqueueResult, { kind: 'refused' }>): MadeJob {
  return { id: job.id, type: job.type, outcome: kind };
}
