import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { openSqliteStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-ownership-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Opens the file, writes a record and then does nothing until it is killed. */
const OWNER = `
const { openSqliteStore } = await import(${JSON.stringify(new URL('store.ts', import.meta.url))});
const { builtInLifecycles } = await import(
  ${JSON.stringify(new URL('../../lifecycles/built-in.ts', import.meta.url))});
const store = await openSqliteStore({ path: process.argv[1], lifecycles: builtInLifecycles });
const [task] = builtInLifecycles.filter(({ name }) => name === 'task');
const named = { lifecycle: 'task', lifecycleVersion: 1 };
const policy = { ...task.defaults, ...named, timeoutMs: null, stages: [] };
await store.putPolicy(policy);
await store.records.write([
  { op: 'put', kind: { name: 'page' }, tenant: 't', id: 'kept', body: '{}' },
]);
process.stdout.write('open');
process.stdin.resume();
`;

async function startOwner(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', OWNER, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const died = once(child, 'exit').then(() => ['died']);
  const [first] = (await Promise.race([once(child.stdout, 'data'), died])) as [Buffer | string];
  assert.equal(String(first), 'open');
  return child;
}

async function killHard(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  assert.deepEqual(await exit, [null, 'SIGKILL']);
}

describe('one process owns the file', () => {
  test('another process is refused and told who and what to do', async () => {
    const path = join(folder, 'other.sqlite');
    const child = await startOwner(path);
    try {
      await assert.rejects(openSqliteStore({ path, lifecycles }), {
        name: 'StoreError',
        outcome: 'unchanged',
        message: new RegExp(`owned by process ${child.pid} on .*: stop that process.*PostgreSQL`),
      });
    } finally {
      await killHard(child);
    }
  });

  test('[P1] kill -9 leaves no stale lock, and what was acknowledged is there', async () => {
    const path = join(folder, 'killed.sqlite');
    await killHard(await startOwner(path));
    assert.ok(existsSync(`${path}-wal`), 'the owner did not end in the middle of its work');
    const store = await openSqliteStore({ path, lifecycles });
    assert.deepEqual(
      (await store.records.list({ kind: { name: 'page' }, tenants: ['t'], limit: 9 })).records.map(
        ({ id }) => id,
      ),
      ['kept'],
    );
    await store.close();
  });

  for (const mode of ['inline', 'thread'] as const) {
    test(`the same process must close its first store before a second (${mode})`, async () => {
      const path = join(folder, `same-${mode}.sqlite`);
      const first = await openSqliteStore({ path, lifecycles, mode });
      const again = /owned by this process \(pid \d+\), which has opened it before/;
      await assert.rejects(openSqliteStore({ path, lifecycles, mode }), { message: again });
      await assert.rejects(openSqliteStore({ path, lifecycles, mode: 'inline' }), {
        message: again,
      });
      const clock = new ManualClock();
      await new Scene({ store: first, clock, lifecycles }).enqueue();
      await first.close();
      const second = await openSqliteStore({ path, lifecycles, mode });
      await second.close();
    });
  }

  test('another name of the file meets the same lock', async () => {
    const path = join(folder, 'real.sqlite');
    const link = join(folder, 'link.sqlite');
    const store = await openSqliteStore({ path, lifecycles });
    symlinkSync(path, link);
    await assert.rejects(openSqliteStore({ path: link, lifecycles }), { message: /owned by/ });
    await store.close();
  });

  test('a database in memory is nobody else’s, and has no threads', async () => {
    const one = await openSqliteStore({ path: ':memory:', lifecycles });
    const two = await openSqliteStore({ path: ':memory:', lifecycles });
    await one.close();
    await two.close();
    const shared = openSqliteStore({ path: ':memory:', lifecycles, mode: 'thread' });
    await assert.rejects(shared, { outcome: 'refused' });
  });
});
