import type { Timers } from '../core/timers.ts';

/** The longest time that anyone sleeps without looking up. */
const SLEEP_MS_MAX = 60_000;

const RUNG = 'rung';

/** Wakes one sleeper. A ring while nobody sleeps is remembered, so that none is missed. */
export class Bell {
  readonly #timers: Timers;
  #isRung = false;
  #sleeper: AbortController | null = null;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  ring(): void {
    this.#isRung = true;
    // With a reason, since without one an error is made for it.
    this.#sleeper?.abort(RUNG);
  }

  /** Resolves after the time, or at the next ring. */
  async wait(ms: number): Promise<void> {
    if (!this.#isRung && ms > 0) {
      this.#sleeper = new AbortController();
      await this.#timers.sleep(Math.min(ms, SLEEP_MS_MAX), this.#sleeper.signal);
      this.#sleeper = null;
    }
    this.#isRung = false;
  }
}
