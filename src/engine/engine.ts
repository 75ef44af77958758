import type { Failure } from '../core/decision.ts';
import type { DlqReason } from '../core/error-class.ts';
import type { FlowAnswer, FlowCall } from '../core/flow.ts';
import type { Job, JobRef } from '../core/job.ts';
import type { DeadLetter, DeadLetterFilter } from '../records/dead-letters.ts';
import type { TypeRecord } from '../records/job-types.ts';
import type { EventPage, EventQuery, JobPage, TailPage, TailQuery } from '../store/query.ts';
import type { Tally } from '../store/tally.ts';
import type { WorkerRecord, WorkerSign } from '../records/workers.ts';
import type { DispatchRule } from '../store/dispatch-rule.ts';
import { type Claim, claim, type ClaimOptions } from './claim.ts';
import type { EngineContext } from './context.ts';
import { changeType, putType, type TypeChange, type TypeDefinition } from './define-type.ts';
import { enqueue, type EnqueueOptions, type EnqueueResult } from './enqueue.ts';
import type { EnqueueRequest } from './enqueue-request.ts';
import {
  cancel,
  type CancelRequest,
  type CancelResult,
  deadLetter,
  reject,
  submit,
} from './operate.ts';
import { type Beat, type BeatResult, type Ownership, renew, start } from './owner.ts';
import { Failures } from './failures.ts';
import { answerFlow } from './flows/answer-flow.ts';
import { EngineFlows } from './flows/engine-flows.ts';
import type { Flows } from './flows/flows.ts';
import type { FollowOptions } from './follow/follower.ts';
import { LogFollower } from './follow/log-follower.ts';
import { followOptionsOf, type Observer } from './follow/observer.ts';
import { type FollowerView, followersOf } from './follow/standing.ts';
import { sweepWatermarks } from './limits/watermarks.ts';
import { why, type Why } from './limits/why.ts';
import { type JobWait, waitForJob } from './live/wait-for-job.ts';
import { type JobSearch, listDeadLetters, listJobs, readTail } from './queries.ts';
import { queueOf, queuesOf, type QueueView } from './queue-view.ts';
import { configureQueue, type QueueRef, type QueueSettings } from './queues.ts';
import { erase } from './retention/erase.ts';
import { type RetentionPolicy, retentionPolicy } from './retention/policy.ts';
import { replay, type ReplayRequest } from './replay.ts';
import { rerun, type RerunRequest } from './rerun.ts';
import { settle, type Settlement } from './settle.ts';
import { settleAndClaim, type SettledAndClaimed } from './settle-and-claim.ts';
import { Schedules } from './schedules/schedules.ts';
import { sweepDeadlines } from './sweeps/deadlines.ts';
import { sweepDue } from './sweeps/due.ts';
import { sweepExpired } from './sweeps/expired.ts';
import { type Swept, sweepRetention } from './sweeps/retention.ts';
import { sweepSchedules } from './sweeps/schedules.ts';
import { sweepThrottles } from './sweeps/throttles.ts';
import { type EngineOptions, openContext } from './open-context.ts';
import { type TransitionOutcome } from './transition.ts';
import { notFound } from './refusals.ts';

export type { EngineOptions } from './open-context.ts';

/**
 * All use cases over one store. HTTP API, command line and library translate to and from these
 * calls and decide nothing.
 */
export class Engine {
  readonly context: EngineContext;
  #turn = 0;
  readonly schedules: Schedules;
  readonly failures: Failures;
  readonly flows: Flows;

  constructor(options: EngineOptions) {
    this.context = openContext(options);
    this.schedules = new Schedules(this.context);
    this.failures = new Failures(this.context);
    this.flows = new EngineFlows(this.context);
  }

  putType(
    named: { tenant: string; type: string },
    definition: TypeDefinition,
  ): Promise<TypeRecord> {
    return putType(this.context, named, definition);
  }

  /** Changes what is named of a type and keeps the rest. */
  changeType(named: { tenant: string; type: string }, change: TypeChange): Promise<TypeRecord> {
    return changeType(this.context, named, change);
  }

  /** Calls back when there may be work of these types, or (null) of any, in whatever process. */
  onWork(onWork: (types: readonly string[] | null) => void): () => Promise<void> {
    return this.context.wakeSignal.listen(onWork);
  }

  enqueue(requests: readonly EnqueueRequest[], options: EnqueueOptions): Promise<EnqueueResult[]> {
    const { tracer } = this.context;
    const run = (all: readonly EnqueueRequest[]) => enqueue(this.context, all, options);
    return tracer === null ? run(requests) : tracer(requests, run);
  }

  submit(ref: JobRef, actor: string): Promise<Job> {
    return submit(this.context, ref, actor);
  }

  claim(options: ClaimOptions): Promise<Claim[]> {
    return claim(this.context, { turn: this.#turn++, ...options });
  }

  start(holdings: readonly Ownership[]): Promise<TransitionOutcome[]> {
    return start(this.context, holdings);
  }

  renew(beats: readonly Beat[]): Promise<BeatResult[]> {
    return renew(this.context, beats);
  }

  settle(settlements: readonly Settlement[]): Promise<TransitionOutcome[]> {
    return settle(this.context, settlements);
  }

  /** What a handler asks for its waits. */
  flow(held: Ownership, call: FlowCall): Promise<FlowAnswer> {
    return answerFlow(this.flows, held, call);
  }

  /** Both in one commit, for a worker with few ends to report and room for more jobs. */
  settleAndClaim(
    settlements: readonly Settlement[],
    options: ClaimOptions,
  ): Promise<SettledAndClaimed> {
    return settleAndClaim(this.context, settlements, { turn: this.#turn++, ...options });
  }

  cancel(requests: readonly CancelRequest[]): Promise<CancelResult[]> {
    return cancel(this.context, requests);
  }

  reject(asked: { ref: JobRef; actor: string; error: Failure }): Promise<Job> {
    return reject(this.context, asked);
  }

  deadLetter(asked: {
    ref: JobRef;
    actor: string;
    reason: DlqReason;
    message: string;
  }): Promise<Job> {
    return deadLetter(this.context, asked);
  }

  replay(request: ReplayRequest): Promise<{ kind: 'created' | 'replayed'; job: Job }> {
    return replay(this.context, request);
  }

  /** Runs a job that has ended again, as a new job. */
  rerun(request: RerunRequest): Promise<{ kind: 'created' | 'replayed'; job: Job }> {
    return rerun(this.context, request);
  }

  async job(ref: JobRef): Promise<Job> {
    const [job] = await this.context.store.read([ref]);
    if (!job) throw notFound(ref);
    return job;
  }

  /** The job at its end (or as else is wished), or as it stands when the signal comes. */
  waitFor(ref: JobRef, wait: JobWait): Promise<Job> {
    return waitForJob(this.context, ref, wait);
  }

  /** Their errors without stack, causes and details: those are told of one job at a time. */
  jobs(search: JobSearch): Promise<JobPage> {
    return listJobs(this.context, search);
  }

  /** A job's history, events and notes in one stream. */
  events(query: EventQuery): Promise<EventPage> {
    return this.context.store.events(query);
  }

  /** Everything that happens, in an order in which nothing is skipped. */
  tail(query: TailQuery): Promise<TailPage> {
    return readTail(this.context, query);
  }

  /** A durable follower of the log under a name, to be started. */
  follow(options: FollowOptions): LogFollower {
    return new LogFollower(this.context, options);
  }

  /** A follower that tells an observer what happens to jobs, to be started. */
  observe(observer: Observer): LogFollower {
    return this.follow(followOptionsOf(this.context, observer));
  }

  /** Where everyone who follows the log stands, how far behind, and what keeps them there. */
  followers(): Promise<FollowerView[]> {
    return followersOf(this.context);
  }

  /** As with jobs, the whole of an error is told to who asks for one of them by its id. */
  deadLetters(filter: DeadLetterFilter): Promise<DeadLetter[]> {
    return listDeadLetters(this.context, filter);
  }

  /** Why a job is not running: the reason in a word, a sentence and facts. */
  why(ref: JobRef): Promise<Why> {
    return why(this.context, ref);
  }

  /** Pauses, resumes or bounds a queue. */
  configureQueue(
    ref: QueueRef,
    change: { actor: string; settings: QueueSettings },
  ): Promise<DispatchRule> {
    return configureQueue(this.context, ref, change);
  }

  /** Queues that have jobs or settings, and one of them. */
  queues(tenant: string): Promise<QueueView[]> {
    return queuesOf(this.context, tenant);
  }

  queue(ref: QueueRef): Promise<QueueView> {
    return queueOf(this.context, ref);
  }

  /** Queues and types that do not simply let everything through. */
  rules(tenant: string | null): Promise<DispatchRule[]> {
    return this.context.store.rules(tenant);
  }

  /** Who stands where; of a line longer than `max` only so many are counted, and it says so. */
  tally(tenant: string | null, max?: number): Promise<Tally[]> {
    return this.context.store.tally(tenant, max);
  }

  /** A worker's sign of life, for those who look; its leases alone say what it owns. */
  announce(signs: readonly WorkerSign[]): Promise<void> {
    return this.context.records.workers.beat(signs);
  }

  /** The workers that take a tenant's jobs, with those of them in their hands; null for all. */
  workers(tenant: string | null): Promise<WorkerRecord[]> {
    return this.context.records.workers.list(tenant);
  }

  /** Compares queues with their watermarks; says how many begin or cease to refuse jobs. */
  sweepWatermarks(): Promise<number> {
    return sweepWatermarks(this.context);
  }

  /** Slows types down that fail too often and lets them go again; says how many have changed. */
  sweepThrottles(): Promise<number> {
    return sweepThrottles(this.context);
  }

  /** Takes away what a job that has ended said, and keeps what happened to it. */
  erase(ref: JobRef, actor: string): Promise<Job> {
    return erase(this.context, ref, actor);
  }

  sweepRetention(policy: Partial<RetentionPolicy> = {}): Promise<Swept> {
    return sweepRetention(this.context, retentionPolicy(policy));
  }

  sweepDue(): Promise<number> {
    return sweepDue(this.context);
  }

  sweepExpired(): Promise<number> {
    return sweepExpired(this.context);
  }

  sweepDeadlines(): Promise<number> {
    return sweepDeadlines(this.context);
  }

  sweepSchedules(): Promise<number> {
    return sweepSchedules(this.context);
  }
}
