import type { Job } from '../../core/job.ts';
import type { EngineContext } from '../context.ts';
import { childrenOf } from './children.ts';

/** A job that is to be undone, and the type that undoes it. */
export interface Undone {
  readonly job: Job;
  readonly type: string;
}

/**
 * What succeeded below a job that ended badly and can be undone, the last end first. What ended
 * badly itself is undone for its own sake.
 */
export async function succeededBelow(context: EngineContext, root: Job): Promise<Undone[]> {
  const found: Undone[] = [];
  const open = [root];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for await (const job of childrenOf(context, parent)) {
      if (job.phase !== 'succeeded') continue;
      open.push(job);
      const { compensation: type } = await context.registry.policy(job.policy);
      if (type !== undefined) found.push({ job, type });
    }
  }
  return found.toSorted((one, other) => other.job.completedAt! - one.job.completedAt!);
}
