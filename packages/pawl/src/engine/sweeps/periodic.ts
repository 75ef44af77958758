import type { Timers } from '../../core/timers.ts';

export interface PeriodicOptions {
  readonly timers: Timers;
  readonly everyMs: number;
  readonly round: () => Promise<unknown>;
  /** A round that fails is told of and tried again; it never ends the duty. */
  readonly onFailure: (error: unknown) => void;
}

/** A duty that is done over and over. Modes: *stopped* until `start`, and again from `stop` on. */
export class Periodic {
  readonly #options: PeriodicOptions;
  #running: { controller: AbortController; loop: Promise<void> } | null = null;

  constructor(options: PeriodicOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#running !== null) return;
    const controller = new AbortController();
    this.#running = { controller, loop: this.#loop(controller.signal) };
  }

  /** Resolves when a round that is under way has ended. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    running?.controller.abort();
    await running?.loop;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { timers, everyMs, round, onFailure } = this.#options;
    while (!signal.aborted) {
      try {
        await round();
      } catch (error) {
        onFailure(error);
      }
      await timers.sleep(everyMs, signal);
    }
  }
}
