import type { ManualClock } from '../core/clock.ts';
import type { Timers } from '../core/timers.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Sleepers wake when the clock has been moved past their time, or when they are called. */
export class ManualTimers implements Timers {
  readonly #clock: ManualClock;
  #sleepers: Sleeper[] = [];

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
        resolve();
      };
      const sleeper = { at: this.#clock.now() + ms, wake };
      this.#sleepers.push(sleeper);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  /** How long until the first of them wakes. */
  get nextInMs(): number {
    return Math.min(...this.#sleepers.map(({ at }) => at)) - this.#clock.now();
  }

  advance(ms: number): void {
    const now = this.#clock.advance(ms);
    for (const { at, wake } of this.#sleepers) if (at <= now) wake();
  }
}
