import type { AwaitedBy } from '../../core/job-labels.ts';
import type { JobRef } from '../../core/job.ts';

/** So many keys are kept in all; then all are forgotten, and read again. */
const KEYS_MAX = 1_000_000;

/** A job that has ended. */
export interface Ended extends JobRef {
  readonly isFailed: boolean;
  readonly awaitedBy: AwaitedBy | null;
}

/** The chunks of a set whose children have all ended: those from `below` on. */
export interface OverChunks {
  /** How many children the set had then. */
  readonly count: number;
  readonly below: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** Children of a set that were open when it was looked at: all those of one chunk. */
export interface OpenChildren {
  readonly wait: string;
  readonly keys: readonly string[];
  readonly over: OverChunks;
  /** Decided by the first failure. */
  readonly isFailFast: boolean;
}

interface OpenSet {
  readonly keys: Set<string>;
  readonly over: OverChunks;
  readonly isFailFast: boolean;
}

/**
 * Some open children of each set, as a look found them: while one of them is open, the end of
 * another child decides nothing, and nobody has to look. Their own entries come later in the log,
 * so this is of use only to who follows the log without a gap.
 */
export class OpenSets {
  /** By parent and wait. */
  readonly #sets: Map<string, Map<string, OpenSet>> = new Map();
  #size = 0;

  /** How many children are known to be open. */
  get size(): number {
    return this.#size;
  }

  keep(parent: JobRef, { wait, keys, over, isFailFast }: OpenChildren): void {
    if (this.#size + keys.length > KEYS_MAX) this.clear();
    const own = this.#sets.get(keyOf(parent)) ?? new Map<string, OpenSet>();
    this.#drop(own, wait);
    own.set(wait, { keys: new Set(keys), over, isFailFast });
    this.#size += keys.length;
    this.#sets.set(keyOf(parent), own);
  }

  /** What needs no second look; null where nothing is known. */
  overIn(parent: JobRef, wait: string): OverChunks | null {
    return this.#sets.get(keyOf(parent))?.get(wait)?.over ?? null;
  }

  /** Parents that have to be looked at now that these have ended. */
  end(ended: readonly Ended[]): JobRef[] {
    const due = new Map<string, JobRef>();
    for (const { tenant, isFailed, awaitedBy } of ended) {
      if (awaitedBy === null) continue;
      const parent = { tenant, id: awaitedBy.jobId };
      if (this.#isDecisive(parent, awaitedBy, isFailed)) due.set(keyOf(parent), parent);
    }
    return [...due.values()];
  }

  #isDecisive(parent: JobRef, { wait, key }: AwaitedBy, isFailed: boolean): boolean {
    const own = this.#sets.get(keyOf(parent));
    const set = own?.get(wait);
    if (own === undefined || set === undefined) return true;
    if (set.isFailFast && isFailed) {
      this.#drop(own, wait);
      return true;
    }
    if (set.keys.delete(key)) this.#size -= 1;
    return set.keys.size === 0;
  }

  /** Of a job that waits anew, or no more. */
  forget(parent: JobRef): void {
    const own = this.#sets.get(keyOf(parent));
    for (const wait of own?.keys() ?? []) this.#drop(own!, wait);
    this.#sets.delete(keyOf(parent));
  }

  clear(): void {
    this.#sets.clear();
    this.#size = 0;
  }

  #drop(own: Map<string, OpenSet>, wait: string): void {
    this.#size -= own.get(wait)?.keys.size ?? 0;
    own.delete(wait);
  }
}

function keyOf({ tenant, id }: JobRef): string {
  return `${tenant}\n${id}`;
}
