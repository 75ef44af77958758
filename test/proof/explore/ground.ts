// Where an exploration takes place: a store with an engine on it that can be put back to any
// moment it has been at.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Clock } from 'pawl/internal/core/clock';
import type { Ids } from 'pawl/internal/core/ids';
import type { EngineContext } from 'pawl/internal/engine/context';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { InlineHost } from 'pawl/internal/store/sqlite/host';
import { SqliteStore } from 'pawl/internal/store/sqlite/store';
import { Writer } from 'pawl/internal/store/sqlite/writer';
import type { ArtifactRecords } from 'pawl/internal/records/artifacts';
import type { Store } from 'pawl/internal/store/store';

/** Time that can also be put back. */
export class RewindableClock implements Clock {
  at: number = Date.UTC(2026, 0, 1);

  now(): number {
    return this.at;
  }

  advance(ms: number): number {
    this.at += ms;
    return this.at;
  }
}

export interface Ground {
  readonly clock: RewindableClock;
  readonly store: Store;
  readonly artifacts: ArtifactRecords;
  readonly engine: Engine;
  readonly context: EngineContext;
  /** What the store remembers beside the job and its log, as far as it decides anything. */
  inner(): string;
  save(): Uint8Array;
  load(image: Uint8Array): void;
  close(): Promise<void>;
}

type Moments = 'save' | 'load' | 'close';

/** The same in every run; one job has one id, and dead letters and followers have others. */
function countedIds(): Ids {
  let count = 0;
  return { next: () => `01890000-0000-7000-8000-${String(++count).padStart(12, '0')}` };
}

function partsOn(store: Store, clock: Clock): Omit<Ground, 'clock' | 'inner' | Moments> {
  const random = { next: (): number => 0.5 };
  const parts = { store, lifecycles: builtInLifecycles, random, ids: countedIds(), clock };
  const context = openContext(parts);
  return { store, artifacts: context.records.artifacts, engine: new Engine(context), context };
}

/** The real SQLite store in this process's memory; a moment is an image of the whole database. */
export function openSqliteGround(wrap: (store: Store) => Store = (store) => store): Ground {
  const clock = new RewindableClock();
  const writer = new Writer({
    path: ':memory:',
    synchronous: 'full',
    lifecycles: builtInLifecycles,
  });
  const store = wrap(new SqliteStore(new InlineHost(writer), { path: ':memory:', clock }));
  return {
    clock,
    ...partsOn(store, clock),
    inner: () => {
      const sql = 'SELECT gate, notes > 0 AS noted FROM live';
      const rows = writer.tools.connection.text(sql).all();
      return JSON.stringify(rows);
    },
    // Mostly empty pages: packed, ten thousand moments fit into memory.
    save: () => deflateRawSync(writer.tools.connection.db.serialize(), { level: 1 }),
    load: (image) => {
      // Statements of the old content must not outlive it, so the connection is another one.
      writer.tools.connection.close();
      writer.tools.connection.db.deserialize(inflateRawSync(image));
    },
    close: () => store.close(),
  };
}
