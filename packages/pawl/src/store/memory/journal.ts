/** Remembers how to take back what a transaction wrote, in case it fails half-way. */
export class Journal {
  #undo: (() => void)[] = [];

  transaction<Answer>(body: () => Answer): Answer {
    this.#undo = [];
    try {
      return body();
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo();
      throw error;
    }
  }

  /** A part of a transaction that can be taken back alone: all that was written since then. */
  mark(): () => void {
    const at = this.#undo.length;
    return () => {
      for (const undo of this.#undo.splice(at).reverse()) undo();
    };
  }

  note(undo: () => void): void {
    this.#undo.push(undo);
  }
}

/** A map whose writes are taken back when the transaction fails. Values are never mutated. */
export class Table<Value> {
  readonly #rows = new Map<string, Value>();
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): Value | undefined {
    return this.#rows.get(key);
  }

  set(key: string, value: Value): void {
    const before = this.#rows.get(key);
    this.#rows.set(key, value);
    this.#journal.note(() => {
      if (before === undefined) this.#rows.delete(key);
      else this.#rows.set(key, before);
    });
  }

  delete(key: string): void {
    const before = this.#rows.get(key);
    if (!this.#rows.delete(key)) return;
    this.#journal.note(() => this.#rows.set(key, before!));
  }

  values(): Value[] {
    return [...this.#rows.values()];
  }

  entries(): [key: string, value: Value][] {
    return [...this.#rows];
  }
}

/** A list that only grows, but for a failed transaction. */
export class Log<Item> {
  readonly #items: Item[] = [];
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get length(): number {
    return this.#items.length;
  }

  append(item: Item): void {
    this.#items.push(item);
    this.#journal.note(() => this.#items.pop());
  }

  replace(position: number, item: Item): void {
    const before = this.#items[position]!;
    this.#items[position] = item;
    this.#journal.note(() => (this.#items[position] = before));
  }

  from(position: number): readonly Item[] {
    return this.#items.slice(position);
  }
}
