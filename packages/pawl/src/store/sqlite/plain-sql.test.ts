import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { openSqliteStore } from './store.ts';

/** What happened and what has ended, each table with rows that the verbs wrote. */
const WRITTEN = ['facts', 'ended', 'log', 'log_texts', 'notes', 'annotations'];

/** A job that failed, one that was compensated after its end, and one at work. */
async function populate(scene: Scene): Promise<void> {
  const note = { type: 'job_log', message: 'hi', payload: null } as const;
  const failing = await scene.running();
  await scene.renew(failing, { notes: [note] });
  await scene.ask(failing, { on: 'fail', error: { class: 'timeout', message: 'slow' } });
  const ended = await scene.ask(await scene.running(), { on: 'succeed' });
  const annotation = { event: 'job_compensated', cause: 'child', payload: null } as const;
  await scene.apply(scene.move(ended, [], { annotation }));
  await scene.renew(await scene.running(), { notes: [note] });
}

function everythingIn(db: DatabaseSync): unknown {
  return WRITTEN.map((table) => db.prepare(`SELECT * FROM ${table}`).all());
}

test('[R4, R5] plain SQL beside an open store changes no end, no facts and no log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-plain-sql-'));
  const path = join(folder, 'jobs.sqlite');
  const clock = new ManualClock();
  const store = await openSqliteStore({ path, lifecycles: builtInLifecycles, clock });
  const db = new DatabaseSync(path);
  try {
    await populate(new Scene({ store, clock, lifecycles: builtInLifecycles }));
    const before = everythingIn(db);
    for (const table of WRITTEN) {
      const { rows } = db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()!;
      assert.ok((rows as number) > 0, `${table} is empty`);
      const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(table);
      const updates = columns.flatMap((column) => {
        const name = String(column['name']);
        return ['', 'OR IGNORE', 'OR REPLACE'].map(
          (or) => `UPDATE ${or} ${table} SET ${name} = ${name}`,
        );
      });
      for (const sql of [...updates, `DELETE FROM ${table}`, `DELETE FROM ${table} WHERE true`]) {
        assert.throws(() => db.exec(sql), /pawl refuses this: what is written/, sql);
      }
    }
    assert.deepEqual(everythingIn(db), before);
  } finally {
    db.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
