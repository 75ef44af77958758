import type { Job, JobRef } from '../core/job.ts';
import { type Claim, claim, type ClaimOptions } from './claim.ts';
import type { EngineContext } from './context.ts';
import { enqueue, type EnqueueOptions, type EnqueueResult } from './enqueue.ts';
import type { EnqueueRequest } from './enqueue-request.ts';
import { Failures } from './failures.ts';
import type { FollowOptions } from './follow/follower.ts';
import { LogFollower } from './follow/log-follower.ts';
import { followOptionsOf, type Observer } from './follow/observer.ts';
import { type EngineOptions, openContext } from './open-context.ts';
import { notFound } from './refusals.ts';
import { type RetentionPolicy, retentionPolicy } from './retention/policy.ts';
import { Schedules } from './schedules/schedules.ts';
import type { Settlement } from './settle.ts';
import { settleAndClaim, type SettledAndClaimed } from './settle-and-claim.ts';
import { type Swept, sweepRetention } from './sweeps/retention.ts';
import { UseCases } from './use-cases.ts';

export type { EngineOptions } from './open-context.ts';

/**
 * All use cases over one store. HTTP API, command line and library translate to and from these
 * calls and decide nothing.
 */
export class Engine extends UseCases {
  readonly context: EngineContext;
  #turn = 0;
  readonly schedules: Schedules;
  readonly failures: Failures;

  constructor(options: EngineOptions) {
    const context = openContext(options);
    super(context);
    this.context = context;
    this.schedules = new Schedules(context);
    this.failures = new Failures(context);
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

  claim(options: ClaimOptions): Promise<Claim[]> {
    return claim(this.context, { turn: this.#turn++, ...options });
  }

  /** Both in one commit, for a worker with few ends to report and room for more jobs. */
  settleAndClaim(
    settlements: readonly Settlement[],
    options: ClaimOptions,
  ): Promise<SettledAndClaimed> {
    return settleAndClaim(this.context, settlements, { turn: this.#turn++, ...options });
  }

  async job(ref: JobRef): Promise<Job> {
    const [job] = await this.context.store.read([ref]);
    if (!job) throw notFound(ref);
    return job;
  }

  /** A durable follower of the log under a name, to be started. */
  follow(options: FollowOptions): LogFollower {
    return new LogFollower(this.context, options);
  }

  /** A follower that tells an observer what happens to jobs, to be started. */
  observe(observer: Observer): LogFollower {
    return this.follow(followOptionsOf(this.context, observer));
  }

  sweepRetention(policy: Partial<RetentionPolicy> = {}): Promise<Swept> {
    return sweepRetention(this.context, retentionPolicy(policy));
  }
}
