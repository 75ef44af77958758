import type { FlowAnswer, FlowCall } from '../core/flow.ts';
import type { Ids } from '../core/ids.ts';
import type { Job, JobRef } from '../core/job.ts';
import type { AccessKeys } from '../records/access-keys.ts';
import type { AuditLog } from '../records/audit.ts';
import type { JobTypes } from '../records/job-types.ts';
import type { FromReplica } from '../store/replica.ts';
import { type Claim, claim, type ClaimOptions } from './claim.ts';
import type { EngineContext } from './context.ts';
import { enqueue, type EnqueueOptions, type EnqueueResult } from './enqueue.ts';
import type { EnqueueRequest } from './enqueue-request.ts';
import { Failures } from './failures.ts';
import { answerFlow } from './flows/answer-flow.ts';
import { EngineFlows } from './flows/engine-flows.ts';
import type { Flows } from './flows/flows.ts';
import type { FollowOptions } from './follow/follower.ts';
import { LogFollower } from './follow/log-follower.ts';
import { followOptionsOf, type Observer } from './follow/observer.ts';
import type { LiveHub } from './live/live-hub.ts';
import type { LiveTexts } from './live-texts.ts';
import { notFound } from './refusals.ts';
import { readReplica, type ReplicaReads } from './replica-reads.ts';
import type { Registry } from './registry.ts';
import { type RetentionPolicy, retentionPolicy } from './retention/policy.ts';
import type { Ownership } from './owner.ts';
import { BulkOperations } from './operations/operations.ts';
import { Schedules } from './schedules/schedules.ts';
import type { Settlement } from './settle.ts';
import { settleAndClaim, type SettledAndClaimed } from './settle-and-claim.ts';
import { type Swept, sweepRetention } from './sweeps/retention.ts';
import { UseCases } from './use-cases.ts';

/**
 * All use cases over one store. HTTP API, command line and library only translate to and from these
 * calls.
 */
export class Engine extends UseCases {
  readonly #context: EngineContext;
  #turn = 0;
  readonly schedules: Schedules;
  readonly failures: Failures;
  readonly operations: BulkOperations;
  /** Lifecycles, policies and types by name. */
  readonly registry: Registry;
  /** The types as they are registered, by tenant. */
  readonly types: JobTypes;
  readonly accessKeys: AccessKeys;
  readonly audit: AuditLog;
  /** For what is made outside the engine: keys, entries, jobs whose id must be known beforehand. */
  readonly ids: Ids;
  /** Wakes who waits for jobs, and says when the engine stops. */
  readonly live: LiveHub;
  readonly liveTexts: LiveTexts;
  readonly flows: Flows;

  constructor(context: EngineContext) {
    super(context);
    this.#context = context;
    this.schedules = new Schedules(context);
    this.failures = new Failures(context);
    this.operations = new BulkOperations(context);
    this.registry = context.registry;
    this.types = context.records.types;
    this.accessKeys = context.records.accessKeys;
    this.audit = context.records.audit;
    this.ids = context.ids;
    this.live = context.live;
    this.liveTexts = context.liveTexts;
    this.flows = new EngineFlows(context);
  }

  /** Calls back when there may be work of these types, or (null) of any, in whatever process. */
  onWork(onWork: (types: readonly string[] | null) => void): () => Promise<void> {
    return this.#context.wakeSignal.listen(onWork);
  }

  enqueue(requests: readonly EnqueueRequest[], options: EnqueueOptions): Promise<EnqueueResult[]> {
    const { tracer } = this.#context;
    const run = (all: readonly EnqueueRequest[]) => enqueue(this.#context, all, options);
    return tracer === null ? run(requests) : tracer(requests, run);
  }

  claim(options: ClaimOptions): Promise<Claim[]> {
    return claim(this.#context, { turn: this.#turn++, ...options });
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
    return settleAndClaim(this.#context, settlements, { turn: this.#turn++, ...options });
  }

  /** Whether there is a server beside the primary that may answer reads. */
  get hasReplica(): boolean {
    return this.#context.store.replica !== undefined;
  }

  /** A place behind every write that was answered before; null where there is no replica. */
  async position(): Promise<string | null> {
    return (await this.#context.store.replica?.position()) ?? null;
  }

  /**
   * A read that the replica answers; null where it may not, and the primary has to be asked. With
   * `after` it must have come to that position.
   */
  onReplica<Answer>(
    after: string | null,
    body: (from: ReplicaReads) => Promise<Answer>,
  ): Promise<FromReplica<Answer> | null> {
    return readReplica(this.#context, after, body);
  }

  async job(ref: JobRef): Promise<Job> {
    const [job] = await this.find([ref]);
    if (!job) throw notFound(ref);
    return job;
  }

  /** A durable follower of the log under a name, to be started. */
  follow(options: FollowOptions): LogFollower {
    return new LogFollower(this.#context, options);
  }

  /** A follower that tells an observer what happens to jobs, to be started. */
  observe(observer: Observer): LogFollower {
    return this.follow(followOptionsOf(this.#context, observer));
  }

  sweepRetention(policy: Partial<RetentionPolicy> = {}): Promise<Swept> {
    return sweepRetention(this.#context, retentionPolicy(policy));
  }
}
