import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { openThreaded } from '../../../../../test/support/sqlite/threaded-scene.ts';
import type { ClaimedJob } from '../claim.ts';
import { openSqliteStore } from './store.ts';

describe('news of jobs that are on their way to the writer', () => {
  test('lets who hears it claim them in the transaction that writes them', async (t) => {
    const { scene, path } = await openThreaded(t);
    const outside = new DatabaseSync(path);
    const waiting = outside.prepare('SELECT count(*) AS n FROM live WHERE phase < 2');
    const job = await scene.newJob();
    let claimed: Promise<ClaimedJob[]> | null = null;
    scene.store.wakeSignal!.listen(() => {
      claimed = scene.store.claim(scene.claimRequest());
    });
    outside.exec('BEGIN IMMEDIATE');
    const inserted = scene.store.insert([job]);
    assert.notEqual(claimed, null, 'it is told before the job is written');
    outside.exec('COMMIT');
    assert.equal((await inserted)[0]!.kind, 'created');
    assert.equal(waiting.get()!['n'], 0, 'nobody saw the job unclaimed');
    assert.equal((await claimed!).length, 1);
    outside.close();
  });

  test('is not told of jobs that cannot be claimed yet, nor to who has left', async (t) => {
    const { scene } = await openThreaded(t);
    const heard: unknown[] = [];
    const leave = scene.store.wakeSignal!.listen((types) => heard.push(types));
    await scene.insert({ runAt: scene.clock.now() + 1 });
    assert.deepEqual(heard, []);
    await scene.insert({ runAt: scene.clock.now() });
    assert.deepEqual(heard, [['task']]);
    await leave();
    await scene.insert();
    assert.deepEqual(heard, [['task']]);
  });

  test('needs threads: in the calling thread everything comes in its turn', async () => {
    const store = await openSqliteStore({ path: ':memory:', lifecycles });
    assert.equal(store.wakeSignal, undefined);
    await store.close();
  });
});
