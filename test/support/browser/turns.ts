/** Lets a handler wait until the test says that it may go on, step by step. */
export class Turns {
  #given = 0;
  #waiting: PromiseWithResolvers<void>[] = [];

  /** Waits for the next turn that nobody has taken; leaves the queue when it is told to stop. */
  take(signal: AbortSignal): Promise<void> {
    if (this.#given > 0) {
      this.#given -= 1;
      return Promise.resolve();
    }
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn);
    const leave = (): void => {
      this.#waiting = this.#waiting.filter((one) => one !== turn);
      turn.reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    return turn.promise;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#given += 1;
    else next.resolve();
  }
}
