// What must hold of trees, whoever died while they grew.
import type { JobEvent } from '../../../src/core/event.ts';
import type { Job } from '../../../src/core/job.ts';
import { isOwned } from '../../../src/core/phase.ts';
import { recordsOf } from '../../../src/records/records.ts';
import type { Store } from '../../../src/store/store.ts';

interface Left {
  readonly jobs: readonly Job[];
  readonly events: readonly JobEvent[];
}

export async function judgeTrees(store: Store, left: Left): Promise<string[]> {
  const byId = new Map(left.jobs.map((job) => [job.id, job]));
  const events = Map.groupBy(left.events, ({ jobId }) => jobId);
  const places = new Set<string>();
  const problems: string[] = [];
  for (const job of left.jobs) {
    problems.push(...(await judgeWaits(store, job, byId)));
    const { awaitedBy } = job;
    if (awaitedBy === null) continue;
    const place = JSON.stringify([awaitedBy.jobId, awaitedBy.wait, awaitedBy.key]);
    if (places.has(place)) problems.push(`T1 ${job.id}: the place ${place} is taken twice`);
    places.add(place);
    const parent = byId.get(awaitedBy.jobId);
    if (parent === undefined) problems.push(`T1 ${job.id}: its parent is not there`);
    else problems.push(...judgeBirth(job, parent, events.get(parent.id) ?? []));
  }
  return problems;
}

/** A child is born while somebody owns its parent, and nobody has asked for its end. */
function judgeBirth(child: Job, parent: Job, all: readonly JobEvent[]): string[] {
  // Where turns are quiet nobody sees who owned it when.
  if (parent.lifecycle === 'process') return [];
  const events = all.filter(({ note }) => note === 0);
  const before = events.filter(({ at }) => at <= child.createdAt);
  const isOwnedThen = before.some(
    (event, index) =>
      isOwned(event.phase) &&
      (index + 1 === before.length || events[index + 1]!.at >= child.createdAt),
  );
  const wish = events.find(({ type }) => type === 'job_cancel_requested');
  const problems: string[] = [];
  if (!isOwnedThen) problems.push(`T2 ${child.id} was born when nobody owned ${parent.id}`);
  if (wish !== undefined && wish.at < child.createdAt) {
    problems.push(`T3 ${child.id} was born after ${parent.id} was asked to end`);
  }
  return problems;
}

/** Each message has one taker, and the counts of a set are those of its jobs. */
async function judgeWaits(
  store: Store,
  job: Job,
  byId: ReadonlyMap<string, Job>,
): Promise<string[]> {
  const { flows } = recordsOf(store);
  const taken = new Set<number>();
  const problems: string[] = [];
  const all = [...byId.values()];
  for (const { name, wait } of await flows.allWaits(job)) {
    if (wait.kind === 'message' && wait.taken !== null) {
      if (taken.has(wait.taken)) problems.push(`T4 ${job.id} took message ${wait.taken} twice`);
      taken.add(wait.taken);
    }
    if (wait.kind !== 'children') continue;
    const own = all.filter((one) => one.awaitedBy?.jobId === job.id && one.awaitedBy.wait === name);
    const [total, good] = [own.length, own.filter(({ phase }) => phase === 'succeeded').length];
    if (total !== wait.count) problems.push(`T5 ${job.id} ${name}: ${total} of ${wait.count} jobs`);
    if (wait.ended !== null && wait.ended.succeeded !== good) {
      problems.push(`T5 ${job.id} ${name}: ${wait.ended.succeeded} counted, ${good} succeeded`);
    }
  }
  return problems;
}
