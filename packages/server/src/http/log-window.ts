import type { LogSink } from 'pawl/internal/engine/live/live-hub';
import type { TailItem } from 'pawl/internal/store/query';
import { type EventFrame, eventFrame } from './live-frame.ts';
import { briefEventJson } from 'pawl/internal/contract/event-view';

/** An item of the log with its text for streams, made once for all readers. */
export interface WindowItem {
  readonly item: TailItem;
  readonly frame: EventFrame;
}

export function windowItem(item: TailItem): WindowItem {
  return { item, frame: eventFrame(item.cursor, item.event, briefEventJson(item.event, item)) };
}

const CHARACTERS_MAX = 8_388_608;

/**
 * The latest part of the log, so that readers who are up to date are served from memory. A reader
 * whose cursor is not in it reads the store until it is.
 */
export class LogWindow implements LogSink {
  readonly #charactersMax: number;
  readonly #places: Map<string, number> = new Map();
  #items: WindowItem[] = [];
  /** The place of the first item: places are counted from the start and never reused. */
  #first = 0;
  #characters = 0;

  constructor(charactersMax: number = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

  append(items: readonly TailItem[]): void {
    for (const item of items) {
      const one = windowItem(item);
      this.#places.set(item.cursor, this.#first + this.#items.length);
      this.#items.push(one);
      this.#characters += one.frame.text.length;
    }
    let over = 0;
    for (; this.#characters > this.#charactersMax && over < this.#items.length; over++) {
      this.#characters -= this.#items[over]!.frame.text.length;
    }
    if (over > 0) this.#forget(over);
  }

  /** What came after the cursor, up to a limit; null when the window does not know the cursor. */
  after(cursor: string, limit: number): readonly WindowItem[] | null {
    const place = this.#places.get(cursor);
    if (place === undefined) return null;
    const start = place - this.#first + 1;
    return this.#items.slice(start, start + limit);
  }

  clear(): void {
    this.#forget(this.#items.length);
    this.#characters = 0;
  }

  #forget(count: number): void {
    for (const { item } of this.#items.slice(0, count)) this.#places.delete(item.cursor);
    this.#items = this.#items.slice(count);
    this.#first += count;
  }
}
