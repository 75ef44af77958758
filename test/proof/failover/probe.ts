// A job twice a second through one server: how long nobody was served on its way to the primary.
import { systemTimers } from 'pawl/internal/core/timers';
import type { Clients } from '../fleet/clients.ts';

const EVERY_MS = 500;
const AT_ONCE_MAX = 12;

/** The longest time between two answers that touches these moments. */
export function longestGap(
  served: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
): number {
  const before = served.findLast((at) => at < from) ?? from;
  const within = served.filter((at) => at >= from && at <= to).toSorted((a, b) => a - b);
  const times = [before, ...within];
  return Math.max(...times.map((at, index) => (times[index + 1] ?? to) - at));
}

export class Probe {
  readonly route: string;
  readonly #served: number[] = [];
  readonly #stop: AbortController = new AbortController();
  readonly #work: Promise<void>;

  constructor(route: string, ask: () => ReturnType<Clients['probe']>) {
    this.route = route;
    this.#work = this.#repeat(ask);
  }

  async #repeat(ask: () => Promise<boolean>): Promise<void> {
    const { signal } = this.#stop;
    const open = new Set<Promise<unknown>>();
    while (!signal.aborted) {
      if (open.size < AT_ONCE_MAX) {
        const one = this.#ask(ask).finally(() => open.delete(one));
        open.add(one);
      }
      await systemTimers.sleep(EVERY_MS, signal);
    }
    await Promise.all(open);
  }

  async #ask(ask: () => Promise<boolean>): Promise<void> {
    if (await ask()) this.#served.push(performance.now());
  }

  isServedSince(at: number): boolean {
    return (this.#served.at(-1) ?? 0) > at;
  }

  longestGap(from: number, to: number): number {
    return longestGap(this.#served, { from, to });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }
}
