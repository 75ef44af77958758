import type { Instant } from '../../core/clock.ts';
import type { StoreBell } from '../bell.ts';
import type { NewJob } from '../insert.ts';

type OnRing = (types: readonly string[]) => void;

/**
 * Tells who waits in this process of jobs that are on their way to the writer. A claim that is made
 * now stands behind them in the writer's line, and mostly shares their commit: a job that finds a
 * worker waiting is written and taken at the price of one flush of the disk.
 */
export class EarlyBell implements StoreBell {
  readonly tellsOfBirths = true;
  readonly #listeners: Set<OnRing> = new Set();

  /** Nobody else has the file. */
  ring(): void {}

  listen(onRing: OnRing): () => Promise<void> {
    this.#listeners.add(onRing);
    return async () => {
      this.#listeners.delete(onRing);
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
    for (const onRing of this.#listeners) onRing([...types]);
  }
}
