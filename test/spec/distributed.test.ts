// Document R: distributed reliability, walked on the real engine and a real database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TypeDefinition } from 'pawl/internal/engine/define-type';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

const LEASE = { ttlMs: 60_000, heartbeatMs: 20_000 };
/** Two missed heartbeats come before the end of the lease. */
const WINDOW_MS = 40_000;

async function openIndexing(more: Partial<TypeDefinition> = {}): Promise<World> {
  const index = {
    lifecycle: 'distributed',
    retry: { maxAttempts: 3, backoff: { kind: 'fixed', baseMs: 500 } },
    lease: LEASE,
    ...more,
  } as const;
  return openWorld({ store: inSqlite, types: { index } });
}

async function trace(world: World, id: string): Promise<string> {
  return (await world.events(id)).map((event) => event.to).join(' → ');
}

test('[R1, R2] a claim assigns, a start runs, a success ends', async () => {
  const world = await openIndexing();
  const { id } = await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  await world.start(claim);
  await world.complete(claim);
  assert.equal(await trace(world, id), 'queued → assigned → running → succeeded');
  const types = (await world.events(id)).map((event) => event.type);
  assert.deepEqual(types, ['job_created', 'job_claimed', 'job_started', 'job_succeeded']);
});

test('[R2] a job cannot succeed before it was started', async () => {
  const world = await openIndexing();
  await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  await assert.rejects(world.complete(claim), { code: 'ILLEGAL_TRANSITION' });
  assert.equal(await world.stateOf(claim.job), 'assigned');
});

test('[R4, R2] a retry goes back to queued, and opens a new epoch to do so', async () => {
  const world = await openIndexing();
  await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  await world.start(claim);
  const job = await world.fail(claim, 'TransientError');
  assert.deepEqual([job.state, job.epoch], ['queued', claim.job.epoch + 1]);
});

test('[R5, R27] each transition has one event with time, actor, cause and version', async () => {
  const world = await openIndexing();
  const { id } = await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  await world.start(claim);
  await world.fail(claim, 'TransientError');
  const events = await world.events(id);
  assert.deepEqual(
    events.map((event) => event.version),
    [1, 2, 3, 4],
  );
  assert.deepEqual(
    events.map((event) => event.actor),
    ['api:tester', 'worker:w1', 'worker:w1', 'worker:w1'],
  );
  assert.equal(events[3]!.cause, 'TransientError');
  assert.ok(events.every((event) => event.at === world.clock.now()));
  assert.equal((await world.job(id)).version, 4);
});

test('[R7, R9] two missed heartbeats forfeit the job, whatever is left of the lease', async () => {
  const world = await openIndexing();
  const { id } = await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  assert.equal(claim.leaseMs, WINDOW_MS);
  world.advance(WINDOW_MS - 1);
  await world.sweep();
  assert.equal(await world.stateOf(id), 'assigned');
  world.advance(1);
  await assert.rejects(world.renew(claim), { code: 'LEASE_LOST' });
  await world.sweep();
  assert.equal(await world.stateOf(id), 'queued');
});

test('[R8] an owner is told to renew when half of the remaining time is over', async () => {
  const world = await openIndexing();
  await world.enqueue('index');
  assert.equal((await world.claimOne('w1', 'index')).renewInMs, WINDOW_MS / 2);
});

for (const [name, lease] of [
  ['a lease of 29 s', { ttlMs: 29_000, heartbeatMs: 10_000 }],
  ['a lease of 121 s', { ttlMs: 121_000, heartbeatMs: 10_000 }],
  ['a heartbeat of 9 s', { ttlMs: 60_000, heartbeatMs: 9_000 }],
  ['a heartbeat of 31 s', { ttlMs: 120_000, heartbeatMs: 31_000 }],
] as const) {
  test(`[R8, R9] ${name} is refused`, async () => {
    const world = await openIndexing();
    const definition = { lifecycle: 'distributed', lease };
    await assert.rejects(world.putType('other', definition), { code: 'VALIDATION_ERROR' });
  });
}

test('[R8, R9, R34] the ends of the ranges are allowed: renewal covers longer work', async () => {
  const world = await openIndexing();
  for (const lease of [
    { ttlMs: 30_000, heartbeatMs: 10_000 },
    { ttlMs: 120_000, heartbeatMs: 30_000 },
  ]) {
    await world.putType('other', { lifecycle: 'distributed', lease });
  }
});

test('[R10] a lost job returns to queued, and goes to the dead letters when attempts are used up', async () => {
  const world = await openIndexing();
  const { id } = await world.enqueue('index');
  for (let attempt = 1; attempt <= 3; attempt++) {
    assert.equal(await world.stateOf(id), 'queued');
    const claim = await world.claimOne(`w${attempt}`, 'index');
    await world.start(claim);
    world.advance(WINDOW_MS);
    await world.sweep();
  }
  assert.equal(await world.stateOf(id), 'dead_lettered');
  const [letter] = await world.engine.deadLetters({ tenant: TENANT, limit: 1 });
  assert.deepEqual([letter!.reasonCode, letter!.lastOwner], ['exhausted_retries', 'w3']);
  assert.equal(letter!.lastLeaseExpiresAt, world.clock.now());
});

for (const onExhausted of ['failed', 'dead_lettered'] as const) {
  test(`[R12] retries that are used up end in ${onExhausted}, where the type says so`, async () => {
    const world = await openIndexing({ onExhausted });
    const { id } = await world.enqueue('index');
    for (let attempt = 1; attempt <= 3; attempt++) {
      const claim = await world.claimOne('w1', 'index');
      await world.start(claim);
      await world.fail(claim, 'TransientError');
      world.advance(500);
      await world.sweep();
    }
    assert.equal(await world.stateOf(id), onExhausted);
  });
}

test('[R13, R14] a soft cancel is a signal, a hard one takes the job from its owner at once', async () => {
  const world = await openIndexing();
  const { id } = await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  await world.start(claim);
  assert.equal((await world.cancel(id, 'soft')).state, 'running');
  assert.equal((await world.cancel(id, 'hard')).state, 'cancelled');
  await assert.rejects(world.complete(claim), { code: 'LEASE_LOST' });
  await assert.rejects(world.renew(claim, { checkpoint: '{}' }), { code: 'LEASE_LOST' });
});

test('[R13] the worker that honours a soft cancel leaves its checkpoint', async () => {
  const world = await openIndexing();
  const { id } = await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  await world.start(claim);
  await world.cancel(id);
  const job = await world.settle(claim, { kind: 'cancelled', checkpoint: '{"page":12}' });
  assert.deepEqual([job.state, job.checkpoint], ['cancelled', '{"page":12}']);
});

for (const state of ['queued', 'assigned'] as const) {
  test(`[R2] a job that is ${state} is cancelled at once: nobody executes it`, async () => {
    const world = await openIndexing();
    const { id } = await world.enqueue('index');
    if (state === 'assigned') await world.claimOne('w1', 'index');
    assert.equal((await world.cancel(id, 'soft')).state, 'cancelled');
  });
}

test('[R17] heartbeats and renewals are recorded between the events, the renewal past half of the lease', async () => {
  const world = await openIndexing();
  const { id } = await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  world.advance(10_000);
  await world.renew(claim);
  world.advance(20_000);
  await world.renew(claim);
  const types = (await world.events(id, { notes: true })).map((event) => event.type);
  assert.deepEqual(types, ['job_created', 'job_claimed', 'job_heartbeat', 'job_lease_renewed']);
});

test('[R20] the winning claim is returned again to the same request', async () => {
  const world = await openIndexing();
  await world.enqueue('index');
  await world.enqueue('index');
  const options = { max: 1, requestId: 'r1' };
  const [first] = await world.claim('w1', 'index', options);
  const [again] = await world.claim('w1', 'index', options);
  assert.equal(again!.job.id, first!.job.id);
  assert.equal(again!.job.epoch, first!.job.epoch);
  const [other] = await world.claim('w1', 'index', { max: 1, requestId: 'r2' });
  assert.notEqual(other!.job.id, first!.job.id);
});

test('[R6, T32] the same ending reported again changes nothing and is no error', async () => {
  const world = await openIndexing();
  const { id } = await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  await world.start(claim);
  const done = await world.complete(claim, 1);
  const again = await world.complete(claim, 1);
  assert.deepEqual([again.version, again.result], [done.version, '1']);
  assert.equal((await world.events(id)).length, 4);
});

test('[R6] the same failure reported again does not spend a second attempt', async () => {
  const world = await openIndexing();
  const { id } = await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  await world.start(claim);
  await world.fail(claim, 'TransientError');
  await world.fail(claim, 'TransientError');
  assert.equal((await world.job(id)).attempts, 2);
});

test('[R30] TransientError and LeaseConflictError are retried, the others are not', async () => {
  const world = await openIndexing();
  const states: string[] = [];
  for (const name of [
    'TransientError',
    'LeaseConflictError',
    'ValidationError',
    'PermanentError',
  ]) {
    await world.enqueue('index');
    const claim = await world.claimOne('w1', 'index');
    await world.start(claim);
    states.push((await world.fail(claim, name)).state);
  }
  assert.deepEqual(states, ['queued', 'queued', 'failed', 'failed']);
});

test('[R2] a failure before the start: retried if it can be, else dead-lettered', async () => {
  const world = await openIndexing();
  await world.enqueue('index');
  assert.equal(
    (await world.fail(await world.claimOne('w1', 'index'), 'TransientError')).state,
    'queued',
  );
  await world.enqueue('index');
  const job = await world.fail(await world.claimOne('w1', 'index'), 'ValidationError');
  assert.equal(job.state, 'dead_lettered');
});

test('[R30] a class that nobody declared is retried, and has nothing to explain', async () => {
  const world = await openIndexing();
  await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  await world.start(claim);
  const job = await world.fail(claim, 'Oops');
  assert.deepEqual([job.state, job.error!.retryable], ['queued', true]);
  assert.equal(job.error!.hint, undefined);
});

test('[R30] a PermanentError is not retried, and the hint says why', async () => {
  const world = await openIndexing();
  await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  await world.start(claim);
  const job = await world.fail(claim, 'PermanentError');
  assert.equal(job.state, 'failed');
  assert.match(job.error!.hint!, /^not retried: "PermanentError" is final/);
});
