import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from 'pawl/internal/core/clock';
import type { Timers } from 'pawl/internal/core/timers';

interface Sleeper {
  readonly at: number;
  /** Who fell asleep first wakes first. */
  readonly order: number;
  readonly wake: () => void;
}

function isBefore(one: Sleeper, other: Sleeper): boolean {
  return one.at === other.at ? one.order < other.order : one.at < other.at;
}

/** Timers of thousands of workers, on a clock that jumps from one wake-up to the next. */
export class VirtualTime implements Timers {
  readonly clock: ManualClock = new ManualClock();
  readonly #heap: Sleeper[] = [];
  #order = 0;

  now(): number {
    return this.clock.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      signal?.addEventListener('abort', wake, { once: true });
      this.#push({ at: this.now() + ms, order: this.#order++, wake });
    });
  }

  /** Lets everything happen that is due by then. */
  async runUntil(at: number): Promise<void> {
    for (;;) {
      await nextTurn();
      const next = this.#heap[0];
      if (next === undefined || next.at > at) break;
      this.clock.advance(Math.max(0, next.at - this.now()));
      while (this.#heap[0] !== undefined && this.#heap[0].at <= this.now()) this.#pop().wake();
    }
    this.clock.advance(Math.max(0, at - this.now()));
  }

  #push(sleeper: Sleeper): void {
    const heap = this.#heap;
    let index = heap.push(sleeper) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(heap[index]!, heap[parent]!)) return;
      [heap[index], heap[parent]] = [heap[parent]!, heap[index]!];
      index = parent;
    }
  }

  #pop(): Sleeper {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let index = 0; ;) {
      const child = 2 * index + 1;
      if (child >= heap.length) return first;
      const other = child + 1;
      const least = other < heap.length && isBefore(heap[other]!, heap[child]!) ? other : child;
      if (!isBefore(heap[least]!, heap[index]!)) return first;
      [heap[index], heap[least]] = [heap[least]!, heap[index]!];
      index = least;
    }
  }
}
