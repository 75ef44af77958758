import type { Timers } from '../core/timers.ts';
import type { Attempt } from './attempt.ts';

/** The attempts that a worker has in flight, from the claim to the accepted report. */
export class InFlight {
  readonly #timers: Timers;
  readonly #attempts: Set<Attempt> = new Set();
  #idlers: (() => void)[] = [];

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get attempts(): readonly Attempt[] {
    return [...this.#attempts];
  }

  get size(): number {
    return this.#attempts.size;
  }

  add(attempt: Attempt): void {
    this.#attempts.add(attempt);
  }

  remove(attempt: Attempt): void {
    this.#attempts.delete(attempt);
    if (this.#attempts.size === 0) for (const resolve of this.#idlers.splice(0)) resolve();
  }

  async empty(): Promise<void> {
    if (this.#attempts.size > 0) await new Promise<void>((resolve) => this.#idlers.push(resolve));
  }

  /** Resolves when the hand is empty and `first` is done, or after the time. */
  async emptyWithin(ms: number, first: Promise<void>): Promise<void> {
    const done = new AbortController();
    const empty = first.then(() => this.empty());
    await Promise.race([empty, this.#timers.sleep(ms, done.signal)]);
    done.abort();
  }
}
