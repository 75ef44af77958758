import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { ManualClock } from 'pawl/internal/core/clock';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import type { NewJob } from 'pawl/internal/store/insert';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { Call } from 'pawl/internal/store/sqlite/verbs';
import { Writer } from 'pawl/internal/store/sqlite/writer';
import { Scene } from '../../../packages/pawl/test/store/suite/scene.ts';
import { databasePath } from './threaded-scene.ts';

export interface Fixture<Jobs> {
  readonly path: string;
  readonly writer: Writer;
  /** Somebody else's connection: it sees what was committed and nothing more. */
  readonly outside: DatabaseSync;
  readonly jobs: Jobs;
}

/** A writer without threads, and jobs that it has not seen. */
export async function openFixture<Jobs>(
  t: TestContext,
  make: (scene: Scene) => Promise<Jobs>,
): Promise<Fixture<Jobs>> {
  const path = databasePath(t);
  const clock = new ManualClock();
  const store = await openSqliteStore({ path, lifecycles, clock, mode: 'inline' });
  const jobs = await make(new Scene({ store, clock, lifecycles }));
  await store.close();
  const writer = new Writer({ path, lifecycles, synchronous: 'full' });
  const outside = new DatabaseSync(path);
  t.after(() => {
    outside.close();
    writer.close();
  });
  return { path, writer, outside, jobs };
}

export const NOW = 1_000;

export function insertCall(...jobs: readonly NewJob[]): Call {
  return { verb: 'insert', args: [jobs], now: NOW };
}
