// "Why is it not running?": every reason that the code knows, shown on every store.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Estimate } from 'pawl/internal/engine/limits/estimate';
import { REASONS } from 'pawl/internal/engine/limits/why';
import { realStores } from '../support/real-stores.ts';
import { inMemory, openWorld, TENANT, type World } from '../support/world.ts';
import { announce, CASES, IN_LINE, prepare, throttle, TIMED, TYPES, rule } from './why-cases.ts';

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];

for (const { label, open } of stores) {
  void describe(`why on ${label}`, () => {
    let world: World;
    before(async () => {
      world = await openWorld({ store: open, types: TYPES });
    });
    after(() => world.close());

    for (const reason of REASONS) {
      test(`a job tells that it is ${reason.replaceAll('_', ' ')}`, async () => {
        const { type, more = {}, act, message, check } = CASES[reason];
        const queue = `q-${reason}`;
        await prepare(world, reason, queue);
        const job = await world.enqueue(type, null, { queue, ...more });
        await act?.(world, queue);
        const answer = await world.engine.why(job);
        assert.equal(answer.reason, reason, answer.message);
        assert.match(answer.message, message);
        assert.ok(Number.isInteger(answer.since));
        assert.equal(TIMED.has(reason), answer.until !== null && !IN_LINE.has(reason), reason);
        for (const fact of ['position', 'estimate']) {
          assert.equal(fact in answer.facts, IN_LINE.has(reason), `${reason} has ${fact}`);
        }
        check?.(answer, world);
        await announce(world, [], 'stopped');
        if (reason === 'type_throttled') await throttle(world, null);
        await rule(world, { isPaused: false, concurrency: null, reason: null });
      });
    }

    test('the expected time follows the pace of the last minute, in a lane and at a key', async () => {
      await announce(world, ['paced'], 'working');
      const first = await world.enqueue('paced');
      assert.equal((await world.engine.why(first)).facts['estimate'], null, 'nothing has ended');
      for (let n = 0; n < 8; n++) await world.enqueue('paced');
      const tenth = await world.enqueue('paced');
      for (const own of await world.claim('w1', 'paced', { max: 6 })) await world.complete(own);
      const inLane = await world.engine.why(tenth);
      const { clock } = world;
      assert.deepEqual(inLane.facts['estimate'], {
        at: clock.now() + (4 * 60_000) / 6,
        basis: 'throughput',
      } satisfies Estimate);
      for (let n = 0; n < 3; n++) await world.enqueue('paced', n, { documentId: 'd' });
      const last = await world.enqueue('paced', 3, { documentId: 'd' });
      await world.claim('w1', 'paced', { max: 6 });
      const atKey = await world.engine.why(last);
      // Six are in flight and six end in a minute: a turn takes a minute; two go on at once.
      assert.deepEqual(atKey.facts['estimate'], {
        at: clock.now() + (2 * 60_000) / 2,
        basis: 'slots',
      } satisfies Estimate);
      world.advance(61_000);
      assert.equal((await world.engine.why(last)).facts['estimate'], null, 'too long ago');
    });

    test('of a job that is not there nothing can be told', async () => {
      const nobody = { tenant: TENANT, id: '01890000-0000-7000-8000-000000000000' };
      await assert.rejects(world.engine.why(nobody), { code: 'NOT_FOUND' });
      await assert.rejects(world.engine.why({ ...nobody, tenant: 'x' }), { code: 'NOT_FOUND' });
      await assert.rejects(world.engine.why({ tenant: TENANT, id: 'x' }), { code: 'NOT_FOUND' });
    });
  });
}
