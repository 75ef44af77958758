import type { JobDefinition } from '../handler/define-job.ts';

export interface SlotOptions {
  /** The most handlers at a time. */
  readonly slots: number;
  /** The most jobs claimed ahead of a free slot. */
  readonly prefetch: number;
}

/** A claim worth making. */
export interface ClaimOrder {
  readonly types: readonly string[];
  readonly max: number;
}

/** Counts what runs and what waits, over all and by type, and says what there is room for. */
export class Slots {
  readonly #options: SlotOptions;
  readonly #limits: ReadonlyMap<string, number>;
  readonly #running: Map<string, number> = new Map();
  readonly #held: Map<string, number> = new Map();
  #round = 0;

  constructor(jobs: readonly JobDefinition[], options: SlotOptions) {
    this.#options = options;
    this.#limits = new Map(jobs.map(({ type, concurrency }) => [type, concurrency]));
  }

  get room(): number {
    const { slots, prefetch } = this.#options;
    return Math.max(0, slots + prefetch - total(this.#held));
  }

  /**
   * What to ask for now. Types with a limit of their own are asked for one by one, so that none is
   * claimed beyond it; who comes first changes from round to round.
   */
  orders(): ClaimOrder[] {
    const types = [...this.#limits.keys()];
    const isLimited = (type: string): boolean => this.#limits.get(type) !== Infinity;
    const free = types.filter((type) => !isLimited(type));
    const limited = types
      .filter(isLimited)
      .map((type) => ({ types: [type], max: this.#roomOf(type) }));
    const orders = [...(free.length === 0 ? [] : [{ types: free, max: Infinity }]), ...limited];
    const first = this.#round++ % Math.max(1, orders.length);
    return [...orders.slice(first), ...orders.slice(0, first)].filter(({ max }) => max > 0);
  }

  hold(type: string): void {
    add(this.#held, type, 1);
  }

  /** Takes a slot for a job that is held, if there is one. */
  enter(type: string): boolean {
    if (total(this.#running) >= this.#options.slots) return false;
    if ((this.#running.get(type) ?? 0) >= this.#limits.get(type)!) return false;
    add(this.#running, type, 1);
    return true;
  }

  leave(type: string): void {
    add(this.#running, type, -1);
  }

  letGo(type: string): void {
    add(this.#held, type, -1);
  }

  #roomOf(type: string): number {
    return Math.max(0, this.#limits.get(type)! - (this.#held.get(type) ?? 0));
  }
}

function add(counts: Map<string, number>, type: string, change: number): void {
  counts.set(type, (counts.get(type) ?? 0) + change);
}

function total(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}
