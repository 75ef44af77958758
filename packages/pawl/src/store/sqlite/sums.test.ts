import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { databasePath } from '../../../../../test/support/sqlite/threaded-scene.ts';
import type { RowPosition } from '../maintenance.ts';
import { openSqliteStore, type SqliteStore } from './store.ts';

const NO_GUARDS = `SELECT 'DROP TRIGGER ' || name AS sql FROM sqlite_schema WHERE type = 'trigger'`;

interface Opened {
  readonly path: string;
  readonly store: SqliteStore;
  readonly scene: Scene;
}

async function openAt(t: TestContext, path: string): Promise<Opened> {
  const clock = new ManualClock();
  const store = await openSqliteStore({ path, lifecycles, clock, mode: 'inline' });
  t.after(() => store.close());
  return { path, store, scene: new Scene({ store, clock, lifecycles }) };
}

/** Jobs that ended in every way that is written differently. */
async function openFixture(t: TestContext): Promise<Opened> {
  const opened = await openAt(t, databasePath(t));
  const { scene } = opened;
  await scene.type('task', 'task');
  const input = JSON.stringify({ pages: 12, title: 'größer als 7 bit' });
  await scene.ask(await scene.running({ input }), { on: 'succeed' }, { result: '{"ok":true}' });
  await scene.ask(await scene.running(), { on: 'succeed' });
  const error = { class: 'internal_bug', code: 'BROKEN', message: 'it broke' } as const;
  await scene.ask(await scene.running({ input }), { on: 'fail', error });
  return opened;
}

async function checkAll({ store }: Opened, limit = 100) {
  const damage: string[] = [];
  let [rows, position]: [number, RowPosition | null] = [0, null];
  do {
    const check: Awaited<ReturnType<typeof store.maintenance.checkRows>> =
      await store.maintenance.checkRows(position, limit);
    rows += check.rows;
    damage.push(...check.damage);
    position = check.next;
  } while (position !== null);
  return { rows, damage };
}

/** What a disk may do: the database's guards are not asked. */
function spoil(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  try {
    for (const { sql: drop } of db.prepare(NO_GUARDS).all()) db.exec(String(drop));
    assert.equal(db.prepare(sql).run().changes, 1);
  } finally {
    db.close();
  }
}

test('every row that is written matches its checksum, in slices of any length', async (t) => {
  const opened = await openFixture(t);
  const whole = await checkAll(opened);
  assert.deepEqual(whole.damage, []);
  assert.ok(whole.rows > 12, String(whole.rows));
  assert.deepEqual(await checkAll(opened, 1), whole);
});

const FLIPS: readonly [name: string, sql: string][] = [
  ['an input', `UPDATE facts SET input = replace(input, '12', '13') WHERE key = 1`],
  ['a time', 'UPDATE facts SET created_at = created_at + 1 WHERE key = 2'],
  ['a result', `UPDATE ended SET result = '{"ok":null}' WHERE result IS NOT NULL`],
  ['an end', 'UPDATE ended SET attempts = attempts + 8 WHERE key = 2'],
  ['a null', 'UPDATE ended SET backoff_ms = 0 WHERE key = 2'],
  ['an error', `UPDATE details SET error = replace(error, 'it', 'is') WHERE error IS NOT NULL`],
  ['an entry', 'UPDATE log SET ts = ts + 4096 WHERE n = 1'],
  ['the jobs of an entry', `UPDATE log SET jobs = '[3]' WHERE n = 1`],
  [
    'a text',
    `UPDATE log_texts SET payload = replace(payload, 'B', 'C') WHERE payload LIKE '%BROKEN%'`,
  ],
];

for (const [name, sql] of FLIPS) {
  test(`${name} that has changed is found, and nothing is written from then on`, async (t) => {
    const opened = await openFixture(t);
    spoil(opened.path, sql);
    const { damage } = await checkAll(opened);
    assert.equal(damage.length, 1);
    const refused = { name: 'StoreError', outcome: 'unchanged', trouble: 'damaged' };
    await assert.rejects(opened.scene.insert(), refused);
    const health = await opened.store.maintenance.health();
    assert.deepEqual(health, { state: 'damaged', detail: damage[0] });
    assert.equal(
      (await opened.store.list({ tenant: opened.scene.tenant, limit: 1 })).jobs.length,
      1,
    );
    await opened.store.close();
    const later = await openAt(t, opened.path);
    await assert.rejects(later.scene.insert(), refused);
    assert.deepEqual(await later.store.maintenance.health(), health);
  });
}

test('what was erased is not checked any more', async (t) => {
  const opened = await openFixture(t);
  const { jobs } = await opened.store.list({ tenant: opened.scene.tenant, limit: 10 });
  for (const { tenant, id } of jobs) await opened.store.erase({ tenant, id }, 'me');
  assert.deepEqual((await checkAll(opened)).damage, []);
});
