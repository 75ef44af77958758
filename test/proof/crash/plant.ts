// An engine on a SQLite file, in passed-in time, for a process that dies and for its successor.
import { appendFileSync } from 'node:fs';
import type { ArtifactStore } from '../../../src/artifact/artifact-store.ts';
import { openFolderArtifacts } from '../../../src/artifact/folder.ts';
import type { Operation } from '../../../src/check/history.ts';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemIds } from '../../../src/core/ids.ts';
import { Artifacts } from '../../../src/engine/artifacts.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { openContext } from '../../../src/engine/open-context.ts';
import type { LogFollower } from '../../../src/engine/follow/log-follower.ts';
import { IDEMPOTENCY_WINDOW_MS } from '../../../src/engine/draft.ts';
import type { EnqueueRequest } from '../../../src/engine/enqueue-request.ts';
import { SHARED_TENANT } from '../../../src/engine/registry.ts';
import { builtInLifecycles as lifecycles } from '../../../src/lifecycles/built-in.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import type { Store } from '../../../src/store/store.ts';
import { DELIVERY_TYPE, fanOut } from '../../../src/webhooks/deliveries.ts';

export const TENANT = 'acme';
export const BEGIN_AT: number = Date.UTC(2026, 0, 1);
export const TYPES: readonly string[] = ['convert', 'index', DELIVERY_TYPE];

export interface Plant {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly engine: Engine;
  readonly files: ArtifactStore;
  readonly artifacts: Artifacts;
  /** Makes a delivery of each event for each webhook, from where the last process stood. */
  readonly fanOut: LogFollower;
}

export interface PlantOptions {
  readonly folder: string;
  readonly startAt: number;
  readonly wrap?: (store: Store) => Store;
}

export async function openPlant({ folder, startAt, wrap }: PlantOptions): Promise<Plant> {
  const clock = new ManualClock(startAt);
  const path = `${folder}/jobs.db`;
  const opened = await openSqliteStore({ path, lifecycles, clock, mode: 'inline' });
  const store = wrap?.(opened) ?? opened;
  const random = { next: (): number => 0.5 };
  const context = openContext({ store, lifecycles, random, ids: systemIds(clock), clock });
  const engine = new Engine(context);
  const files = await openFolderArtifacts({ folder: `${folder}/bytes` });
  const artifacts = new Artifacts(context, { files });
  const follower = engine.follow({
    name: 'webhooks',
    handle: async (items) =>
      void (await fanOut({ engine, records: context.records.webhooks }, items)),
  });
  return { clock, store, engine, files, artifacts, fanOut: follower };
}

export async function putTypes({ engine }: Plant): Promise<void> {
  const retry = { maxAttempts: 2, backoff: { kind: 'fixed', baseMs: 1_000 } } as const;
  const named = (type: string) => ({ tenant: SHARED_TENANT, type });
  await engine.putType(named('convert'), { lifecycle: 'task', retry });
  await engine.putType(named('index'), { lifecycle: 'distributed', retry });
  await engine.putType(named(DELIVERY_TYPE), { lifecycle: 'task' });
}

/** What the process told the world, line by line on a disk of its own. */
export type Line =
  | { readonly sent: number; readonly operation: Operation }
  | { readonly answered: number; readonly outcome: 'ok' | 'fail'; readonly jobId?: string }
  | { readonly fact: string; readonly jobId: string };

export class CallLog {
  readonly #path: string;
  #count = 0;

  constructor(path: string) {
    this.#path = path;
  }

  write(line: Line): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }

  /** What a caller may rely on from now on. */
  fact(fact: string, jobId: string): void {
    this.write({ fact, jobId });
  }

  async submit(plant: Plant, requests: readonly EnqueueRequest[]): Promise<string[]> {
    const numbers = requests.map(({ correlationId = null, idempotencyKey: key, id = null }) => {
      const sent = this.#count++;
      const idempotency = key === undefined ? null : { key, windowMs: IDEMPOTENCY_WINDOW_MS };
      const submit = { kind: 'submit', tenant: TENANT, outcome: 'unknown' } as const;
      this.write({ sent, operation: { ...submit, jobId: id, correlationId, idempotency } });
      return sent;
    });
    const caller = { tenant: TENANT, principal: 'tester' };
    const results = await plant.engine.enqueue(requests, { caller }).catch((error: unknown) => {
      // Told that nothing was changed, a caller relies on that as well.
      if (error instanceof StoreError && error.outcome !== 'unknown') {
        for (const answered of numbers) this.write({ answered, outcome: 'fail' });
      }
      throw error;
    });
    return results.map((result, index) => {
      if (result.kind === 'refused') throw result.error;
      const jobId = result.job.id;
      this.write({ answered: numbers[index]!, outcome: 'ok', jobId });
      return jobId;
    });
  }
}
