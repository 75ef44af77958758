import type { Attempt } from './attempt.ts';

/** Attempts that wait for a slot: a line for each type, in the order of the claims. */
export class WaitingLine {
  readonly #lines: Map<string, Attempt[]> = new Map();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** When the first of those that wait must have begun. */
  get startBy(): number {
    let first = Infinity;
    for (const [attempt] of this.#lines.values()) {
      if (attempt !== undefined) first = Math.min(first, attempt.startBy);
    }
    return first;
  }

  add(attempt: Attempt): void {
    const { type } = attempt.job;
    const line = this.#lines.get(type);
    if (line === undefined) this.#lines.set(type, [attempt]);
    else line.push(attempt);
    this.#size += 1;
  }

  /** Takes from the front of each line, for as long as `isTaken` says so. */
  takeWhile(isTaken: (attempt: Attempt) => boolean): void {
    if (this.#size === 0) return;
    for (const line of this.#lines.values()) {
      const end = line.findIndex((attempt) => !isTaken(attempt));
      const taken = end === -1 ? line.length : end;
      this.#size -= taken;
      if (taken === 1) line.shift();
      else if (taken > 1) line.splice(0, taken);
    }
  }
}
