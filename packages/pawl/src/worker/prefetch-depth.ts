import type { Clock } from '../core/clock.ts';

/** Work is claimed ahead for this long: short enough that nobody else would have been quicker. */
const AHEAD_MS = 50;

/** A shorter look tells chance from pace. */
const LOOK_MS = 5;

/**
 * How many jobs are worth claiming ahead of a free slot: as many as end within a moment. Where a
 * job takes a second there is none, so that no other worker waits for it; where thousands end in a
 * second, a claim brings a batch. A fixed number, where one is given, is taken as it is.
 */
export class PrefetchDepth {
  readonly #fixed: number | null;
  readonly #clock: Clock;
  #ended = 0;
  #lookedAt: number | null = null;
  #perMs = 0;

  constructor(prefetch: number | 'auto', clock: Clock) {
    this.#fixed = prefetch === 'auto' ? null : prefetch;
    this.#clock = clock;
  }

  /** A handler has ended. */
  ended(): void {
    this.#ended += 1;
  }

  /** How many to claim ahead, as things go. */
  jobs(): number {
    if (this.#fixed !== null) return this.#fixed;
    const now = this.#clock.now();
    const tookMs = now - (this.#lookedAt ?? now);
    if (this.#lookedAt === null || tookMs >= LOOK_MS) {
      if (tookMs > 0) this.#perMs = (this.#perMs + this.#ended / tookMs) / 2;
      this.#ended = 0;
      this.#lookedAt = now;
    }
    return Math.floor(this.#perMs * AHEAD_MS);
  }
}
