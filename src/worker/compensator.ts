import { derivedId } from '../core/ids.ts';
import type { Job, JobRef } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import type { Timers } from '../core/timers.ts';
import { reportCompensation } from '../engine/compensate.ts';
import type { Engine } from '../engine/engine.ts';
import type { Batch } from '../engine/follow/follower.ts';
import type { LogFollower } from '../engine/follow/log-follower.ts';
import { compensationType } from '../handler/compensation.ts';
import type { Compensation } from '../handler/context.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import type { TailItem } from '../store/query.ts';

export interface CompensatorOptions {
  readonly engine: Engine;
  readonly jobs: readonly JobDefinition[];
  readonly timers: Timers;
  readonly everyMs?: number;
}

/**
 * Follows the log: a job that ended badly after it had begun gets a child that undoes it, and the
 * child's end is written to its log. There is one durable follower a type, since not every process
 * knows every type: what failed while nobody ran is undone when somebody does. A child's id follows
 * from its parent and a report is made once, so an event that comes again changes nothing.
 */
export class Compensator {
  readonly #options: CompensatorOptions;
  readonly #followers: readonly LogFollower[];
  #made = 0;

  constructor(options: CompensatorOptions) {
    this.#options = options;
    const { engine, jobs, timers, everyMs = 1_000 } = options;
    this.#followers = jobs
      .filter(({ compensate }) => compensate !== undefined)
      .map(({ type }) =>
        engine.follow({
          name: `compensate/${type}`,
          timers,
          everyMs,
          handle: (items, batch) => this.#handle(type, items, batch),
        }),
      );
  }

  start(): void {
    for (const follower of this.#followers) follower.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.stop()));
  }

  /** Reads on to the end of the log and says how many jobs and reports it made. */
  async runOnce(): Promise<number> {
    this.#made = 0;
    for (const follower of this.#followers) {
      while ((await follower.runOnce()).waitMs === 0);
    }
    return this.#made;
  }

  async #handle(type: string, items: readonly TailItem[], batch: Batch): Promise<void> {
    for (const item of items) {
      batch.signal.throwIfAborted();
      if (await this.#see(type, item)) this.#made += 1;
      batch.reached(item);
    }
  }

  async #see(type: string, { event, jobType }: TailItem): Promise<boolean> {
    if (!isTerminal(event.phase)) return false;
    const ref = { tenant: event.tenant, id: event.jobId };
    if (jobType === type && event.phase !== 'succeeded') return this.#undo(ref);
    return jobType === compensationType(type) ? this.#report(ref) : false;
  }

  /** A job that no handler ever saw has done nothing. */
  async #undo(ref: JobRef): Promise<boolean> {
    const { engine } = this.#options;
    const [job] = await engine.context.store.read([ref]);
    if (!job || job.startedAt === null) return false;
    const caller = { tenant: job.tenant, principal: null };
    const request = {
      id: derivedId(job.createdAt, `compensate/${job.tenant}/${job.id}`),
      type: compensationType(job.type),
      input: await this.#inputOf(job),
      queue: job.queue,
      priority: job.priority,
      parentJobId: job.id,
      parentKind: 'compensation' as const,
      correlationId: job.correlationId ?? job.id,
      ...(job.traceId === null ? {} : { traceId: job.traceId }),
    };
    const [result] = await engine.enqueue([request], { caller });
    if (result!.kind !== 'refused') return result!.kind === 'created';
    const facts = { jobId: job.id, error: result!.error.message };
    engine.context.log.warn('a compensation was refused', facts);
    return false;
  }

  async #inputOf(job: Job): Promise<Compensation<unknown>> {
    const stages = await this.#options.engine.context.store.stages(job);
    return {
      jobId: job.id,
      input: JSON.parse(job.input),
      kept: Object.fromEntries(
        stages.map(({ name, result }) => [name, JSON.parse(result) as unknown]),
      ),
      checkpoint: job.checkpoint === null ? null : JSON.parse(job.checkpoint),
      end: { state: job.state, phase: job.phase, error: job.error },
    };
  }

  async #report(ref: JobRef): Promise<boolean> {
    const { context } = this.#options.engine;
    const [child] = await context.store.read([ref]);
    if (!child?.parentJobId) return false;
    const parent = { tenant: child.tenant, id: child.parentJobId };
    const [found] = await context.store.read([parent]);
    return found ? reportCompensation(context, parent, child) : false;
  }
}
