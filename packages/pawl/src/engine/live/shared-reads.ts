/**
 * Reads that several ask for at the same moment are made once: all who follow a job are woken
 * together and stand at the same place. What is written after a read began is not in it, so news
 * make everybody read anew.
 */
export class SharedReads {
  readonly #open: Map<string, Promise<unknown>> = new Map();

  /** The read that is under way under this key, or the one given. A key stands for one type. */
  share<Value>(key: string, read: () => Promise<Value>): Promise<Value> {
    const known = this.#open.get(key);
    if (known !== undefined) return known as Promise<Value>;
    const made = read().finally(() => {
      if (this.#open.get(key) === made) this.#open.delete(key);
    });
    this.#open.set(key, made);
    return made;
  }

  /** Whoever asks from now on gets a read of its own. */
  forget(): void {
    this.#open.clear();
  }
}
