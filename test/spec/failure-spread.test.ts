// Whom a cause of failures concerns: the versions of workers, and the tenants.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureDetail } from 'pawl/internal/engine/failure-detail';
import type { WorkerSign } from 'pawl/internal/records/workers';
import { realStores } from '../support/real-stores.ts';
import { inMemory, openWorld, TENANT, type World } from '../support/world.ts';

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];
const types = { mail: { lifecycle: 'task' } } as const;
const MINUTE = 60_000;

/** What a worker says of itself; null: it names no version. */
function sign(id: string, version: string | null, state: WorkerSign['state']): WorkerSign {
  const rest = { host: null, pid: null, slots: 1, isAnnounced: true };
  return { tenant: null, id, version, types: ['mail'], state, ...rest };
}

async function failOne(world: World, owner: string, tenant: string = TENANT): Promise<void> {
  await world.enqueue('mail', null, { tenant });
  const [claim] = await world.claim(owner, 'mail', { max: 1, tenants: [tenant] });
  await world.fail(claim!, { class: 'PermanentError', message: 'no' });
  world.advance(MINUTE);
}

async function detailOf(world: World, isOverTenants = false): Promise<FailureDetail> {
  const [cause] = await world.engine.failures.causes({ tenant: TENANT });
  const { fingerprint } = cause!;
  return world.engine.failureDetail({ tenant: TENANT, fingerprint, isOverTenants });
}

for (const { label, open } of stores) {
  test(`on ${label}: a cause tells under which versions of workers its jobs failed`, async () => {
    const world = await openWorld({ store: open, types });
    const { workers } = world.context.records;
    await workers.beat([sign('w1', '1.0.0', 'working'), sign('w2', null, 'working')]);
    world.advance(MINUTE);
    await failOne(world, 'w1');
    await failOne(world, 'w2');
    await failOne(world, 'nobody-heard-of');
    // The same name comes back with another version, and is gone when somebody asks.
    await workers.beat([sign('w1', '1.0.0', 'stopped')]);
    await workers.beat([sign('w1', '1.1.0', 'working')]);
    await failOne(world, 'w1');
    await workers.beat([sign('w1', '1.1.0', 'working')]);
    await failOne(world, 'w1');
    await workers.beat([sign('w1', '1.1.0', 'stopped')]);
    world.advance(10 * MINUTE);
    const { versions } = await detailOf(world);
    assert.deepEqual(versions, {
      names: [
        { name: '1.1.0', count: 2 },
        { name: '1.0.0', count: 1 },
      ],
      looked: 5,
      unknown: 2,
    });
    await world.close();
  });
}

test('a job that its worker was lost with counts as failed under an unknown version', async () => {
  const mail = { lifecycle: 'task', retry: { maxAttempts: 1 } } as const;
  const world = await openWorld({ types: { mail } });
  await world.context.records.workers.beat([sign('w1', '1.0.0', 'working')]);
  await world.enqueue('mail');
  await world.start(await world.claimOne('w1', 'mail'));
  world.advance(60 * MINUTE);
  await world.sweep();
  const { names, looked, unknown } = (await detailOf(world)).versions;
  assert.deepEqual([names, looked, unknown], [[], 1, 1]);
  await world.close();
});

test('the tenants of a cause are told to who asks about all of them, and else nobody’s', async () => {
  const world = await openWorld({ types });
  await world.putType('mail', types.mail, 'other');
  await failOne(world, 'w1');
  for (let number = 0; number < 2; number++) await failOne(world, 'w1', 'other');
  assert.equal((await detailOf(world)).tenants, null);
  const { tenants, cause } = await detailOf(world, true);
  assert.deepEqual(tenants, {
    names: [
      { name: 'other', count: 2 },
      { name: TENANT, count: 1 },
    ],
    isWhole: true,
  });
  assert.equal(cause.count, 1, 'what else is told is of the own tenant');
  await world.close();
});

test('versions are forgotten with the history', async () => {
  const world = await openWorld({ types });
  const { workers } = world.context.records;
  await workers.beat([sign('w1', '1.0.0', 'working')]);
  assert.equal((await workers.versions.list(TENANT, 'w1')).length, 1);
  assert.equal(await workers.versions.purge(10), 0);
  world.advance(91 * 24 * 60 * MINUTE);
  assert.equal(await workers.versions.purge(10), 1);
  assert.deepEqual(await workers.versions.list(TENANT, 'w1'), []);
  await world.close();
});
