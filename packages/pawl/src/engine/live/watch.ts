import type { Timers } from '../../core/timers.ts';

/**
 * Somebody's interest. What happens between `reset` and `wait` is not lost: whoever resets, reads
 * the store and then waits misses nothing.
 */
export class Watch {
  readonly #timers: Timers;
  readonly #close: (watch: Watch) => void;
  #isWoken = false;
  #wake: (() => void) | null = null;

  constructor(timers: Timers, close: (watch: Watch) => void) {
    this.#timers = timers;
    this.#close = close;
  }

  reset(): void {
    this.#isWoken = false;
  }

  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  /** Resolves on news, when the time is over, or on the signal. */
  async wait(waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isWoken || signal.aborted || waitMs <= 0) return;
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    signal.addEventListener('abort', stop, { once: true });
    this.#wake = stop;
    await this.#timers.sleep(waitMs, controller.signal);
    this.#wake = null;
    signal.removeEventListener('abort', stop);
  }

  close(): void {
    this.#close(this);
  }
}
