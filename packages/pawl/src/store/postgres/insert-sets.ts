import { rankOf } from '../../core/phase.ts';
import type { NewJob } from '../insert.ts';
import { placeCode } from './dictionary.ts';
import { keysOfJob } from './insert-keys.ts';
import { wireLabels } from './labels.ts';
import type { Session } from './session.ts';

export interface Numbered {
  readonly job: NewJob;
  readonly ord: number;
}

interface Parts {
  readonly sets: readonly JobSet[];
  readonly rest: readonly Numbered[];
}

/** Those with nothing in their way as sets, and the others with their place in the call. */
export function partsOf(session: Session, jobs: readonly NewJob[]): Parts {
  const isTangled = hasRepeats(jobs);
  const isOfSet = (job: NewJob): boolean => !isTangled && isFree(session, job);
  return {
    sets: setsOf(session, jobs.filter(isOfSet)),
    rest: jobs.flatMap((job, ord) => (isOfSet(job) ? [] : [{ job, ord }])),
  };
}

/** Jobs that differ in nothing but what is their own. */
export interface JobSet {
  readonly common: string;
  readonly jobs: NewJob[];
}

export function setsOf(session: Session, jobs: readonly NewJob[]): JobSet[] {
  const sets = new Map<string, JobSet>();
  let last: { readonly job: NewJob; readonly set: JobSet; readonly isOther: boolean } | null = null;
  for (const job of jobs) {
    const isOther = session.isOther(job.id);
    if (last !== null && isOther === last.isOther && isLike(last.job, job)) {
      last.set.jobs.push(job);
      continue;
    }
    const common = commonOf(session, job);
    const set = sets.get(common) ?? { common, jobs: [] };
    sets.set(common, set);
    set.jobs.push(job);
    last = { job, set, isOther };
  }
  return [...sets.values()];
}

/** Whether two jobs agree where a set says it once. Name by name: it is asked of each job. */
function isLike(one: NewJob, other: NewJob): boolean {
  const [place, last] = [one.places.at(-1)!, other.places.at(-1)!];
  return (
    one.tenant === other.tenant &&
    one.type === other.type &&
    one.queue === other.queue &&
    one.lifecycle === other.lifecycle &&
    one.lifecycleVersion === other.lifecycleVersion &&
    one.policy === other.policy &&
    one.priority === other.priority &&
    one.runAt === other.runAt &&
    one.deadlineAt === other.deadlineAt &&
    one.actor === other.actor &&
    one.places.length === other.places.length &&
    place.state === last.state &&
    place.phase === last.phase
  );
}

function commonOf(session: Session, job: NewJob): string {
  return JSON.stringify({ ...headOf(session, job), version: job.places.length });
}

export function headOf(session: Session, job: NewJob): Record<string, unknown> {
  const { names } = session;
  const lifecycle = names.lifecycle(job);
  const [first, last] = [job.places[0]!, job.places.at(-1)!];
  return {
    is_other: session.isOther(job.id),
    tenant: names.tenant(job.tenant),
    lane: names.lane(job),
    lifecycle: lifecycle.number,
    policy: job.policy,
    state: placeCode(lifecycle, last),
    phase: rankOf(last.phase),
    via_state: job.places.length > 1 ? placeCode(lifecycle, first) : undefined,
    priority: job.priority,
    run_at: job.runAt ?? undefined,
    deadline_at: job.deadlineAt ?? undefined,
    actor: job.actor,
  };
}

/** True of a job that nothing but a taken id can stand in the way of. */
export function isFree(session: Session, job: NewJob): boolean {
  const { idempotency, unique, stages, policy } = job;
  const isPlain = idempotency === null && unique === undefined && stages === undefined;
  return isPlain && !session.names.isLimited(policy);
}

export function hasRepeats(jobs: readonly NewJob[]): boolean {
  if (jobs.length === 1) return false;
  const hasKeys = jobs.some(({ idempotency }) => idempotency !== null);
  if (!hasKeys && (isAscending(jobs) || new Set(jobs.map(({ id }) => id)).size === jobs.length))
    return false;
  const keys = jobs.flatMap(keysOfJob);
  return new Set(keys).size < keys.length;
}

/** As ids come that one process makes one after the other: then no two are the same. */
function isAscending(jobs: readonly NewJob[]): boolean {
  return jobs.every(({ id }, index) => index === 0 || jobs[index - 1]!.id < id);
}

/** What a job of a set may have of its own; null where none has anything. */
function ownOf(jobs: readonly NewJob[]): string | null {
  const own: object[] = [];
  for (const [index, job] of jobs.entries()) {
    const labels = wireLabels(job);
    if (job.metadata === null && labels === undefined) continue;
    own.push({ metadata: job.metadata ?? undefined, labels, ord: index + 1 });
  }
  return own.length === 0 ? null : JSON.stringify(own);
}

export function ownFacts(job: NewJob): Record<string, unknown> {
  return { metadata: job.metadata ?? undefined, labels: wireLabels(job) };
}

export function listsOf({ common, jobs }: JobSet): [string, string, string, string | null] {
  return [
    common,
    `{${jobs.map(({ id }) => id).join(',')}}`,
    `[${jobs.map(({ input }) => input).join(',')}]`,
    ownOf(jobs),
  ];
}
