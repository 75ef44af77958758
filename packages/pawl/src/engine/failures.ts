import { briefJob } from '../core/brief-error.ts';
import type { Instant } from '../core/clock.ts';
import { invalid, PawlError } from '../core/errors.ts';
import { errorCodeOf } from '../core/error-class.ts';
import { fingerprintOf } from '../core/fingerprint.ts';
import { isUuid } from '../core/uuid.ts';
import type { Job, JobError } from '../core/job.ts';
import type { Phase } from '../core/phase.ts';
import type { EngineContext } from './context.ts';
import type { Caller } from './enqueue.ts';
import type { StageCopy } from './kept-stages.ts';
import { rerun, rerunsOf } from './rerun.ts';

/** By what jobs that ended badly are found. */
export interface FailureQuery {
  readonly tenant: string;
  readonly type?: string;
  readonly queue?: string;
  readonly state?: string;
  /** Other than `failed` and `dead` too, as long as it is an end. */
  readonly phase?: Phase;
  readonly documentId?: string;
  readonly correlationId?: string;
  readonly parentJobId?: string;
  readonly fingerprint?: string;
  readonly createdFrom?: Instant;
  readonly createdTo?: Instant;
}

/** Jobs that ended badly for one cause. */
export interface FailureCause {
  readonly fingerprint: string;
  readonly type: string;
  /** Of the latest of them. */
  readonly class: string;
  readonly code: string;
  readonly message: string;
  /** Why it was not retried, and what to change. */
  readonly hint: string | null;
  readonly count: number;
  /** How many of them have a dead letter. */
  readonly deadLetters: number;
  readonly firstSeen: Instant;
  readonly lastSeen: Instant;
  readonly jobId: string;
  /** It is ignored, and has not occurred since. */
  readonly isIgnored: boolean;
}

export interface FailurePage {
  readonly jobs: readonly Job[];
  readonly nextCursor: string | null;
}

export interface RerunHow {
  readonly caller: Caller;
  readonly keep?: StageCopy | undefined;
  readonly idempotencyKey?: string | undefined;
}

export type RerunResult =
  | { readonly id: string; readonly kind: 'created' | 'replayed'; readonly job: Job }
  | { readonly id: string; readonly kind: 'refused'; readonly error: PawlError };

/** So many jobs of each bad end are looked at, the newest first. */
export const FAILURES_SEEN_MAX = 2_000;

const PAGE = 200;
const BAD_ENDS: readonly Phase[] = ['failed', 'dead'];
const ENDS: readonly Phase[] = ['succeeded', 'failed', 'cancelled', 'dead'];

/** Jobs that ended badly, with and without dead letters. */
export class Failures {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Grouped by cause, the latest first. */
  async causes(query: FailureQuery): Promise<FailureCause[]> {
    const jobs = await newestFailures(this.#context, query);
    const letters = await this.#context.records.deadLetters.list({
      tenant: query.tenant,
      limit: BAD_ENDS.length * FAILURES_SEEN_MAX,
      ...(query.type === undefined ? {} : { type: query.type }),
    });
    const withLetter = new Set(letters.map(({ jobId }) => jobId));
    const ignored = await this.#context.records.ignoredCauses.list(query.tenant);
    const ignoredAt = new Map(ignored.map((one) => [one.fingerprint, one.at]));
    const groups = [...Map.groupBy(jobs, causeOf)];
    return groups
      .map(([fingerprint, own]) => causeFrom(fingerprint, own, withLetter))
      .map((cause) => {
        const isIgnored = cause.lastSeen <= (ignoredAt.get(cause.fingerprint) ?? -Infinity);
        return { ...cause, isIgnored };
      })
      .toSorted((one, other) => other.lastSeen - one.lastSeen);
  }

  /** Newest first, one bad end after the other; their errors in brief, as in every list. */
  async jobs(query: FailureQuery, asked: { limit: number; cursor?: string }): Promise<FailurePage> {
    const jobs: Job[] = [];
    for await (const { job } of eachFailure(this.#context, query, asked.cursor ?? null)) {
      if (jobs.length === asked.limit) return { jobs, nextCursor: cursorAt(jobs.at(-1)!) };
      jobs.push(briefJob(job));
    }
    return { jobs, nextCursor: null };
  }

  /**
   * Runs those again that a query finds and that were neither run again nor replayed yet. Two who
   * ask at once make one job of each.
   */
  async rerun(
    query: FailureQuery,
    asked: RerunHow & { limit: number; cursor?: string },
  ): Promise<{ results: RerunResult[]; nextCursor: string | null }> {
    const { caller, keep } = asked;
    const results: RerunResult[] = [];
    let last: Job | null = null;
    for await (const { job } of eachFailure(this.#context, query, asked.cursor ?? null)) {
      if (results.length === asked.limit) return { results, nextCursor: cursorAt(last!) };
      last = job;
      if ((await rerunsOf(this.#context, job)).length > 0) continue;
      const idempotencyKey = `rerun ${job.id}`;
      results.push(await this.rerunOne(job.id, { caller, keep, idempotencyKey }));
    }
    return { results, nextCursor: null };
  }

  async rerunOne(id: string, { caller, keep, idempotencyKey }: RerunHow): Promise<RerunResult> {
    try {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey };
      const how = { id, caller, ...(keep === undefined ? {} : { keep }), ...key };
      return { id, ...(await rerun(this.#context, how)) };
    } catch (error) {
      if (error instanceof PawlError) return { id, kind: 'refused', error };
      throw error;
    }
  }
}

/** So many of each bad end at most, the newest first. */
export async function newestFailures(context: EngineContext, query: FailureQuery): Promise<Job[]> {
  const jobs: Job[] = [];
  for (const phase of phasesOf(query)) {
    let count = 0;
    for await (const job of ofPhase(context, query, { phase, before: null })) {
      jobs.push(job);
      if (++count === FAILURES_SEEN_MAX) break;
    }
  }
  return jobs;
}

/** From a cursor on, newest first, one bad end after the other, with the cursor after each. */
export async function* eachFailure(
  context: EngineContext,
  query: FailureQuery,
  cursor: string | null,
): AsyncGenerator<{ readonly job: Job; readonly cursor: string }> {
  const phases = phasesOf(query);
  const from = cursor === null ? null : readCursor(cursor, phases);
  for (const phase of from === null ? phases : phases.slice(phases.indexOf(from.phase))) {
    const before = phase === from?.phase ? from.id : null;
    for await (const job of ofPhase(context, query, { phase, before })) {
      yield { job, cursor: cursorAt(job) };
    }
  }
}

async function* ofPhase(
  { store }: EngineContext,
  { fingerprint, ...query }: FailureQuery,
  from: { phase: Phase; before: string | null },
): AsyncGenerator<Job> {
  let { before } = from;
  for (;;) {
    const page = await store.list({
      ...query,
      phase: from.phase,
      limit: PAGE,
      ...(before === null ? {} : { before }),
    });
    for (const job of page.jobs) {
      if (fingerprint === undefined || causeOf(job) === fingerprint) yield job;
    }
    before = page.searchedTo ?? page.jobs.at(-1)?.id ?? null;
    if (!page.hasMore || before === null) return;
  }
}

function phasesOf({ phase }: FailureQuery): readonly Phase[] {
  if (phase === undefined) return BAD_ENDS;
  if (ENDS.includes(phase)) return [phase];
  const message = `must be one of ${ENDS.join(', ')}: other jobs have not ended`;
  throw invalid([{ pointer: '/filter/phase', message }]);
}

/** What is said of a job whose error was erased, or that never had one. */
const UNKNOWN: JobError = {
  class: 'unknown',
  message: 'no error was kept',
  code: null,
  stage: null,
  retryable: false,
};

/** What the cause of a bad end is known by. */
function causeOf({ type, error }: Job): string {
  return fingerprintOf(type, error ?? UNKNOWN);
}

export function causeFrom(
  fingerprint: string,
  jobs: readonly Job[],
  withLetter: ReadonlySet<string>,
): FailureCause {
  const ends = jobs.map(({ completedAt, updatedAt }) => completedAt ?? updatedAt);
  const lastSeen = Math.max(...ends);
  const latest = jobs[ends.indexOf(lastSeen)]!;
  const error = latest.error ?? UNKNOWN;
  return {
    fingerprint,
    type: latest.type,
    class: error.class,
    code: errorCodeOf(latest.type, error),
    message: error.message,
    hint: error.hint ?? null,
    count: jobs.length,
    deadLetters: jobs.filter(({ id }) => withLetter.has(id)).length,
    firstSeen: Math.min(...ends),
    lastSeen,
    jobId: latest.id,
    isIgnored: false,
  };
}

function cursorAt({ phase, id }: Job): string {
  return `${phase}.${id}`;
}

function readCursor(cursor: string, phases: readonly Phase[]): { phase: Phase; id: string } {
  const [phase = '', id = ''] = cursor.split('.');
  if (phases.includes(phase as Phase) && isUuid(id)) return { phase: phase as Phase, id };
  throw invalid([{ pointer: '/cursor', message: 'must be a `nextCursor` of this list' }]);
}
