// Pinned handlers as users write them: in every isolation, deployed anew, and at a remote worker.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  defineJob,
  type JobDefinition,
  type JobHandle,
  type None,
  openPawl,
  type Pawl,
} from 'pawl';
import { ApiClient, RemoteSource } from 'pawl/client';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { openWorld } from 'pawl/testing';
import { pinnedInline, pinnedInProcess, pinnedInThread } from '../fixtures/handlers/pinned.ts';
import { freshDatabases, freshFile } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { serve } from '../support/served-pawl.ts';

for (const job of [pinnedInline, pinnedInThread, pinnedInProcess]) {
  test(`${job.type} is taken by its revision in every turn`, async () => {
    await using world = await openWorld({ jobs: [job] });
    const handle = await world.enqueue(job);
    const { revision, isPinned } = await handle.snapshot();
    assert.deepEqual([revision, isPinned], [null, false]);
    await world.runUntilIdle();
    const asleep = await handle.snapshot();
    assert.deepEqual([asleep.revision, asleep.isPinned, asleep.lease], ['v1', true, null]);
    await world.crashWorker();
    await world.clock.advance('2h');
    assert.match(await handle.result(), /^slept in a/);
    assert.equal((await handle.snapshot()).revision, 'v1');
  });
}

/** What somebody deploys under this name: it waits for a word, and says which code it was. */
function release(revision: string, pin = true): JobDefinition<None, string> {
  return defineJob('checkout', {
    revision,
    pin,
    async run({ receive }) {
      await receive('paid');
      return `ended by ${revision}`;
    },
  });
}

async function opened(database: string, revision: string): Promise<Pawl> {
  const pawl = await openPawl({ database, jobs: [release(revision)], log: false });
  pawl.work();
  return pawl;
}

async function reasonOf(job: JobHandle): Promise<string> {
  return (await job.why()).reason;
}

describe('a flow that is deployed anew while one of it waits', () => {
  test('goes on with the code that began it, once that is there again', async () => {
    for (const { database } of await freshDatabases()) {
      const first = await opened(database, 'v1');
      const { id } = await first.enqueue(release('v1'));
      const isWaiting = async () => (await reasonOf(first.job(id))) === 'waiting_for' || null;
      await eventually('the flow to wait', isWaiting);
      await first.close();
      const second = await opened(database, 'v2');
      await second.job(id).send('paid', null);
      const fresh = await second.enqueue(release('v2'));
      await fresh.send('paid', null);
      assert.equal(await fresh.result(), 'ended by v2');
      await eventually('the flow to miss its revision', async () => {
        return (await reasonOf(second.job(id))) === 'no_worker_with_revision' || null;
      });
      assert.match((await second.job(id).why()).message, /"v1".*offered as "v2"/);
      await second.close();
      const third = await opened(database, 'v1');
      assert.equal((await third.job(id).ended()).result, 'ended by v1');
      await third.close();
    }
  });
});

test('a remote worker offers what its handlers are, and is listed with it', async () => {
  const job = release('v3');
  const served = await serve(freshFile().database, [job], { isWorking: false });
  after(() => served.close());
  const { connection } = new ApiClient({ url: served.url });
  const worker = openWorker({ source: new RemoteSource({ connection }), jobs: [job], id: 'r1' });
  worker.start();
  const handle = await served.client.enqueue(job);
  await handle.send('paid', null);
  const { revision, isPinned, result } = await handle.ended();
  assert.deepEqual([revision, isPinned, result], ['v3', true, 'ended by v3']);
  const { body } = await connection.call({ method: 'GET', path: '/v1/workers/r1' });
  const { revisions } = body as { revisions: unknown };
  assert.deepEqual(revisions, { checkout: { name: 'v3', pin: true } });
  await worker.drain();
});

test('what undoes a job has the revision of what it undoes', async () => {
  let undone = 0;
  const job = defineJob('book', {
    revision: 'v5',
    pin: true,
    maxAttempts: 1,
    run: () => {
      throw new Error('sold out');
    },
    compensate: () => void undone++,
  });
  await using world = await openWorld({ jobs: [job] });
  const handle = await world.enqueue(job);
  await world.runUntilIdle();
  const { items } = await world.jobs({ type: 'book.compensate' });
  assert.deepEqual([undone, items[0]?.revision, (await handle.ended()).revision], [1, 'v5', 'v5']);
});
