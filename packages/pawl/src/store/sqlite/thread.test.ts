import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { openThreaded } from '../../../../../test/support/sqlite/threaded-scene.ts';
import { eventually } from '../../../../../test/support/eventually.ts';
import { openSqliteStore } from './store.ts';

/** Comes back to JavaScript from the event loop so many times. */
async function turnEventLoop(times: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) await stat(tmpdir());
}

/** How many pages the write-ahead log holds. */
function pagesOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA wal_checkpoint(NOOP)').get()!['log']);
}

describe('a store in threads', () => {
  test('[D17] a writer that is stuck stops neither the event loop nor the readers', async (t) => {
    const { scene, path } = await openThreaded(t);
    const job = await scene.enqueue();
    const blocker = new DatabaseSync(path);
    blocker.exec('BEGIN IMMEDIATE');
    let isDone = false;
    const insert = scene.insert().then((outcome) => {
      isDone = true;
      return outcome;
    });
    await turnEventLoop(100);
    assert.deepEqual(await scene.read(job), job);
    assert.equal((await scene.store.list({ tenant: scene.tenant, limit: 9 })).jobs.length, 1);
    assert.equal(isDone, false);
    blocker.exec('COMMIT');
    blocker.close();
    assert.equal((await insert).kind, 'created');
  });

  test('calls that pile up behind a stuck writer share its next commit', async (t) => {
    const { scene, path } = await openThreaded(t);
    const blocker = new DatabaseSync(path);
    const pagesBefore = pagesOf(blocker);
    blocker.exec('BEGIN IMMEDIATE');
    const first = scene.insert();
    await turnEventLoop(20);
    const rest = Array.from({ length: 30 }, () => scene.insert());
    await turnEventLoop(20);
    blocker.exec('COMMIT');
    await first;
    await Promise.all(rest);
    const pages = pagesOf(blocker) - pagesBefore;
    blocker.close();
    // A commit of its own writes a page of each table and index that a job is in: at least 6.
    assert.ok(pages < 2 * 31, `${pages} pages were written for 31 calls`);
  });

  test('a writer that nobody asks moves the log into the database', async (t) => {
    const { scene, path } = await openThreaded(t);
    await scene.insert({ input: JSON.stringify('x'.repeat(6_000_000)) });
    const outside = new DatabaseSync(path);
    t.after(() => outside.close());
    const look = outside.prepare('PRAGMA wal_checkpoint(NOOP)');
    await eventually('a log that is moved', () => {
      const { log, checkpointed } = look.get()!;
      return Number(log) > 1_000 && checkpointed === log;
    });
  });

  test('what cannot be sent fails alone', async (t) => {
    const { scene } = await openThreaded(t);
    const job = await scene.running();
    const endless: Record<string, unknown> = {};
    endless['itself'] = endless;
    const note = { type: 'job_log', message: null, payload: endless } as const;
    const [bad, good] = await Promise.allSettled([
      scene.renew(job, { notes: [note] }),
      scene.renew(job),
    ]);
    assert.equal(
      bad.status === 'rejected' && (bad.reason as { outcome: string }).outcome,
      'refused',
    );
    assert.equal(good.status, 'fulfilled');
  });

  test('after close every verb fails unchanged, and a second close is the first', async (t) => {
    const { scene } = await openThreaded(t);
    const { store } = scene;
    const job = await scene.newJob();
    const pending = store.insert([job]);
    await Promise.all([store.close(), store.close()]);
    assert.equal((await pending)[0]!.kind, 'created');
    const closed = { name: 'StoreError', outcome: 'unchanged', message: 'the store is closed' };
    await assert.rejects(store.insert([job]), closed);
    await assert.rejects(store.read([job]), closed);
    await assert.rejects(store.now(), closed);
  });
});

describe('a store in the calling thread', () => {
  test('resolves with no turn of the event loop', async () => {
    const clock = new ManualClock();
    const store = await openSqliteStore({ path: ':memory:', lifecycles, clock });
    let turns = 0;
    const turning = turnEventLoop(1).then(() => turns++);
    const scene = new Scene({ store, clock, lifecycles });
    const job = await scene.running();
    await scene.ask(job, { on: 'succeed' });
    assert.equal(turns, 0);
    await turning;
    await store.close();
  });
});
