/**
 * Ends a request after a time, or when whoever asked for it turns away. It is released with the
 * request: signals that are combined by the platform's own means keep what hangs on them until the
 * next full collection, which at thousands of requests a minute is most of a process's memory.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #asked: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ms = 0;
  #isOver = false;

  constructor(ms: number, asked?: AbortSignal) {
    this.#asked = asked;
    this.setTo(ms);
    if (asked?.aborted === true) this.#end();
    else asked?.addEventListener('abort', this.#end, { once: true });
  }

  /** So much time from now on. */
  setTo(ms: number): void {
    clearTimeout(this.#timer);
    this.#ms = ms;
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#end();
    }, ms).unref();
  }

  get ms(): number {
    return this.#ms;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time ran out before the request was done. */
  get isOver(): boolean {
    return this.#isOver;
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#asked?.removeEventListener('abort', this.#end);
  }

  readonly #end = (): void => {
    this.release();
    this.#controller.abort();
  };
}
