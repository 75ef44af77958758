const SIZE_MIN = 16;
const SIZE_MAX = 500;

/**
 * How many events a stream reads at a time: few at first, more while its reader takes them all.
 * What a slow reader has not taken is read again, because it would be held in memory for it.
 */
export class Portion {
  #size = SIZE_MIN;

  get size(): number {
    return this.#size;
  }

  /** What became of a portion: how many of it the reader had room for, or that it was all. */
  took(sent: number, isWhole: boolean): void {
    const next = isWhole ? this.#size * 2 : sent * 2;
    this.#size = Math.min(SIZE_MAX, Math.max(SIZE_MIN, next));
  }
}
