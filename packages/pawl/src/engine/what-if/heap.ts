/** A queue whose first item is the least by an order: a binary heap. */
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #compare: (one: Item, other: Item) => number;

  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(items[parent]!, item) <= 0) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length > 0) this.#sink(last!);
    return first;
  }

  #sink(item: Item): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      const other = child + 1;
      if (other < items.length && this.#compare(items[other]!, items[child]!) < 0) child = other;
      if (this.#compare(item, items[child]!) <= 0) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = item;
  }
}
