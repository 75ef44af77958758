import assert from 'node:assert/strict';
import {
  closeSync,
  fstatSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { Connection, isRecent, type Synchronous } from './connection.ts';
import { openSqliteStore } from './store.ts';
import { Writer } from './writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-connection-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function pragma({ db }: Connection, name: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${name}`).get()!)[0];
}

describe('durability', () => {
  const LEVELS: [Synchronous, number][] = [
    ['full', 2],
    ['normal', 1],
  ];
  for (const [synchronous, level] of LEVELS) {
    test(`[P1] synchronous "${synchronous}" is set by name, with a write-ahead log`, () => {
      const path = join(folder, `${synchronous}.sqlite`);
      const writer = new Writer({ path, lifecycles, synchronous });
      const { connection } = writer.tools;
      assert.equal(pragma(connection, 'synchronous'), level);
      assert.equal(pragma(connection, 'journal_mode'), 'wal');
      assert.equal(pragma(connection, 'busy_timeout'), 5_000);
      assert.equal(pragma(connection, 'wal_autocheckpoint'), 0);
      writer.close();
    });
  }

  test('a reader cannot write', () => {
    const path = join(folder, 'reader.sqlite');
    new Writer({ path, lifecycles, synchronous: 'full' }).close();
    const connection = new Connection({ path, synchronous: 'full', isReader: true });
    assert.throws(() => connection.db.exec('DELETE FROM tenants'), /readonly/);
    connection.close();
  });

  test('versions of SQLite with the fault of the write-ahead log are refused', () => {
    const recent = ['3.51.3', '3.51.10', '3.53.4', '4.0.0'];
    const old = ['3.7.0', '3.50.99', '3.51.2', '2.99.99'];
    assert.deepEqual(recent.filter(isRecent), recent);
    assert.deepEqual(old.filter(isRecent), []);
  });
});

describe('after an unclean stop', () => {
  /** Breaks a page far inside a large payload, which opening the file does not read. */
  async function damage(path: string): Promise<void> {
    const clock = new ManualClock();
    const store = await openSqliteStore({ path, lifecycles, clock, mode: 'inline' });
    const scene = new Scene({ store, clock, lifecycles });
    await scene.enqueue({ input: JSON.stringify('x'.repeat(400_000)) });
    await store.close();
    const file = openSync(path, 'r+');
    const { size } = fstatSync(file);
    writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, size - 50 * 4_096);
    closeSync(file);
  }

  test('the database is checked, and a damaged one is refused', async () => {
    const path = join(folder, 'damaged.sqlite');
    await damage(path);
    const unchecked = await openSqliteStore({ path, lifecycles, mode: 'inline' });
    await unchecked.close();
    writeFileSync(`${path}-wal`, 'torn');
    await assert.rejects(openSqliteStore({ path, lifecycles, mode: 'inline' }), {
      name: 'StoreError',
      message: /the database is damaged, restore a backup/,
    });
  });

  test('a clean stop leaves no log behind, so nothing has to be checked', async () => {
    const path = join(folder, 'clean.sqlite');
    for (const mode of ['inline', 'thread'] as const) {
      const store = await openSqliteStore({ path, lifecycles, mode });
      await store.close();
      assert.equal(existsSync(`${path}-wal`), false, mode);
    }
  });
});
