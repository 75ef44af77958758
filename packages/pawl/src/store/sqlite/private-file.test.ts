import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { backupDatabase } from './backup.ts';
import { openSqliteStore } from './store.ts';

test('[S1] the database, what lies beside it and its backups are for their user only', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-private-'));
  const path = join(folder, 'pawl.db');
  const modes = (): string[] =>
    readdirSync(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
  try {
    const store = await openSqliteStore({ path, lifecycles });
    backupDatabase({ from: path, to: join(folder, 'copy.db') });
    assert.ok(modes().length >= 4, String(readdirSync(folder)));
    assert.deepEqual(new Set(modes()), new Set(['600']));
    await store.close();
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
    const again = await openSqliteStore({ path, lifecycles });
    assert.equal(statSync(path).mode & 0o777, 0o600);
    await again.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a file that is no database is refused, and left as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-foreign-'));
  const path = join(folder, 'notes.txt');
  try {
    writeFileSync(path, 'root:x:0:0:not a database', { mode: 0o644 });
    await assert.rejects(openSqliteStore({ path, lifecycles }), {
      outcome: 'unchanged',
      message: `${path} is not a SQLite database: name another file, or move this one away`,
    });
    assert.deepEqual(readdirSync(folder), ['notes.txt']);
    assert.equal(statSync(path).mode & 0o777, 0o644);
    assert.equal(readFileSync(path, 'utf8'), 'root:x:0:0:not a database');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
