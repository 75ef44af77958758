import assert from 'node:assert/strict';
import { copyFileSync, rmSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { databasePath } from '../../../../../test/support/sqlite/threaded-scene.ts';
import { openSqliteStore, type SqliteStore } from './store.ts';

async function jobsIn(store: SqliteStore, count: number): Promise<void> {
  const scene = new Scene({ store, clock: new ManualClock(), lifecycles });
  await scene.type('task', 'task');
  for (let made = 0; made < count; made++) await scene.insert();
}

test('a disk that has lost what it confirmed is found out, and its log gets a new name', async (t) => {
  const path = databasePath(t);
  const open = (): Promise<SqliteStore> => openSqliteStore({ path, lifecycles, mode: 'inline' });
  const first = await open();
  await jobsIn(first, 2);
  await first.close();
  copyFileSync(path, `${path}.kept`);
  const second = await open();
  const name = await second.incarnation();
  assert.equal((await second.maintenance.figures()).lost, null, 'nothing was lost so far');
  await jobsIn(second, 3);
  await second.close();
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  copyFileSync(`${path}.kept`, path);
  const third = await open();
  t.after(() => third.close());
  const { lost } = await third.maintenance.figures();
  assert.match(String(lost), /^entries 3 to 5 of the log were committed and were gone at /);
  assert.notEqual(await third.incarnation(), name);
  assert.equal(statSync(`${path}.mark`).mode & 0o777, 0o600);
});

test('what was rolled back was never committed, and is not missed', async (t) => {
  const path = databasePath(t);
  const store = await openSqliteStore({ path, lifecycles, mode: 'inline' });
  const scene = new Scene({ store, clock: new ManualClock(), lifecycles });
  await scene.type('task', 'task');
  const [good, bad] = [scene.insert(), scene.insert({ input: 'not JSON' })];
  await assert.rejects(bad);
  await good;
  await store.close();
  const next = await openSqliteStore({ path, lifecycles, mode: 'inline' });
  t.after(() => next.close());
  assert.equal((await next.maintenance.figures()).lost, null);
});
