// Who comes first: priorities that age, and tenants that do not crowd each other out.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AGING_MS, PRIORITY_HIGH } from 'pawl/internal/core/rank';
import { realStores } from '../support/real-stores.ts';
import { inMemory, openWorld, TENANT, type World } from '../support/world.ts';

const FLOOD = 990;
const TENANTS = ['flood', ...Array.from({ length: 10 }, (_, n) => `quiet-${n}`)];

async function openShared(world: World): Promise<void> {
  for (const tenant of TENANTS) await world.putType('mail', { lifecycle: 'task' }, tenant);
  const requests = Array.from({ length: FLOOD }, () => ({ type: 'mail' }));
  await world.engine.enqueue(requests, { caller: { tenant: 'flood', principal: null } });
  world.advance(60_000);
  for (const tenant of TENANTS.slice(1)) await world.enqueue('mail', null, { tenant });
}

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];

for (const { label, open } of stores) {
  test(`[F56, T38] on ${label}: who floods does not crowd the others out`, async (context) => {
    const world = await openWorld({ store: open });
    after(() => world.close());
    await openShared(world);
    const waited: number[] = [];
    for (let n = 1; n <= 20 && waited.length < 10; n++) {
      const claims = await world.claim('w', 'mail', { max: 1 });
      if (claims[0]!.job.tenant !== 'flood') waited.push(n);
      for (const claim of claims) await world.complete(claim);
    }
    context.diagnostic(`ten jobs behind ${FLOOD} were claimed as number ${waited.join(', ')}`);
    assert.equal(waited.length, 10, 'each of ten tenants within twenty claims of one job');
    await openShared(world);
    const claims = await world.claim('w', 'mail', { max: 22 });
    const quiet = claims.filter(({ job }) => job.tenant !== 'flood');
    assert.equal(quiet.length, 10, 'and all of them in one larger claim');
  });
}

test('[T38] high comes before normal, until a normal one has waited long enough', async () => {
  const world = await openWorld({ types: { mail: { lifecycle: 'task' } } });
  const old = await world.enqueue('mail');
  world.advance(PRIORITY_HIGH * AGING_MS - 1);
  const middle = await world.enqueue('mail');
  const high = await world.enqueue('mail', null, { priority: 'high' });
  world.advance(2);
  const late = await world.enqueue('mail', null, { priority: 'high' });
  const order: string[] = [];
  for (let n = 0; n < 4; n++) order.push((await world.claimOne('w', 'mail')).job.id);
  assert.deepEqual(order, [high.id, old.id, late.id, middle.id]);
});

test('[T38] nothing starves: a job is passed only by those that come soon enough', async () => {
  const world = await openWorld({ types: { mail: { lifecycle: 'task' } } });
  const low = await world.enqueue('mail', null, { priority: -10 });
  let passed = 0;
  for (;;) {
    await world.enqueue('mail', null, { priority: 'high' });
    const { job } = await world.claimOne('w', 'mail');
    if (job.id === low.id) break;
    passed += 1;
    world.advance(AGING_MS);
  }
  assert.equal(passed, PRIORITY_HIGH + 10);
});

test('[T38] the classes are sub-queues of their own in the counts', async () => {
  const world = await openWorld({ types: { mail: { lifecycle: 'task' } } });
  for (const priority of ['high', 'normal', 'normal', 100, 99] as const) {
    await world.enqueue('mail', null, { priority });
  }
  const tally = await world.engine.tally(TENANT);
  const counts = Object.fromEntries(tally.map((one) => [one.priorityClass, one.count]));
  assert.deepEqual(counts, { high: 2, normal: 3 });
});
