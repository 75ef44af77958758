import type { Timers } from '../core/timers.ts';
import type { Attempt } from './attempt.ts';

/** The attempts that a worker has in flight, from the claim to the accepted report. */
export class InFlight {
  readonly #timers: Timers;
  readonly #attempts: Set<Attempt> = new Set();
  /** By the id of their job; of two with one id the later. */
  readonly #byJob: Map<string, Attempt> = new Map();
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
    this.#byJob.set(attempt.claim.job.id, attempt);
  }

  /** An attempt at the job of this one; null where there is none. */
  other(attempt: Attempt): Attempt | null {
    const { id, tenant } = attempt.claim.job;
    const found = this.#byJob.get(id);
    return found !== undefined && found.claim.job.tenant === tenant ? found : null;
  }

  remove(attempt: Attempt): void {
    this.#attempts.delete(attempt);
    const { id } = attempt.claim.job;
    if (this.#byJob.get(id) === attempt) this.#byJob.delete(id);
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
