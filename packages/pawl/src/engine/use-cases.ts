import type { JobRef } from '../core/job.ts';
import type { Precondition } from '../core/precondition.ts';
import type { WorkerSign } from '../records/workers.ts';
import type { EventQuery, TailQuery } from '../store/query.ts';
import type { EngineContext } from './context.ts';
import { changeType, putType } from './define-type.ts';
import { failureDetail } from './failure-detail.ts';
import { enqueueFollowUps } from './follow/follow-ups.ts';
import { followersOf } from './follow/standing.ts';
import { pastJobOf, pastOf } from './history/past.ts';
import { historyOf } from './history/report.ts';
import { reachedJobs } from './job-reach.ts';
import { sweepWatermarks } from './limits/watermarks.ts';
import { why } from './limits/why.ts';
import { waitForJob } from './live/wait-for-job.ts';
import { cancel, deadLetter, reject, submit } from './operate.ts';
import { renew, start } from './owner.ts';
import { listDeadLetters, listJobs } from './queries.ts';
import { queueNamesOf, queueOf, queuesOf } from './queue-view.ts';
import { configureQueue } from './queues.ts';
import { replay } from './replay.ts';
import { rerun } from './rerun.ts';
import { erase } from './retention/erase.ts';
import { settle } from './settle.ts';
import { sweepDeadlines } from './sweeps/deadlines.ts';
import { sweepDue } from './sweeps/due.ts';
import { sweepExpired } from './sweeps/expired.ts';
import { sweepSchedules } from './sweeps/schedules.ts';
import { sweepThrottles } from './sweeps/throttles.ts';
import type { TallyBounds } from '../store/tally.ts';
import { whatIf } from './what-if/what-if.ts';
import { withContext } from './with-context.ts';

/** Use cases that are one function of the context each. The engine has them as its methods. */
const USE_CASES = {
  /** The database's time. */
  now: ({ store }: EngineContext) => store.now(),
  /** Whether the database takes writes, and why not. */
  health: ({ store }: EngineContext) => store.maintenance.health(),
  cells: ({ store }: EngineContext) => store.cells ?? null,
  putType,
  /** Changes what is named of a type and keeps the rest. */
  changeType,
  submit,
  start,
  renew,
  settle,
  cancel,
  reject,
  deadLetter,
  replay,
  /** Runs a job that has ended again, as a new job. */
  rerun,
  /** Jobs that follow from what is in the log, each made once by its id. */
  enqueueFollowUps,
  /** Null for each that is not there. */
  find: ({ store }: EngineContext, refs: readonly JobRef[]) => store.read(refs),
  /** As far as a caller reaches: null for each that is not there, or not for it. */
  reachedJobs,
  /** The groups of a job's access list. */
  sharedWith: async ({ records }: EngineContext, ref: JobRef) =>
    (await records.jobShares.of([ref]))[0]!,
  /** Replaces the access list of a job. */
  share: (
    { records }: EngineContext,
    ref: JobRef,
    groups: readonly string[],
    requires?: Precondition,
  ) => records.jobShares.put(ref, groups, requires),
  /** The job at its end (or as else is wished), or as it stands when the signal comes. */
  waitFor: waitForJob,
  /** Their errors without stack, causes and details: those are told of one job at a time. */
  jobs: listJobs,
  /** A job's history, events and notes in one stream. */
  events: ({ store }: EngineContext, query: EventQuery) => store.events(query),
  /** How a reader of one job's events names its place. */
  cursors: ({ logNames }: EngineContext, tenant: string) => logNames.cursorsOf(tenant),
  /** Everything that happens, in an order in which nothing is skipped. */
  tail: ({ store }: EngineContext, query: TailQuery) => store.tail(query),
  /** Where everyone who follows the log stands, how far behind, and what keeps them there. */
  followers: followersOf,
  /** One cause of failures: where, when, why, and what can be run again. */
  failureDetail,
  /** Hides a cause until it comes again. */
  ignoreCause: (
    { records }: EngineContext,
    tenant: string,
    cause: { fingerprint: string; by: string | null },
  ) => records.ignoredCauses.add(tenant, cause),
  heedCause: ({ records }: EngineContext, tenant: string, fingerprint: string) =>
    records.ignoredCauses.remove(tenant, fingerprint),
  /** What happened when: counts, waits, durations, backlog, deploys. */
  history: historyOf,
  /** Where a tenant's jobs stood at a moment, and how one of them did. */
  past: pastOf,
  pastJob: pastJobOf,
  /** A stretch of the log played again, with other workers, limits or priorities. */
  whatIf,
  /** As with jobs, the whole of an error is told to who asks for one of them by its id. */
  deadLetters: listDeadLetters,
  /** Why a job is not running: the reason in a word, a sentence and facts. */
  why,
  /** Pauses, resumes or bounds a queue. */
  configureQueue,
  /** Queues that have jobs or settings; a page of them costs what is on it. */
  queues: queuesOf,
  queue: queueOf,
  queueNames: queueNamesOf,
  /** Queues and types that do not simply let everything through. */
  rules: ({ store }: EngineContext, tenant: string | null) => store.rules(tenant),
  /** Who stands where; of a line longer than `max` only so many are counted, and it says so. */
  tally: ({ store }: EngineContext, tenant: string | null, bounds?: TallyBounds) =>
    store.tally(tenant, bounds),
  /**
   * A worker's sign of life, for those who look; its leases alone say what it owns. Answers with
   * the ids of those that are asked to drain.
   */
  announce: ({ records }: EngineContext, signs: readonly WorkerSign[]) =>
    records.workers.beat(signs),
  /** Asks a worker to finish its jobs and leave; null: no such worker, false: it cannot hear it. */
  askToDrain: ({ records }: EngineContext, key: Pick<WorkerSign, 'tenant' | 'id'>) =>
    records.workers.askToDrain(key),
  /** The workers that take a tenant's jobs, with those that they own; null for all. */
  workers: ({ records }: EngineContext, tenant: string | null) => records.workers.list(tenant),
  /** Takes away what a job that has ended said, and keeps what happened to it. */
  erase,
  /** Compares queues with their watermarks; says how many begin or cease to refuse jobs. */
  sweepWatermarks,
  /** Slows types down that fail too often and lets them go again; says how many have changed. */
  sweepThrottles,
  sweepDue,
  sweepExpired,
  sweepDeadlines,
  sweepSchedules,
};

export const UseCases = withContext(USE_CASES);
