import type { Timers } from '../core/timers.ts';

/** The longest time that anyone sleeps without looking up. */
const SLEEP_MS_MAX = 60_000;

const WOKEN = 'woken';

/** Wakes one sleeper. A signal while nobody sleeps is remembered, so that none is missed. */
export class WakeSignal {
  readonly #timers: Timers;
  #isWoken = false;
  #sleeper: AbortController | null = null;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  wake(): void {
    this.#isWoken = true;
    // With a reason, since without one an error is made for it.
    this.#sleeper?.abort(WOKEN);
  }

  /** Resolves after the time, or at the next signal. */
  async wait(ms: number): Promise<void> {
    if (!this.#isWoken && ms > 0) {
      this.#sleeper = new AbortController();
      await this.#timers.sleep(Math.min(ms, SLEEP_MS_MAX), this.#sleeper.signal);
      this.#sleeper = null;
    }
    this.#isWoken = false;
  }
}
