// Inline handlers that go on after their attempt: nothing can end them, and the worker says so.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Worker } from 'pawl/internal/worker/worker';
import { jobThat, openWorkshop, type Workshop } from '../support/workshop.ts';

describe('an inline handler that heeds no signal', () => {
  /** Jobs whose handlers go on after their time, until they are let go. */
  async function straying(
    count: number,
  ): Promise<{ shop: Workshop; worker: Worker; ids: string[]; letGo: () => void }> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const more = { timeout: '10s', maxAttempts: 1 } as const;
    const shop = await openWorkshop([
      jobThat(({ input }) => (input === 'goes on' ? promise : 1), more),
    ]);
    const ids: string[] = [];
    for (let job = 0; job < count; job++) {
      ids.push((await shop.world.enqueue('job', 'goes on')).id);
    }
    const worker = shop.worker({ slots: 2 });
    await worker.poll();
    shop.timers.advance(9_500);
    await worker.beat();
    await worker.idle();
    return { shop, worker, ids, letGo: resolve };
  }

  test('its job ends in time, and its slot is taken until it really ends', async () => {
    const { shop, worker, ids, letGo } = await straying(1);
    assert.equal((await shop.world.job(ids[0]!)).error?.class, 'timeout');
    assert.deepEqual([worker.strays, worker.isHealthy], [1, true]);
    for (let job = 0; job < 2; job++) await shop.world.enqueue('job');
    await worker.poll();
    assert.equal(worker.load.inFlight, 1, 'there is one slot left, not two');
    letGo();
    await shop.runUntilIdle(worker);
    assert.deepEqual([worker.strays, worker.isHealthy], [0, true]);
    assert.deepEqual(await shop.world.engine.tally(null), []);
  });

  test('as many as there are slots: the worker is unhealthy and leaves jobs to others', async () => {
    const { shop, worker, letGo } = await straying(2);
    shop.timers.advance(1_000);
    assert.deepEqual([worker.strays, worker.isHealthy], [2, false]);
    const { id } = await shop.world.enqueue('job');
    await worker.poll();
    assert.equal(await shop.world.stateOf(id), 'pending');
    await shop.runUntilIdle(shop.worker());
    assert.equal(await shop.world.stateOf(id), 'succeeded');
    assert.match(shop.warnings.join(), /still running after its attempt ended, and keeps its slot/);
    letGo();
    await worker.drain();
    assert.equal(worker.isHealthy, true);
  });
});
