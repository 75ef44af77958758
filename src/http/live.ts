import type { Timers } from '../core/timers.ts';
import type { Engine } from '../engine/engine.ts';

const PAGE = 500;

/**
 * Tells waiting requests that a job has news. One reader of the log serves all of them; a wake is
 * only a hint, so whoever is woken reads the job or its events from the store.
 *
 * Modes: *stopped*; *idle* while nobody waits (the log is not read at all); *following* else.
 */
export class LiveHub {
  readonly #engine: Engine;
  readonly #timers: Timers;
  readonly #everyMs: number;
  readonly #waiting: Map<string, Set<() => void>> = new Map();
  #follower: { controller: AbortController; loop: Promise<void> } | null = null;
  #isStopped = false;

  constructor(engine: Engine, options: { timers: Timers; everyMs?: number }) {
    this.#engine = engine;
    this.#timers = options.timers;
    this.#everyMs = options.everyMs ?? 50;
  }

  /** Resolves when the job may have news, when the time is over, or on the signal. */
  async news(jobId: string, waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isStopped || signal.aborted || waitMs <= 0) return;
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    signal.addEventListener('abort', stop, { once: true });
    this.#add(jobId, stop);
    this.#follow();
    await this.#timers.sleep(waitMs, controller.signal);
    signal.removeEventListener('abort', stop);
    this.#remove(jobId, stop);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const wakes of this.#waiting.values()) for (const wake of wakes) wake();
    this.#follower?.controller.abort();
    await this.#follower?.loop;
  }

  #add(jobId: string, wake: () => void): void {
    const wakes = this.#waiting.get(jobId) ?? new Set();
    this.#waiting.set(jobId, wakes.add(wake));
  }

  #remove(jobId: string, wake: () => void): void {
    const wakes = this.#waiting.get(jobId);
    wakes?.delete(wake);
    if (wakes?.size === 0) this.#waiting.delete(jobId);
  }

  #follow(): void {
    if (this.#follower !== null) return;
    const controller = new AbortController();
    this.#follower = { controller, loop: this.#loop(controller.signal) };
  }

  async #loop(signal: AbortSignal): Promise<void> {
    let from: { cursor: string } | 'end' = 'end';
    while (!signal.aborted && this.#waiting.size > 0) {
      try {
        const page = await this.#engine.tail({ tenant: null, from, limit: PAGE });
        from = { cursor: page.cursor };
        const jobIds = new Set(page.items.map(({ event }) => event.jobId));
        for (const jobId of jobIds) for (const wake of this.#waiting.get(jobId) ?? []) wake();
        if (page.items.length === PAGE) continue;
      } catch {
        from = 'end';
      }
      await this.#timers.sleep(this.#everyMs, signal);
    }
    this.#follower = null;
  }
}
