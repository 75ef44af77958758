import { SYSTEM_ACTOR } from '../../core/actor.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { ChildrenWait } from '../../records/flows.ts';
import type { EngineContext } from '../context.ts';
import { cancel } from '../operate.ts';
import { readChildren } from './children.ts';

const BATCH = 500;

/** Cancels the open children of a set. A child's own children follow when it has ended. */
export async function cancelSet(
  context: EngineContext,
  parent: Job,
  { wait, set, reason }: { wait: string; set: ChildrenWait; reason: string },
): Promise<number> {
  const { onFailure } = set;
  let count = 0;
  for await (const keys of context.records.flows.chunks(parent, wait, set.count)) {
    const children = await readChildren(context, parent, { wait, keys, onFailure });
    const open = children.flatMap(({ job, end }) => (job !== null && end === null ? [job] : []));
    for (let start = 0; start < open.length; start += BATCH) {
      count += await cancelJobs(context, open.slice(start, start + BATCH), reason);
    }
  }
  return count;
}

/** One that has ended meanwhile is refused, and is as it should be. */
async function cancelJobs(
  context: EngineContext,
  jobs: readonly JobRef[],
  reason: string,
): Promise<number> {
  const results = await cancel(
    context,
    jobs.map((ref) => ({ ref, actor: SYSTEM_ACTOR, mode: 'soft' as const, reason })),
  );
  const failed = results.find(
    (one) => one.kind === 'refused' && one.error.code === 'STORE_UNAVAILABLE',
  );
  if (failed?.kind === 'refused') throw failed.error;
  return results.filter((one) => one.kind !== 'refused').length;
}

/** The parent has ended, however: its open children end too, unless they were to outlive it. */
export async function cancelChildren(context: EngineContext, parent: Job): Promise<number> {
  let count = 0;
  for (const { name, wait } of await context.records.flows.allWaits(parent)) {
    if (wait.kind !== 'children' || wait.onParentEnd !== 'cancel' || wait.ended !== null) continue;
    const reason = `job ${parent.id}, which waited for it, ended as ${parent.state}`;
    count += await cancelSet(context, parent, { wait: name, set: wait, reason });
  }
  return count;
}
