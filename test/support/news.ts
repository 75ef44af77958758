// Tells those who wait in this process that something may have changed.

const TIMEOUT_MS = 60_000;

export class News {
  #next = Promise.withResolvers<void>();

  /** Whoever waits looks again. */
  tell(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers();
    resolve();
  }

  /** The first value of `look` that is neither false, null nor undefined; fails with `what`. */
  async until<Value>(what: string, look: () => Value): Promise<NonNullable<Exclude<Value, false>>> {
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => undefined);
    const fault = new Error(`not within ${TIMEOUT_MS} ms: ${what}`);
    AbortSignal.timeout(TIMEOUT_MS).addEventListener('abort', () => late.reject(fault));
    for (;;) {
      const { promise } = this.#next;
      const value = look();
      if (value !== false && value !== null && value !== undefined) {
        return value as NonNullable<Exclude<Value, false>>;
      }
      await Promise.race([promise, late.promise]);
    }
  }
}
