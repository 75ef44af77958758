export interface PaceOptions {
  readonly minMs: number;
  readonly maxMs: number;
}

/** How long to sleep between polls: not at all while there is work, then longer and longer. */
export class Pace {
  readonly #options: PaceOptions;
  #idleMs: number;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#idleMs = options.minMs;
  }

  /** `wanted`: how many jobs there was room for. */
  after({ wanted, found }: { wanted: number; found: number }): number {
    const { minMs, maxMs } = this.#options;
    if (wanted === 0) return Infinity;
    if (found > 0) {
      this.#idleMs = minMs;
      return found < wanted ? minMs : 0;
    }
    const sleepMs = this.#idleMs;
    this.#idleMs = Math.min(maxMs, this.#idleMs * 2);
    return sleepMs;
  }
}
