/** Lets a handler wait until the test says that it may go on, step by step. */
export class Turns {
  #given = 0;
  #isOpen = false;
  #waiting: PromiseWithResolvers<void>[] = [];

  /** Waits for the next turn that nobody has taken; leaves the queue when it is told to stop. */
  take(signal: AbortSignal): Promise<void> {
    if (this.#isOpen) return Promise.resolve();
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

  /** From now on nobody waits: a server that stops waits for the jobs that it has in flight. */
  open(): void {
    this.#isOpen = true;
    for (const turn of this.#waiting.splice(0)) turn.resolve();
  }

  /** As it was in the beginning. */
  shut(): void {
    this.#isOpen = false;
    this.#given = 0;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#given += 1;
    else next.resolve();
  }
}
