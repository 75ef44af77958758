import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ManualClock } from 'pawl/internal/core/clock';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { Scene } from '../../../packages/pawl/test/store/suite/scene.ts';

/** A path for a database that goes with its test. */
export function databasePath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-sqlite-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'test.sqlite');
}

/** A store in threads, as the product opens it, and the file that others can look into. */
export async function openThreaded(t: TestContext): Promise<{ scene: Scene; path: string }> {
  const path = databasePath(t);
  const clock = new ManualClock();
  const store = await openSqliteStore({ path, lifecycles, clock });
  t.after(() => store.close());
  const scene = new Scene({ store, clock, lifecycles });
  await scene.type('task', 'task');
  return { scene, path };
}
