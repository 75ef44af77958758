import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { defineLifecycle } from '../../core/define-lifecycle.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { Connection } from './connection.ts';
import { migrate, MIGRATIONS } from './migrations.ts';
import { COLUMNS } from './row.ts';
import { STATEMENTS } from './statements.ts';
import { openSqliteStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-migrations-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

function newPath(): string {
  return join(folder, `${++files}.sqlite`);
}

async function openAndClose(path: string, lifecycles: readonly Lifecycle[]): Promise<void> {
  const store = await openSqliteStore({ path, lifecycles, mode: 'inline' });
  await store.close();
}

function withDb<Value>(path: string, look: (db: DatabaseSync) => Value): Value {
  const db = new DatabaseSync(path);
  try {
    return look(db);
  } finally {
    db.close();
  }
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  const rows = db.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  return rows.map((row) => String(row['name']));
}

function lifecycle(version: number, extra: readonly 'cancelled'[] = []): Lifecycle {
  return defineLifecycle({
    name: 'tiny',
    version,
    initial: 'new',
    states: {
      new: 'ready',
      busy: 'executing',
      done: 'succeeded',
      bad: 'failed',
      ...(extra.length > 0 ? { off: 'cancelled' as const } : {}),
    },
    transitions: [
      { on: 'claim', from: 'new', to: 'busy' },
      { on: 'succeed', from: 'busy', to: 'done' },
      { on: 'fail', from: 'busy', to: 'bad' },
      { on: 'lose', from: 'busy', to: 'bad' },
      { on: 'release', from: 'busy', to: 'new' },
      ...(extra.length > 0 ? [{ on: 'cancel' as const, from: 'new', to: 'off' }] : []),
    ],
  });
}

describe('migrations', () => {
  test('a second open changes nothing', async () => {
    const path = newPath();
    await openAndClose(path, builtInLifecycles);
    const schema = 'SELECT sql FROM sqlite_schema ORDER BY name';
    const once = withDb(path, (db) => db.prepare(schema).all());
    await openAndClose(path, builtInLifecycles);
    withDb(path, (db) => {
      assert.deepEqual(db.prepare(schema).all(), once);
      const { n } = db.prepare('SELECT count(*) AS n FROM migrations').get()!;
      assert.equal(n, MIGRATIONS.length);
    });
  });

  test('migrating twice is migrating once', () => {
    const db = new DatabaseSync(':memory:');
    migrate(db, 1);
    migrate(db, 2);
    assert.deepEqual(
      db
        .prepare('SELECT applied_at FROM migrations')
        .all()
        .map((row) => row['applied_at']),
      MIGRATIONS.map(() => 1),
    );
  });

  const LATER = MIGRATIONS.at(-1)!.version + 1;
  const addLater = (db: DatabaseSync, floor: number): void => {
    const sql = 'ALTER TABLE facts ADD COLUMN colour TEXT;';
    migrate(db, 5, [...MIGRATIONS, { version: LATER, name: 'of tomorrow', sql, floor }]);
  };

  test('a file that a later Pawl has added to is used as it is', async () => {
    const path = newPath();
    await openAndClose(path, builtInLifecycles);
    withDb(path, (db) => addLater(db, MIGRATIONS.at(-1)!.version));
    await openAndClose(path, builtInLifecycles);
    withDb(path, (db) => assert.ok(columnsOf(db, 'facts').includes('colour')));
  });

  test('a file that a later Pawl has taken something from is refused and left alone', async () => {
    const path = newPath();
    await openAndClose(path, []);
    withDb(path, (db) => addLater(db, LATER));
    await assert.rejects(openAndClose(path, []), {
      name: 'StoreError',
      outcome: 'refused',
      message: new RegExp(`knows version ${LATER} at least; this one knows ${LATER - 1}: install`),
    });
  });

  test('a file from before the first release is refused with a sentence, and left alone', async () => {
    const path = newPath();
    withDb(path, (db) => db.exec('CREATE TABLE jobs (seq INTEGER PRIMARY KEY)'));
    await assert.rejects(openAndClose(path, []), {
      name: 'StoreError',
      outcome: 'refused',
      message: /before its first release.*begin with a new file/,
    });
    withDb(path, (db) => assert.deepEqual(columnsOf(db, 'jobs'), ['seq']));
  });

  test('the view of jobs has the columns that the code reads, in their order', async () => {
    const connection = new Connection({ path: ':memory:', synchronous: 'normal' });
    migrate(connection.db, 1);
    assert.deepEqual(columnsOf(connection.db, 'job').slice(0, COLUMNS.length), COLUMNS);
    connection.close();
  });

  test('every statement can be prepared', () => {
    const connection = new Connection({ path: ':memory:', synchronous: 'normal' });
    migrate(connection.db, 1);
    assert.ok(STATEMENTS.size > 80, `${STATEMENTS.size} statements`);
    for (const name of STATEMENTS.keys()) connection.sql(name);
    connection.close();
  });

  test('[P11, R16, R18] columns have the names of the documents', async () => {
    const path = newPath();
    await openAndClose(path, []);
    withDb(path, (db) => {
      const jobs = columnsOf(db, 'jobs');
      for (const name of ['id', 'state', 'retry_count', 'lease_expiry', 'created_at', 'updated_at'])
        assert.ok(jobs.includes(name), name);
      const letters = columnsOf(db, 'dead_letters');
      for (const name of [
        'reason_code',
        'last_error',
        'attempts',
        'last_owner',
        'last_lease_expires_at',
        'correlation_id',
      ])
        assert.ok(letters.includes(name), name);
      const event = 'job_id type ts actor correlation_id cause payload version';
      const events = columnsOf(db, 'job_events');
      for (const name of event.split(' ')) assert.ok(events.includes(name), name);
    });
  });
});

describe('registered lifecycles', () => {
  test('a new version is let in beside the old one', async () => {
    const path = newPath();
    await openAndClose(path, [lifecycle(1)]);
    await openAndClose(path, [lifecycle(2, ['cancelled'])]);
    withDb(path, (db) => {
      const versions = db.prepare('SELECT version FROM lifecycles ORDER BY version').all();
      assert.deepEqual(
        versions.map((row) => row['version']),
        [1, 2],
      );
      const moves = db.prepare('SELECT lifecycle, count(*) AS n FROM moves GROUP BY 1').all();
      assert.deepEqual(
        moves.map((row) => row['n']),
        [4, 5],
      );
    });
  });

  test('the same version with another table is refused, and nothing is written', async () => {
    const path = newPath();
    await openAndClose(path, [lifecycle(1)]);
    await assert.rejects(openAndClose(path, [...builtInLifecycles, lifecycle(1, ['cancelled'])]), {
      name: 'StoreError',
      outcome: 'refused',
      message: /"tiny" v1 is stored with another table.*version 2/,
    });
    withDb(path, (db) => {
      assert.equal(db.prepare('SELECT count(*) AS n FROM lifecycles').get()!['n'], 1);
    });
  });

  test('a thread says the same of it as the calling thread', async () => {
    const path = newPath();
    await openAndClose(path, [lifecycle(1)]);
    await assert.rejects(openSqliteStore({ path, lifecycles: [lifecycle(1, ['cancelled'])] }), {
      name: 'StoreError',
      outcome: 'refused',
      message: /stored with another table/,
    });
  });
});
