import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { ManualClock } from '../../../src/core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../../src/lifecycles/built-in.ts';
import type { NewJob } from '../../../src/store/insert.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import type { Call } from '../../../src/store/sqlite/verbs.ts';
import { Writer } from '../../../src/store/sqlite/writer.ts';
import { Scene } from '../../store/suite/scene.ts';
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
