import type { JobRef } from '../../core/job.ts';

/** Smaller sets are read again at each end. */
const SET_MIN = 100;
/** So many ids are kept in all; then all are forgotten, and read again. */
const IDS_MAX = 1_000_000;

interface OpenSet {
  readonly parent: JobRef;
  readonly ids: Set<string>;
  /** Decided by the first failure. */
  readonly isFailFast: boolean;
}

/** A job that has ended. */
export interface Ended extends JobRef {
  readonly isFailed: boolean;
}

export interface OpenChildren {
  readonly wait: string;
  readonly ids: readonly string[];
  readonly isFailFast: boolean;
}

/**
 * The open children of large sets, as a look found them: while one of them is open, the end of
 * another decides nothing, and nobody has to look. An entry of each that ends comes later.
 */
export class OpenSets {
  /** By parent. */
  readonly #sets: Map<string, Map<string, OpenSet>> = new Map();
  /** By child. */
  readonly #byChild: Map<string, OpenSet> = new Map();

  keep({ tenant, id }: JobRef, { wait, ids, isFailFast }: OpenChildren): void {
    if (ids.length < SET_MIN) return;
    if (this.#byChild.size + ids.length > IDS_MAX) this.#clear();
    const set: OpenSet = { parent: { tenant, id }, ids: new Set(ids), isFailFast };
    const key = keyOf({ tenant, id });
    const own = this.#sets.get(key) ?? new Map<string, OpenSet>();
    this.#sets.set(key, own.set(wait, set));
    for (const child of ids) this.#byChild.set(keyOf({ tenant, id: child }), set);
  }

  knows(child: JobRef): boolean {
    return this.#byChild.has(keyOf(child));
  }

  /** Parents that have to be looked at now that these have ended. */
  end(children: readonly Ended[]): JobRef[] {
    const due: JobRef[] = [];
    for (const child of children) {
      const set = this.#byChild.get(keyOf(child));
      if (set === undefined) continue;
      this.#byChild.delete(keyOf(child));
      set.ids.delete(child.id);
      if (set.ids.size === 0 || (set.isFailFast && child.isFailed)) due.push(set.parent);
    }
    return due;
  }

  /** Of a job that waits anew, or no more. */
  forget(parent: JobRef): void {
    for (const { ids } of this.#sets.get(keyOf(parent))?.values() ?? []) {
      for (const id of ids) this.#byChild.delete(keyOf({ tenant: parent.tenant, id }));
    }
    this.#sets.delete(keyOf(parent));
  }

  #clear(): void {
    this.#sets.clear();
    this.#byChild.clear();
  }
}

function keyOf({ tenant, id }: JobRef): string {
  return `${tenant}\n${id}`;
}
