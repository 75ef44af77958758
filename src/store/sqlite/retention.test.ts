import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { openSqliteStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-retention-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('[R5] an erasure by hand can take texts away and nothing else', async () => {
  const path = join(folder, 'jobs.sqlite');
  const clock = new ManualClock();
  const lifecycles = builtInLifecycles;
  const store = await openSqliteStore({ path, lifecycles, clock, mode: 'inline' });
  const scene = new Scene({ store, clock, lifecycles });
  await scene.ask(await scene.running(), { on: 'succeed' });
  const open = await scene.running();
  await scene.renew(open);
  await store.close();
  const db = new DatabaseSync(path);
  const change = (table: string, set: string, seq: number): void =>
    db.exec(`UPDATE ${table} SET ${set} WHERE job_seq = ${seq}`);
  change('events', 'message = NULL', 1);
  for (const set of [`message = 'x'`, `payload = '{"delayMs":1}'`, `actor = 'me'`, 'ts = 5']) {
    assert.throws(() => change('events', set, 1), /events are facts/, set);
  }
  assert.throws(() => change('events', 'message = NULL', 2), /events are facts/);
  assert.throws(() => change('notes', 'message = NULL, payload = NULL', 2), /notes are facts/);
  db.close();
});
