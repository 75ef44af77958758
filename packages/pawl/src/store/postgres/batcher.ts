/** One call that waits for its place in a statement. */
interface Entry<Item, Outcome> {
  readonly items: readonly Item[];
  readonly resolve: (outcomes: Outcome[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatcherOptions<Item, Outcome> {
  /** Does the items in one transaction; a patient one may wait for somebody else's lock. */
  readonly run: (items: readonly Item[], isPatient: boolean) => Promise<Outcome[]>;
  /** What an item touches: two calls that touch the same never share a statement. */
  readonly keysOf: (item: Item) => readonly string[];
  /** True where one call may be to blame for what happened to all. */
  readonly isSeparable: (error: unknown) => boolean;
  /** True where waiting longer may help. */
  readonly isImpatience: (error: unknown) => boolean;
}

const ITEMS_MAX = 1_000;

/**
 * Lets concurrent calls share a statement. Idle: a call runs at once. Busy: calls wait, and leave
 * together when the statement under way has been answered. A failure that one of them may have
 * caused makes each run again on its own, without holding up the next batch.
 */
export class Batcher<Item, Outcome> {
  readonly #options: BatcherOptions<Item, Outcome>;
  #waiting: Entry<Item, Outcome>[] = [];
  #isBusy = false;

  constructor(options: BatcherOptions<Item, Outcome>) {
    this.#options = options;
  }

  add(items: readonly Item[]): Promise<Outcome[]> {
    if (items.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject });
      if (!this.#isBusy) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) await this.#runTogether(this.#takeBatch());
    this.#isBusy = false;
  }

  /** In the order of arrival, up to the first that does not fit. */
  #takeBatch(): Entry<Item, Outcome>[] {
    // One alone is in nobody's way, and the keys of a large call are dear.
    if (this.#waiting.length === 1) return this.#waiting.splice(0);
    const taken = new Set<string>();
    let size = 0;
    const end = this.#waiting.findIndex(({ items }, index) => {
      size += items.length;
      if (index > 0 && size > ITEMS_MAX) return true;
      const keys = items.flatMap(this.#options.keysOf);
      if (keys.some((key) => taken.has(key))) return true;
      for (const key of keys) taken.add(key);
      return false;
    });
    return this.#waiting.splice(0, Math.max(1, end === -1 ? this.#waiting.length : end));
  }

  async #runTogether(batch: readonly Entry<Item, Outcome>[]): Promise<void> {
    const { run, isSeparable, isImpatience } = this.#options;
    const items = batch.flatMap((entry) => entry.items);
    try {
      const outcomes = await run(items, false);
      let start = 0;
      for (const { items, resolve } of batch) {
        resolve(outcomes.slice(start, start + items.length));
        start += items.length;
      }
    } catch (error) {
      const isAgain = isImpatience(error) || (batch.length > 1 && isSeparable(error));
      for (const entry of batch) {
        if (isAgain) void this.#runAlone(entry);
        else entry.reject(error);
      }
    }
  }

  async #runAlone({ items, resolve, reject }: Entry<Item, Outcome>): Promise<void> {
    try {
      resolve(await this.#options.run(items, true));
    } catch (error) {
      reject(error);
    }
  }
}
