import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWorld } from './world.ts';
import { forEachStore } from './world-stores.ts';

const types = {
  convert: { lifecycle: 'task', retry: { backoff: { kind: 'fixed', baseMs: 1_000 } } },
  index: { lifecycle: 'distributed' },
  paper: { lifecycle: 'document' },
} as const;

await forEachStore(({ label, open }) => {
  test(`${label}: a failed attempt is retried after its backoff and then succeeds`, async () => {
    const world = await openWorld({ store: open, types });
    const job = await world.enqueue('convert', { deck: 7 });
    await world.fail(await world.claimOne('w1', 'convert'), 'network_timeout');
    assert.deepEqual(await world.claim('w1', 'convert'), []);
    world.advance(1_000);
    await world.sweep();
    const again = await world.claimOne('w2', 'convert');
    await world.renew(again, { progress: 50, stage: 'render' });
    await world.complete(again, { pages: 3 });
    assert.equal(await world.stateOf(job), 'succeeded');
    const told = (await world.events(job)).map(({ type }) => type);
    const retried = ['job_retry_scheduled', 'job_requeued', 'job_claimed', 'job_succeeded'];
    assert.deepEqual(told, ['job_created', 'job_claimed', ...retried]);
    await world.close();
  });

  test(`${label}: [R7] the writes of an owner whose lease is over are refused`, async () => {
    const world = await openWorld({ store: open, types });
    await world.enqueue('index');
    const late = await world.claimOne('w1', 'index');
    await world.start(late);
    world.advance(late.leaseMs);
    await assert.rejects(world.renew(late), { code: 'LEASE_LOST' });
    await assert.rejects(world.complete(late), { code: 'LEASE_LOST' });
    assert.deepEqual(await world.sweep(), { expired: 1, due: 0 });
    await world.release(await world.claimOne('w2', 'index'));
    await assert.rejects(world.complete(late), { code: 'LEASE_LOST' });
    await world.close();
  });

  test(`${label}: [D18] a held job is submitted, cannot snooze, and is cancelled`, async () => {
    const world = await openWorld({ store: open, types });
    const job = await world.enqueue('paper', null, { submit: false });
    assert.equal((await world.submit(job)).state, 'QUEUED');
    const claim = await world.claimOne('w1', 'paper');
    await assert.rejects(world.snooze(claim, 5), { code: 'ILLEGAL_TRANSITION' });
    assert.deepEqual((await world.cancel(job.id)).cancel, { mode: 'soft', reason: null });
    assert.equal((await world.cancel(job, 'hard')).state, 'FAILED');
    await world.close();
  });
});
