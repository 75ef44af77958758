import type { JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import type { EngineContext } from '../context.ts';
import type { Moved } from '../observer.ts';
import { look } from './look.ts';

/** Larger sets of children are left to who follows the log. */
const SET_MAX = 500;
/** So many parents of large sets are remembered. */
const LARGE_MAX = 10_000;

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
      const parent = hasEnded && awaitedBy !== null ? { tenant, id: awaitedBy.jobId } : null;
      if (parent !== null && !this.#large.has(keyOf(parent))) this.hurry([parent]);
    }
  }

  hurry(refs: readonly JobRef[]): void {
    for (const { tenant, id } of refs) {
      const key = keyOf({ tenant, id });
      const isRunning = this.#again.has(key);
      this.#again.set(key, isRunning);
      if (isRunning) continue;
      const run = this.#look(key, { tenant, id }).finally(() => this.#running.delete(run));
      this.#running.add(run);
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
        const onLarge = (): void => this.#remember(key);
        await look(this.#context(), [ref], { setMax: SET_MAX, onLarge });
      } while (this.#again.get(key) === true);
    } catch {
      // Who follows the log comes to it.
    } finally {
      this.#again.delete(key);
    }
  }

  #remember(key: string): void {
    if (this.#large.size >= LARGE_MAX) this.#large.clear();
    this.#large.add(key);
  }

  #tell(): void {
    for (const onNews of this.#listeners) onNews();
  }
}

function keyOf({ tenant, id }: JobRef): string {
  return `${tenant}\n${id}`;
}
