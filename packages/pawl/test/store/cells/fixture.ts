import assert from 'node:assert/strict';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemIds } from '../../../src/core/ids.ts';
import { birthPlaces } from '../../../src/core/lifecycle.ts';
import type { Policy } from '../../../src/core/policy.ts';
import { builtInLifecycles } from '../../../src/lifecycles/built-in.ts';
import { type CellStore, openCells } from '../../../src/store/cells/store.ts';
import type { NewJob } from '../../../src/store/insert.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import type { TailItem, TailQuery } from '../../../src/store/query.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import type { Store } from '../../../src/store/store.ts';

const task = builtInLifecycles.find(({ name }) => name === 'task')!;
const policy: Policy = {
  lifecycle: task.name,
  lifecycleVersion: task.version,
  timeoutMs: null,
  stages: [],
  ...task.defaults,
  lease: { ttlMs: 60_000, heartbeatMs: 15_000 },
};

/** Stores that can be away, and the cells over them. */
export class Site {
  readonly clock: ManualClock = new ManualClock();
  readonly stores = new Map<string, Store>();
  readonly away = new Set<string>();

  open(...names: string[]): Promise<CellStore> {
    const cells = names.map((name) => ({ name, open: async () => this.#reach(name) }));
    return openCells({ cells, clock: this.clock });
  }

  store(name: string): Store {
    const { clock } = this;
    const known =
      this.stores.get(name) ?? openMemoryStore({ clock, lifecycles: builtInLifecycles });
    this.stores.set(name, known);
    return known;
  }

  async insert(store: Store, tenant: string, count: number = 1): Promise<NewJob[]> {
    const number = await store.putPolicy(policy);
    const ids = systemIds(this.clock);
    const jobs = Array.from({ length: count }, (): NewJob => ({
      tenant,
      id: ids.next(),
      type: 'task',
      queue: 'default',
      lifecycle: task.name,
      lifecycleVersion: task.version,
      policy: number,
      maxAttempts: 3,
      places: birthPlaces(task, true),
      priority: 0,
      runAt: null,
      deadlineAt: null,
      input: '{}',
      metadata: null,
      idempotency: null,
      actor: 'api',
    }));
    await store.insert(jobs);
    return jobs;
  }

  /** The same store, but nothing of it answers while it is away. */
  #reach(name: string): Store {
    this.#check(name);
    return this.#guarded(this.store(name), name);
  }

  #check(name: string): void {
    if (this.away.has(name)) throw new StoreError('unchanged', 'nothing listens there');
  }

  #guarded<Of extends object>(of: Of, name: string): Of {
    return new Proxy(of, {
      get: (target, member) => {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value === 'function') {
          return async (...args: unknown[]): Promise<unknown> => {
            this.#check(name);
            return Reflect.apply(value, target, args) as unknown;
          };
        }
        return typeof value === 'object' && value !== null ? this.#guarded(value, name) : value;
      },
    });
  }
}

export async function cellOf(store: CellStore, tenant: string): Promise<string | undefined> {
  const placed = await store.cells.placements({ limit: 100 });
  return placed.find((one) => one.tenant === tenant)?.cell;
}

export async function followed(
  store: Store,
  from: TailQuery['from'],
  tenant: string | null = null,
): Promise<{ items: TailItem[]; cursor: string }> {
  const items: TailItem[] = [];
  for (;;) {
    const page = await store.tail({ tenant, from, limit: 3 });
    assert.equal(page.isReset, false);
    items.push(...page.items);
    from = { cursor: page.cursor };
    if (page.items.length === 0) return { items, cursor: page.cursor };
  }
}

export function idsOf(items: readonly TailItem[]): string[] {
  return items.map(({ event }) => `${event.jobId} v${event.version}`);
}
