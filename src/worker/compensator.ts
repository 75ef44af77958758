import { derivedId } from '../core/ids.ts';
import { PawlError } from '../core/errors.ts';
import type { Job, JobRef } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import type { Timers } from '../core/timers.ts';
import { reportCompensation } from '../engine/compensate.ts';
import type { Engine } from '../engine/engine.ts';
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

const PAGE = 500;

/**
 * Follows the log: a job that ended badly after it had begun gets a child that undoes it, and the
 * child's end is written to its log. Any number of processes may do so at once, and from the start
 * of the log again: a child's id follows from its parent, and a report is made once.
 */
export class Compensator {
  readonly #options: CompensatorOptions;
  readonly #undone: ReadonlySet<string>;
  readonly #undoing: ReadonlySet<string>;
  #cursor: string | null = null;
  #running: { controller: AbortController; loop: Promise<void> } | null = null;

  constructor(options: CompensatorOptions) {
    this.#options = options;
    const types = options.jobs.filter(({ compensate }) => compensate !== undefined);
    this.#undone = new Set(types.map(({ type }) => type));
    this.#undoing = new Set(types.map(({ type }) => compensationType(type)));
  }

  start(): void {
    if (this.#running !== null || this.#undone.size === 0) return;
    const controller = new AbortController();
    this.#running = { controller, loop: this.#loop(controller.signal) };
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    running?.controller.abort();
    await running?.loop;
  }

  /** Reads on to the end of the log and says how many jobs and reports it made. */
  async runOnce(): Promise<number> {
    let made = 0;
    for (;;) {
      const from = this.#cursor === null ? 'start' : { cursor: this.#cursor };
      const page = await this.#options.engine.tail({ tenant: null, from, limit: PAGE });
      for (const item of page.items) if (await this.#see(item)) made += 1;
      this.#cursor = page.cursor;
      if (page.items.length === 0) return made;
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { engine, timers, everyMs = 1_000 } = this.#options;
    while (!signal.aborted) {
      try {
        await this.runOnce();
      } catch (error) {
        if (error instanceof PawlError && error.code === 'CURSOR_RESET') this.#cursor = null;
        const facts = { error: String(error) };
        engine.context.log.warn('compensations could not be made; trying again', facts);
      }
      await timers.sleep(everyMs, signal);
    }
  }

  async #see({ event, jobType }: TailItem): Promise<boolean> {
    if (event.note !== 0 || !isTerminal(event.phase)) return false;
    const ref = { tenant: event.tenant, id: event.jobId };
    if (this.#undone.has(jobType) && event.phase !== 'succeeded') return this.#undo(ref);
    return this.#undoing.has(jobType) ? this.#report(ref) : false;
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
