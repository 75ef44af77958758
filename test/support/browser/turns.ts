/** Lets a handler wait until the test says that it may go on, step by step. */
export class Turns {
  #given = 0;
  #waiting: (() => void)[] = [];

  /** Waits for the next turn that nobody has taken. */
  take(): Promise<void> {
    if (this.#given > 0) {
      this.#given -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#given += 1;
    else next();
  }
}
