import { invalid, PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import {
  type InsertJobs,
  type InsertOutcome,
  isRefusal,
  jobAtBirth,
  type NewJob,
} from '../store/insert.ts';
import type { SqlTransaction } from '../store/transaction.ts';
import { afterWrite } from '../store/after-write.ts';
import { allOf, knownAll } from './all-of.ts';
import type { EngineContext } from './context.ts';
import { draftAll } from './draft.ts';
import { answerTo } from './enqueue-answer.ts';
import type { EnqueueRequest } from './enqueue-request.ts';

/** On whose behalf: taken from the credential, never from the request. */
export interface Caller {
  readonly tenant: string;
  readonly principal: string | null;
}

export type EnqueueResult =
  | { readonly kind: 'created' | 'replayed'; readonly job: Job }
  /** By its unique key the wish is already that job, as it now stands. */
  | { readonly kind: 'throttled' | 'debounced' | 'replaced'; readonly job: Job }
  | { readonly kind: 'refused'; readonly error: PawlError };

export interface EnqueueOptions {
  readonly caller: Caller;
  /**
   * All or nothing: the first item that is refused refuses the call, with its own code and its
   * index. A job that is there already (by its key, its unique key, or its id with this very
   * payload) is an answer.
   */
  readonly isWhole?: boolean;
  /** A transaction of the caller, with whose commit the jobs come to be. */
  readonly within?: SqlTransaction;
}

/**
 * Accepts jobs, one result an item: a bad one is refused by itself and spoils no other, unless the
 * call is to be accepted as a whole.
 */
export async function enqueue(
  context: EngineContext,
  requests: readonly EnqueueRequest[],
  options: EnqueueOptions,
): Promise<EnqueueResult[]> {
  const drafts = await draftAll(context, requests, options);
  if (options.isWhole === true) {
    return insertWhole(context, drafts, { options, insert: insertFor(context, options) });
  }
  const jobs = drafts.filter((one): one is NewJob => !(one instanceof PawlError));
  const insert = insertFor(context, options);
  const outcomes = jobs.length === 0 ? [] : await insert(jobs);
  const answers = answersTo(context, { jobs, outcomes, options });
  let next = 0;
  const all = drafts.map((one): EnqueueResult | Promise<EnqueueResult> =>
    one instanceof PawlError ? { kind: 'refused', error: one } : answers.results[next++]!,
  );
  return knownAll(all) ?? afterWrite(answers.hasWritten, () => allOf(all));
}

function insertFor({ store }: EngineContext, { within }: EnqueueOptions): InsertJobs {
  if (within === undefined) return (jobs, options) => store.insert(jobs, options);
  if (store.within !== undefined) return store.within(within);
  const message =
    'must be left out: SQLite keeps the jobs in a file of their own, out of reach of your ' +
    'transaction; enqueue after the commit, with a `key`, or keep the jobs in PostgreSQL';
  throw invalid([{ pointer: '/tx', message }]);
}

/** So often a job that another call has just made is looked at again. */
const ROUNDS_MAX = 4;

/**
 * Nothing is written until every item is either new or stood for by another job. A job that is
 * there under the very id and payload that were asked for is left out of the next round.
 */
export async function insertWhole(
  context: EngineContext,
  drafts: readonly (NewJob | PawlError)[],
  { options, insert }: { options: EnqueueOptions; insert: InsertJobs },
): Promise<EnqueueResult[]> {
  const jobs = drafts.map((one, index) => {
    if (one instanceof PawlError) throw atIndex(one, index);
    return one;
  });
  const there = new Map<NewJob, EnqueueResult>();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const open = jobs.filter((job) => !there.has(job));
    const outcomes = open.length === 0 ? [] : await insert(open, { isWhole: true });
    if (!outcomes.some(isRefusal)) {
      const { results, hasWritten } = answersTo(context, { jobs: open, outcomes, options });
      const made = (await afterWrite(hasWritten, () => allOf(results))).values();
      return jobs.map((job, index) => accepted(there.get(job) ?? made.next().value!, index));
    }
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.kind === 'created' || !isRefusal(outcome)) continue;
      const job = open[at]!;
      const found = await answerTo(context, { job, outcome, isUnseen: true });
      there.set(job, accepted(found, jobs.indexOf(job)));
    }
  }
  const message = 'another call created the same jobs too often; try again';
  throw new PawlError('STORE_UNAVAILABLE', message);
}

function accepted(result: EnqueueResult, index: number): EnqueueResult {
  if (result.kind === 'refused') throw atIndex(result.error, index);
  return result;
}

/** The refusal of a call by one of its items. */
function atIndex(error: PawlError, index: number): PawlError {
  const faults = error.faults.map((one) => ({ ...one, pointer: `/${index}${one.pointer}` }));
  const message = `item ${index}: ${error.message}`;
  const details = { ...error.details, index };
  return new PawlError(error.code, message, { faults, details, cause: error });
}

type Answers = { results: (EnqueueResult | Promise<EnqueueResult>)[]; hasWritten: boolean };

/** What is told of jobs that were inserted, to those who asked and to those who wait for work. */
function answersTo(
  context: EngineContext,
  written: {
    jobs: readonly NewJob[];
    outcomes: readonly InsertOutcome[];
    options: EnqueueOptions;
  },
): Answers {
  const { jobs, outcomes, options } = written;
  const born = jobs.map((job, index) => bornOf(job, outcomes[index]!));
  tell(context, born);
  // What is written by a transaction of the caller's is there when that is over.
  if (options.within === undefined) {
    context.wakeSignal.born(born);
    context.live.born(born);
  }
  const results = jobs.map((job, index) => {
    const outcome = outcomes[index]!;
    if (outcome.kind === 'created') return { kind: 'created' as const, job: born[index]! };
    return answerTo(context, { job, outcome, isUnseen: options.within !== undefined });
  });
  return { results, hasWritten: born.some((job) => job !== null) };
}

/** Null where the job was there before, or could not be. */
function bornOf(job: NewJob, outcome: InsertOutcome): Job | null {
  return outcome.kind === 'created' ? jobAtBirth(job, outcome.at) : null;
}

function tell({ observer }: EngineContext, jobs: readonly (Job | null)[]): void {
  if (observer === null) return;
  const born = jobs.filter((job) => job !== null);
  if (born.length > 0) observer.enqueued(born);
}
