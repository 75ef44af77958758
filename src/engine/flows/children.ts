import { childIdOf } from '../../core/ids.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import type { ChildrenWait } from '../../records/flows.ts';
import type { EngineContext } from '../context.ts';
import type { ChildResult } from '../../core/flow.ts';

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

export interface SetState {
  readonly isDecided: boolean;
  readonly succeeded: number;
  readonly failed: number;
  readonly open: readonly string[];
}

/**
 * How a set of children stands. Unless `isFull`, the look ends as soon as it is clear whether the
 * wait is decided.
 */
export async function setState(
  context: EngineContext,
  parent: Parent,
  asked: { wait: string; set: ChildrenWait; isFull: boolean },
): Promise<SetState> {
  const { wait, set, isFull } = asked;
  const { onFailure } = set;
  const open: string[] = [];
  let succeeded = 0;
  let failed = 0;
  if (set.ended !== null && !isFull) return { isDecided: true, ...set.ended, open };
  for await (const keys of context.records.flows.chunks(parent, wait, set.count)) {
    for (const child of await readChildren(context, parent, { wait, keys, onFailure })) {
      if (child.end === null) open.push(child.id);
      else if (child.end === 'succeeded') succeeded += 1;
      else failed += 1;
    }
    const isClear = onFailure === 'failFast' ? failed > 0 : open.length > 0;
    if (isClear && !isFull) break;
  }
  const isOver = set.isComplete && open.length === 0;
  const isDecided = isOver || (onFailure === 'failFast' && failed > 0);
  return { isDecided, succeeded, failed, open };
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
