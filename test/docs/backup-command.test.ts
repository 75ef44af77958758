// `pawl backup`, as docs/guides/operate/backups.md has it typed.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openPawl } from 'pawl';
import { runPawl } from '../cli/pawl-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-backup-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const data = join(folder, 'data');
const copy = join(folder, 'copy.db');
const url = 'http://127.0.0.1:1';

test('copies the database of a running platform, and not over another file', async () => {
  const pawl = await openPawl({ database: join(data, 'pawl.db'), jobs: [] });
  try {
    const made = await runPawl(['backup', copy, '--data', data], { url });
    assert.deepEqual([made.code, made.stderr], [0, '']);
    const again = await runPawl(['backup', copy, '--data', data], { url });
    assert.equal(again.code, 1);
    assert.match(again.stderr, /copy\.db already exists: choose another name/);
  } finally {
    await pawl.close();
  }
  const restored = await openPawl({ database: copy, jobs: [] });
  await restored.close();
});

test('says what to do where there is nothing to copy, or PostgreSQL', async () => {
  const missing = await runPawl(['backup', join(folder, 'b.db'), '--data', folder], { url });
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /there is no database .*: name one that is there/);
  const env = { DATABASE_URL: 'postgres://localhost/pawl' };
  const other = await runPawl(['backup', join(folder, 'b.db')], { url, env });
  assert.equal(other.code, 2);
  assert.match(other.stderr, /back it up with pg_dump/);
});
