import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Scene } from '../../../test/store/suite/scene.ts';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { openSqliteStore } from './store.ts';

test('[R5] a revision and its lane are set once, also by SQL typed by hand', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-revision-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'jobs.sqlite');
  const lifecycles = builtInLifecycles;
  const clock = new ManualClock();
  const store = await openSqliteStore({ path, clock, lifecycles, mode: 'inline' });
  const scene = new Scene({ store, clock, lifecycles });
  await scene.enqueue();
  await scene.claimOne({ revisions: { task: { name: 'v1', pin: true } } });
  await scene.enqueue();
  await store.close();
  const db = new DatabaseSync(path);
  const lanes = db.prepare('SELECT number, claim_type FROM lanes ORDER BY number').all();
  assert.deepEqual(
    lanes.map((row) => row['claim_type']),
    ['task', 'task@v1'],
  );
  const other = db.prepare(`INSERT INTO lanes (tenant, queue, type, claim_type)
    VALUES (1, 'other', 'task', 'task@v1')`);
  const { lastInsertRowid } = other.run();
  for (const [sql, why] of [
    [`UPDATE live SET revision = 'v2' WHERE key = 1`, /keeps the revision/],
    ['UPDATE live SET revision = NULL WHERE key = 1', /keeps the revision/],
    ['UPDATE live SET lane = 1 WHERE key = 1', /keeps its lifecycle, lane and key/],
    ['UPDATE live SET lane = 2 WHERE key = 2', /keeps its lifecycle, lane and key/],
    [`UPDATE live SET lane = 2, revision = 'v2' WHERE key = 2`, /lane and key/],
    [`UPDATE live SET lane = ${lastInsertRowid}, revision = 'v1' WHERE key = 2`, /lane and key/],
    [`UPDATE live SET lane = 2, revision = 'v1', version = 9 WHERE key = 2`, /pawl refuses/],
  ] as const) {
    assert.throws(() => db.exec(sql), why, sql);
  }
  db.exec(`UPDATE live SET lane = 2, revision = 'v1' WHERE key = 2`);
  db.close();
});
