import type { Instant } from '../../core/clock.ts';
import type { StoreWakeSignal } from '../wake-signal.ts';
import type { NewJob } from '../insert.ts';

type OnWake = (types: readonly string[]) => void;

/**
 * Tells who waits in this process of jobs that are on their way to the writer. A claim that is made
 * now stands behind them in the writer's line, and mostly shares their commit: a job that finds a
 * worker waiting is written and taken at the price of one flush of the disk.
 */
export class EarlyWakeSignal implements StoreWakeSignal {
  readonly tellsOfBirths = true;
  readonly #listeners: Set<OnWake> = new Set();

  /** Nobody else has the file. */
  wake(): void {}

  listen(onWake: OnWake): () => Promise<void> {
    this.#listeners.add(onWake);
    return async () => {
      this.#listeners.delete(onWake);
    };
  }

  /** To be called when the jobs have been asked for, not before. */
  asked(jobs: readonly NewJob[], now: Instant): void {
    if (this.#listeners.size === 0) return;
    const types = new Set<string>();
    for (const { type, places, runAt } of jobs) {
      if (places.at(-1)?.phase === 'ready' && (runAt === null || runAt <= now)) types.add(type);
    }
    if (types.size === 0) return;
    for (const onWake of this.#listeners) onWake([...types]);
  }
}
