import { childIdOf } from '../../core/ids.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import { CHUNK, type ChildrenWait } from '../../records/flows.ts';
import type { EngineContext } from '../context.ts';
import type { ChildResult } from '../../core/flow.ts';
import type { OverChunks } from './open-sets.ts';

/** A child at its key: the job that stands for it now, and whether the wait is over for it. */
export interface Child {
  readonly key: string;
  readonly id: string;
  /** Null: it was never made. */
  readonly job: Job | null;
  readonly end: 'succeeded' | 'failed' | null;
}

type Parent = Pick<Job, 'tenant' | 'id' | 'createdAt'>;

export function childIds(parent: Parent, wait: string, keys: readonly string[]): string[] {
  return keys.map((key) => childIdOf(parent, wait, key));
}

/** Children as they stand, in the order of the keys. */
export async function readChildren(
  context: EngineContext,
  parent: Parent,
  asked: { wait: string; keys: readonly string[]; onFailure: ChildrenWait['onFailure'] },
): Promise<Child[]> {
  const { wait, keys, onFailure } = asked;
  const ids = childIds(parent, wait, keys);
  const jobs = await context.store.read(ids.map((id) => ({ tenant: parent.tenant, id })));
  const children: Child[] = [];
  for (const [index, key] of keys.entries()) {
    const job = jobs[index] ?? null;
    const stand = job === null || onFailure !== 'hold' ? job : await standIn(context, job);
    children.push({ key, id: ids[index]!, job: stand ?? job, end: stand && endOf(stand) });
  }
  return children;
}

/** How a job ended, for those who wait for it; null while it has not. */
export function endOf({ phase }: Pick<Job, 'phase'>): Child['end'] {
  if (!isTerminal(phase)) return null;
  return phase === 'succeeded' ? 'succeeded' : 'failed';
}

/**
 * The job that stands for another one after replays of its dead letters; null while a dead letter
 * waits to be replayed.
 */
export async function standIn(context: EngineContext, first: Job): Promise<Job | null> {
  const { records, store } = context;
  let job = first;
  for (;;) {
    if (endOf(job) !== 'failed') return job;
    const { tenant, id: jobId } = job;
    const [letter] = await records.deadLetters.list({ tenant, jobId, limit: 1 });
    if (letter === undefined) return job;
    if (letter.replayedAs === null) return null;
    const [next] = await store.read([{ tenant, id: letter.replayedAs }]);
    if (!next) return job;
    job = next;
  }
}

export function resultOf({ key, id, job, end }: Child): ChildResult {
  const ok = end === 'succeeded';
  return {
    key,
    id: job?.id ?? id,
    ok,
    result: ok ? (job?.result ?? null) : null,
    error: ok ? null : (job?.error ?? endError(job)),
  };
}

/** What is said of a child that ended without an error of its own, as a cancelled one may. */
function endError(job: Job | null): ChildResult['error'] {
  const message = job === null ? 'the job was never made' : `the job ended as ${job.state}`;
  const name = job?.phase === 'cancelled' ? 'cancelled' : 'ended_without_result';
  return { class: name, message, code: null, stage: null, retryable: false };
}

/** How children ended, in the order of the keys; null of one that has not, or was never made. */
async function endsOf(
  context: EngineContext,
  parent: Parent,
  asked: { wait: string; keys: readonly string[]; onFailure: ChildrenWait['onFailure'] },
): Promise<Child['end'][]> {
  const { wait, keys, onFailure } = asked;
  const refs = childIds(parent, wait, keys).map((id) => ({ tenant: parent.tenant, id }));
  const phases = await context.store.read(refs, 'phase');
  const ends = phases.map((phase) => (phase === null ? null : endOf({ phase })));
  if (onFailure !== 'hold') return ends;
  const failed = keys.filter((_, index) => ends[index] === 'failed');
  const held =
    failed.length === 0 ? [] : await readChildren(context, parent, { ...asked, keys: failed });
  const heldEnds = new Map(held.map(({ key, end }) => [key, end]));
  return ends.map((end, index) => heldEnds.get(keys[index]!) ?? (end === 'failed' ? null : end));
}

/** How a set of children stands, all counted; `oldest` is the first that is open. */
export async function countSet(
  context: EngineContext,
  parent: Parent,
  { wait, set }: { wait: string; set: ChildrenWait },
): Promise<{ succeeded: number; failed: number; open: number; oldest: string | null }> {
  const { onFailure } = set;
  const counts = { succeeded: 0, failed: 0, open: 0 };
  let oldest: string | null = null;
  for await (const keys of context.records.flows.chunks(parent, wait, set.count)) {
    const ends = await endsOf(context, parent, { wait, keys, onFailure });
    for (const [index, end] of ends.entries()) {
      counts[end ?? 'open'] += 1;
      if (end === null) oldest ??= childIdOf(parent, wait, keys[index]!);
    }
  }
  return { ...counts, oldest };
}

export interface SetState {
  readonly isDecided: boolean;
  readonly succeeded: number;
  readonly failed: number;
  /** Keys of open children, all of one chunk; none where all have ended. */
  readonly open: readonly string[];
  readonly over: OverChunks;
}

/**
 * Whether a set of children is decided. The chunks are read from the last one, which is begun last,
 * and only as far as it takes to know. What `known` says is over is not read again.
 */
export async function setState(
  context: EngineContext,
  parent: Parent,
  asked: { wait: string; set: ChildrenWait; known?: OverChunks | null },
): Promise<SetState> {
  const { wait, set, known = null } = asked;
  const { onFailure, count } = set;
  const last = Math.ceil(count / CHUNK);
  let over = known?.count === count ? known : { count, below: last, succeeded: 0, failed: 0 };
  if (set.ended !== null) return { isDecided: true, ...set.ended, open: [], over };
  // Where a failure decides, one is looked for everywhere; later ones are told by their entries.
  const isSearch = onFailure === 'failFast' && over !== known;
  let open: readonly string[] = [];
  let failed = over.failed;
  for (let number = over.below - 1; number >= 0; number--) {
    const keys = (await context.records.flows.chunk(parent, wait, number))?.keys ?? [];
    const ends = await endsOf(context, parent, { wait, keys, onFailure });
    const own = ends.filter((end) => end === 'failed').length;
    const left = keys.filter((_, index) => ends[index] === null);
    failed += own;
    if (open.length === 0 && left.length > 0) open = left;
    else if (open.length === 0) {
      const succeeded = over.succeeded + keys.length - own;
      over = { count, below: number, succeeded, failed };
    }
    if (open.length > 0 && !(isSearch && failed === 0)) break;
  }
  const isOver = set.isComplete && open.length === 0;
  const isDecided = isOver || (onFailure === 'failFast' && failed > 0);
  return { isDecided, succeeded: over.succeeded, failed, open, over };
}

/** A job and those that wait for it, the nearest first, up to the root. */
export async function lineOf(context: EngineContext, job: Job): Promise<Job[]> {
  const line = [job];
  for (;;) {
    const { tenant, awaitedBy } = line.at(-1)!;
    if (awaitedBy === null) return line;
    const above: JobRef = { tenant, id: awaitedBy.jobId };
    const [next] = await context.store.read([above]);
    if (!next) return line;
    line.push(next);
  }
}

/** The jobs in all sets of a job, as they stand. */
export async function* childrenOf(context: EngineContext, ref: JobRef): AsyncGenerator<Job> {
  const [parent] = await context.store.read([ref]);
  if (!parent) return;
  for (const { name, wait } of await context.records.flows.allWaits(ref)) {
    if (wait.kind !== 'children') continue;
    const { onFailure, count } = wait;
    for await (const keys of context.records.flows.chunks(ref, name, count)) {
      const children = await readChildren(context, parent, { wait: name, keys, onFailure });
      for (const { job } of children) if (job !== null) yield job;
    }
  }
}
