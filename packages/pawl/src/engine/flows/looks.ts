import { isGatedId } from '../../core/ids.ts';
import type { JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import type { EngineContext } from '../context.ts';
import type { Moved } from '../observer.ts';
import { look } from './look.ts';

/** Larger sets of children are left to who follows the log. */
const SET_MAX = 500;
/** So many parents of large sets are remembered, and so many jobs that others need. */
const REMEMBERED_MAX = 10_000;

/**
 * Looks at waiting jobs as soon as something that concerns them was written by this process. Who
 * follows the log looks as well, so what is missed here comes a little later: nothing waits for
 * these looks, and they may fail. Of one job one look at a time is made, and one more if something
 * came meanwhile.
 */
export class FlowLooks {
  readonly #context: () => EngineContext;
  readonly #again: Map<string, boolean> = new Map();
  readonly #listeners: Set<() => void> = new Set();
  readonly #running: Set<Promise<void>> = new Set();
  /** Parents whose sets are too large to be looked at here. */
  readonly #large: Set<string> = new Set();
  /** Jobs that others need although their ids do not tell. */
  readonly #needed: Set<string> = new Set();

  constructor(context: () => EngineContext) {
    this.#context = context;
  }

  /** Calls back when there is something for who follows the log. */
  onNews(onNews: () => void): () => void {
    this.#listeners.add(onNews);
    return () => void this.#listeners.delete(onNews);
  }

  /** Transitions that this process has made. */
  moved(moves: readonly Moved[]): void {
    for (const { before, steps, event } of moves) {
      const { tenant, awaitedBy } = before;
      const phase = steps.at(-1)?.to.phase;
      const hasEnded = phase !== undefined && isTerminal(phase);
      if (event === 'job_suspended' || event === 'job_message') {
        this.#large.delete(keyOf(before));
        this.hurry([before]);
      }
      if (hasEnded && (isGatedId(before.id) || this.#isNeeded(before))) {
        this.#run(this.#hurryDependents({ tenant, id: before.id }));
      }
      const parent = hasEnded && awaitedBy !== null ? { tenant, id: awaitedBy.jobId } : null;
      if (parent !== null && !this.#large.has(keyOf(parent))) this.hurry([parent]);
    }
  }

  /** Asked once of each job that ends; a key is only made where any is needed. */
  #isNeeded(ref: JobRef): boolean {
    return this.#needed.size > 0 && this.#needed.delete(keyOf(ref));
  }

  /** Jobs that this process has made wait for these, whose ids are of any kind. */
  need(refs: readonly JobRef[]): void {
    for (const ref of refs) {
      if (!isGatedId(ref.id)) remember(this.#needed, keyOf(ref));
    }
  }

  hurry(refs: readonly JobRef[]): void {
    for (const { tenant, id } of refs) {
      const key = keyOf({ tenant, id });
      const isRunning = this.#again.has(key);
      this.#again.set(key, isRunning);
      if (isRunning) continue;
      this.#run(this.#look(key, { tenant, id }));
    }
    this.#tell();
  }

  /** Resolves when no look is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #look(key: string, ref: JobRef): Promise<void> {
    try {
      do {
        this.#again.set(key, false);
        const onLarge = (): void => remember(this.#large, key);
        await look(this.#context(), [ref], { setMax: SET_MAX, onLarge });
      } while (this.#again.get(key) === true);
    } catch {
      // Who follows the log comes to it.
    } finally {
      this.#again.delete(key);
    }
  }

  /** Those that need a job which has ended: a few here, many by who follows the log. */
  async #hurryDependents(ref: JobRef): Promise<void> {
    try {
      for await (const ids of this.#context().records.flows.dependents(ref)) {
        const few = ids.length <= SET_MAX ? ids : [];
        this.hurry(few.map((id) => ({ tenant: ref.tenant, id })));
        return;
      }
    } catch {
      // Who follows the log comes to it.
    }
  }

  #run(work: Promise<void>): void {
    const run = work.finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  #tell(): void {
    for (const onNews of this.#listeners) onNews();
  }
}

function remember(keys: Set<string>, key: string): void {
  if (keys.size >= REMEMBERED_MAX) keys.clear();
  keys.add(key);
}

function keyOf({ tenant, id }: JobRef): string {
  return `${tenant}\n${id}`;
}
