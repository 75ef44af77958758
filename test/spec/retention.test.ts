// What is kept for how long, what a job leaves behind, and how its content is taken away.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PawlError } from 'pawl/internal/core/errors';
import { checkHistory } from 'pawl/internal/check/check-history';
import { retentionPolicy } from 'pawl/internal/engine/retention/policy';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { realStores } from '../support/real-stores.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TYPES = { task: { lifecycle: 'task' }, distributed: { lifecycle: 'distributed' } };
const stores = await realStores();

/** Takes what may go by now, however many slices it needs. */
async function purge(world: World): Promise<void> {
  while ((await world.engine.sweepRetention()).hasMore);
}

async function done(world: World): Promise<string> {
  const { id } = await world.enqueue('task', { to: 'Ann' });
  const claim = await world.claimOne('w1', 'task');
  await world.renew(claim, { progress: 50, message: 'writes to Ann' });
  await world.complete(claim, { wrote: 'Ann' });
  return id;
}

async function isGone(world: World, id: string): Promise<boolean> {
  const [job] = await world.store.read([{ tenant: TENANT, id }]);
  return job === null;
}

for (const { label, open } of stores) {
  void describe(label, () => {
    let world: World;
    before(async () => {
      world = await openWorld({ store: open, types: TYPES });
    });
    after(() => world.close());

    void test('[T14] events stay 24 h and more after the end, then go with the job', async () => {
      const id = await done(world);
      const before = await world.events(id);
      world.advance(30 * DAY - 1);
      await purge(world);
      assert.deepEqual(await world.events(id), before);
      // PostgreSQL drops whole partitions: at the latest when that of the job's id is over.
      world.advance(10 * DAY);
      await purge(world);
      assert.ok(await isGone(world, id));
      assert.deepEqual(await world.events(id, { notes: true }), []);
    });

    void test('[F67] a job that has not ended outlives every retention', async () => {
      const { id } = await world.enqueue('task');
      const claim = await world.claimOne('w1', 'task');
      assert.equal(claim.job.id, id);
      world.advance(400 * DAY);
      await purge(world);
      assert.equal((await world.job(id)).phase, 'executing');
      assert.equal((await world.events(id)).length, claim.job.version);
      await world.sweep();
      await world.cancel(id);
    });

    void test('[R19] notes expire by their TTL while the job and its events stay', async () => {
      const id = await done(world);
      const events = await world.events(id);
      assert.ok((await world.events(id, { notes: true })).length > events.length);
      world.advance(DAY - 1);
      await purge(world);
      assert.ok((await world.events(id, { notes: true })).length > events.length);
      world.advance(DAY + 1);
      await purge(world);
      assert.deepEqual(await world.events(id, { notes: true }), events);
    });

    void test('a cursor from before what is kept is refused, never a silent gap', async () => {
      const { cursor } = await world.engine.tail({ tenant: TENANT, from: 'end', limit: 1 });
      await done(world);
      world.advance(2 * DAY + 1);
      await done(world);
      await purge(world);
      const page = await world.engine.tail({ tenant: TENANT, from: { cursor }, limit: 10 });
      assert.deepEqual([page.isReset, page.items], [true, []]);
    });

    void test('an erased job keeps a history that the checker accepts', async () => {
      const { id } = await world.enqueue('distributed', { to: 'Ann' });
      const claim = await world.claimOne('w1', 'distributed');
      await world.start(claim);
      await world.renew(claim, { message: 'writes to Ann' });
      await world.fail(claim, { class: 'PermanentError', message: 'Ann has moved' });
      const job = await world.engine.erase({ tenant: TENANT, id }, 'api:ann');
      const events = await world.events(id, { notes: true });
      const letters = await world.engine.deadLetters({ tenant: TENANT, limit: 100 });
      assert.equal(JSON.stringify([job, events, letters]).includes('Ann'), false);
      const [letter] = letters.filter(({ jobId }) => jobId === id);
      const [policy] = await world.store.policies([job.policy]);
      const policies = new Map([[job.policy, policy!]]);
      const rest = { lifecycles: builtInLifecycles, policies, deadLetters: [letter!] };
      assert.deepEqual(checkHistory({ ...rest, jobs: [job], events }), []);
    });

    void test('a job that has not ended, or is not there, is not erased', async () => {
      const { id } = await world.enqueue('task', { to: 'Ann' });
      const codeOf = async (ref: string): Promise<string> => {
        const failure = world.engine.erase({ tenant: TENANT, id: ref }, 'api:ann');
        return failure.then(
          () => 'erased',
          (error: PawlError) => error.code,
        );
      };
      assert.equal(await codeOf(id), 'NOT_FINISHED');
      assert.equal((await world.job(id)).input, '{"to":"Ann"}');
      assert.equal(await codeOf('0198c0de-0000-7000-8000-000000000000'), 'NOT_FOUND');
      await world.cancel(id);
      assert.equal(await codeOf(id), 'erased');
    });
  });
}

test('[T14] a policy that would keep events for less than 24 h is refused', () => {
  assert.throws(() => retentionPolicy({ jobsMs: DAY - 1, feedMs: 0 }), /at least 24 hours/);
  assert.throws(() => retentionPolicy({ jobsMs: DAY }), /feedMs: must not be longer/);
  assert.throws(() => retentionPolicy({ notesMs: -1 }), /notesMs/);
  assert.equal(retentionPolicy({ jobsMs: null, deadLettersMs: null }).deadLettersMs, null);
});

test('the sweeper purges once a minute', async () => {
  const world = await openWorld({ types: TYPES });
  const sweeper = new Sweeper(world.context, {
    timers: { sleep: async () => undefined },
    retention: { jobsMs: DAY, feedMs: DAY },
  });
  const id = await done(world);
  world.advance(2 * DAY);
  await sweeper.runOnce();
  assert.equal(await isGone(world, id), false);
  world.advance(59_999);
  await sweeper.runOnce();
  assert.equal(await isGone(world, id), false);
  world.advance(1);
  await sweeper.runOnce();
  assert.ok(await isGone(world, id));
});
