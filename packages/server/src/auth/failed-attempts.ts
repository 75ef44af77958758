interface Attempts {
  left: number;
  at: number;
}

/** So many wrong credentials an address may send at once, and one more each so often. */
const BURST = 20;
const REFILL_MS = 5_000;
const ADDRESSES_MAX = 10_000;

/** Counts wrong credentials by address, so that guessing is slow and costs no read of the store. */
export class FailedAttempts {
  readonly #nowMs: () => number;
  readonly #attempts: Map<string, Attempts> = new Map();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** How long the address has to wait until it is heard again; 0: it is. */
  waitMs(address: string): number {
    const left = this.#leftOf(address);
    return left >= 1 ? 0 : Math.ceil((1 - left) * REFILL_MS);
  }

  note(address: string): void {
    const left = Math.max(0, this.#leftOf(address) - 1);
    this.#attempts.delete(address);
    if (this.#attempts.size >= ADDRESSES_MAX) {
      this.#attempts.delete(this.#attempts.keys().next().value!);
    }
    this.#attempts.set(address, { left, at: this.#nowMs() });
  }

  #leftOf(address: string): number {
    const known = this.#attempts.get(address);
    if (known === undefined) return BURST;
    return Math.min(BURST, known.left + (this.#nowMs() - known.at) / REFILL_MS);
  }
}
