import { workerOfActor } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import { invalid, PawlError } from '../../core/errors.ts';
import type { JobEvent } from '../../core/event.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { isOwned } from '../../core/phase.ts';
import { type FoldedFacts, foldEvents } from '../../check/fold.ts';
import type { PastPlace } from '../../store/past.ts';
import type { EngineContext } from '../context.ts';
import { notFound } from '../refusals.ts';

const PAGE = 1_000;

type Context = Pick<EngineContext, 'store'>;

/** Where a tenant's jobs stood at a moment. */
export interface PastReport {
  readonly at: Instant;
  /** The earliest moment that can be asked about; null: nothing has happened yet. */
  readonly since: Instant | null;
  readonly places: readonly PastPlace[];
}

/** A job as it stood at a moment, as far as its history tells. */
export interface PastJob extends FoldedFacts {
  readonly at: Instant;
  readonly job: Job;
  /** The worker that had it; null where it had none. */
  readonly worker: string | null;
}

export async function pastOf(
  { store }: Context,
  { tenant, at }: { readonly tenant: string; readonly at: Instant },
): Promise<PastReport> {
  await refuseFuture(store, at);
  const { since, places } = await store.past({ tenant, at });
  if (places !== null) return { at, since, places: places.toSorted(byName) };
  const begin = new Date(since!).toISOString();
  throw invalid([
    { pointer: '/at', message: `must not lie before ${begin}, where the log begins` },
  ]);
}

export async function pastJobOf({ store }: Context, ref: JobRef, at: Instant): Promise<PastJob> {
  await refuseFuture(store, at);
  const [job] = await store.read([ref]);
  if (!job) throw notFound(ref);
  const told = await historyUntil(store, ref, at);
  const events = told.filter(({ note }) => note === 0);
  const facts = foldEvents(job, events);
  if (facts === null) {
    const born = new Date(job.createdAt).toISOString();
    throw new PawlError('NOT_FOUND', `job ${job.id} did not exist then: it was created at ${born}`);
  }
  return { ...facts, ...lastProgress(told), at, job, worker: workerOf(events) };
}

async function refuseFuture(store: Context['store'], at: Instant): Promise<void> {
  if (at <= (await store.now())) return;
  throw invalid([{ pointer: '/at', message: 'must not lie in the future' }]);
}

async function historyUntil(
  store: Context['store'],
  ref: JobRef,
  at: Instant,
): Promise<JobEvent[]> {
  const told: JobEvent[] = [];
  for (;;) {
    const last = told.at(-1);
    const after = last === undefined ? null : { version: last.version, note: last.note };
    const page = await store.events({ ...ref, after, limit: PAGE, notes: true });
    const until = page.events.filter((event) => event.at <= at);
    told.push(...until);
    if (!page.hasMore || until.length < page.events.length) return told;
  }
}

/** Between two events a job's notes tell how far it was, for as long as notes are kept. */
function lastProgress(told: readonly JobEvent[]): Partial<FoldedFacts> {
  const last = told.at(-1)!;
  if (last.type !== 'job_progress' && last.type !== 'job_stage_entered') {
    return { progress: last.progress };
  }
  const { progress, stage, message } = last;
  return { progress, stage, message };
}

/** Who claimed it last, if it was still theirs. */
function workerOf(events: readonly JobEvent[]): string | null {
  if (!isOwned(events.at(-1)!.phase)) return null;
  const claim = events.findLast(({ type }) => type === 'job_claimed' || type === 'job_started');
  return claim === undefined ? null : workerOfActor(claim.actor);
}

function byName(one: PastPlace, other: PastPlace): number {
  const keyOf = ({ queue, type, state }: PastPlace): string => JSON.stringify([queue, type, state]);
  return keyOf(one) < keyOf(other) ? -1 : 1;
}
