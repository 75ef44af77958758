import type { Timers } from '../core/timers.ts';
import type { BatchPlan } from '../handler/batch.ts';
import { BatchRun, type Joined } from '../handler/batch-run.ts';
import type { RunContext } from '../handler/context.ts';
import type { JobDefinition } from '../handler/define-job.ts';

interface Gathering {
  readonly run: BatchRun;
  /** Ends the wait for others. */
  readonly full: AbortController;
}

/**
 * Gathers the jobs of a worker that are handled together: up to `max` of them, or as many as its
 * slots can hold, or those that have come when the first has waited for long enough.
 */
export class Batches {
  readonly #sleep: Timers['sleep'];
  readonly #slots: number;
  readonly #gathering: Map<BatchPlan, Gathering> = new Map();
  #isLeaving = false;

  constructor({ sleep, slots }: { readonly sleep: Timers['sleep']; readonly slots: number }) {
    this.#sleep = sleep;
    this.#slots = slots;
  }

  join(job: JobDefinition, plan: BatchPlan, context: RunContext<unknown>): Joined {
    const { concurrency } = job;
    const { run, full } = this.#gathering.get(plan) ?? this.#gather(job, plan);
    const joined = run.join(context);
    const isFull = run.size >= Math.min(plan.max, this.#slots, concurrency);
    if (isFull || this.#isLeaving) full.abort();
    return joined;
  }

  /** No job will come any more: those that are here are handled. */
  leave(): void {
    this.#isLeaving = true;
    for (const { full } of this.#gathering.values()) full.abort();
  }

  #gather(job: JobDefinition, plan: BatchPlan): Gathering {
    const gathering = { run: new BatchRun(job, plan), full: new AbortController() };
    this.#gathering.set(plan, gathering);
    const begin = (): void => {
      if (this.#gathering.get(plan) === gathering) this.#gathering.delete(plan);
      gathering.run.begin();
    };
    gathering.full.signal.addEventListener('abort', begin, { once: true });
    void this.#sleep(plan.waitMs, gathering.full.signal).then(begin);
    return gathering;
  }
}
