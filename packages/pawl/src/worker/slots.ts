import type { JobDefinition } from '../handler/define-job.ts';

export interface SlotOptions {
  /** The most handlers at a time. */
  readonly slots: number;
  /** The most jobs claimed ahead of a free slot; `auto`: as many as soon find one. */
  readonly prefetch: number | 'auto';
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
  #runningAll = 0;
  #heldAll = 0;
  #round = 0;

  constructor(jobs: readonly JobDefinition[], options: SlotOptions) {
    this.#options = options;
    this.#limits = new Map(jobs.map(({ type, concurrency }) => [type, concurrency]));
  }

  /** How many more may be held, with so many claimed ahead of a free slot. */
  roomWith(ahead: number): number {
    return Math.max(0, this.#options.slots + ahead - this.#heldAll);
  }

  get size(): number {
    return this.#options.slots;
  }

  get hasFree(): boolean {
    return this.#runningAll < this.#options.slots;
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

  /** The one claim that asks for all there is room for; null where that takes several, or none. */
  get onlyOrder(): ClaimOrder | null {
    const types = [...this.#limits.keys()];
    const isFree = types.every((type) => this.#limits.get(type) === Infinity);
    if (!isFree && types.length > 1) return null;
    const max = isFree ? Infinity : this.#roomOf(types[0]!);
    return types.length === 0 || max === 0 ? null : { types, max };
  }

  hold(type: string): void {
    this.#heldAll += 1;
    add(this.#held, type, 1);
  }

  /** Takes a slot for a job that is held, if there is one. */
  enter(type: string): boolean {
    if (!this.hasFree) return false;
    if ((this.#running.get(type) ?? 0) >= this.#limits.get(type)!) return false;
    this.#runningAll += 1;
    add(this.#running, type, 1);
    return true;
  }

  leave(type: string): void {
    this.#runningAll -= 1;
    add(this.#running, type, -1);
  }

  letGo(type: string): void {
    this.#heldAll -= 1;
    add(this.#held, type, -1);
  }

  #roomOf(type: string): number {
    return Math.max(0, this.#limits.get(type)! - (this.#held.get(type) ?? 0));
  }
}

function add(counts: Map<string, number>, type: string, change: number): void {
  counts.set(type, (counts.get(type) ?? 0) + change);
}
