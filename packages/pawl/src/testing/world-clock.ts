import type { ManualClock } from '../core/clock.ts';
import { type Duration, durationMs } from '../core/duration.ts';
import type { ManualTimers } from './manual-timers.ts';

export interface WorldClockOptions {
  readonly timers: ManualTimers;
  /** Does what is due now; how long until there is more. */
  readonly pulse: () => Promise<number>;
}

const STEP_MS = 60_000;
const STEPS_MAX = 10_000;

/** The virtual clock of a world. */
export class WorldClock {
  readonly #clock: ManualClock;
  readonly #options: WorldClockOptions;

  constructor(clock: ManualClock, options: WorldClockOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  now(): Date {
    return new Date(this.#clock.now());
  }

  /**
   * Lets time pass, and all that comes with it: leases of handlers at work are renewed, those of
   * lost workers run out, backoffs end, schedules fire, attempts and jobs that take too long are
   * ended. Jobs that become due are begun by the next `runUntilIdle`.
   */
  async advance(by: Duration): Promise<void> {
    const ms = durationMs(by, '/by');
    const { timers, pulse } = this.#options;
    const until = this.#clock.now() + ms;
    const stepMsMax = Math.max(STEP_MS, ms / STEPS_MAX);
    for (;;) {
      const dueInMs = Math.max(1, Math.min(await pulse(), timers.nextInMs));
      const leftMs = until - this.#clock.now();
      if (leftMs <= 0) return;
      timers.advance(Math.min(leftMs, dueInMs, stepMsMax));
    }
  }
}
