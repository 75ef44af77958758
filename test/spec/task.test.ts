// Document T: typed jobs, as far as the engine carries them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from 'pawl/internal/lifecycles/record';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

const stages = [
  { name: 'preparing', min: 0, max: 10 },
  { name: 'rendering', min: 10, max: 70 },
  { name: 'packaging', min: 70, max: 100 },
];

async function openExports(): Promise<World> {
  const backoff = { kind: 'fixed', baseMs: 2_000 } as const;
  const types = { export: { lifecycle: 'task', retry: { maxAttempts: 3, backoff }, stages } };
  return openWorld({ store: inSqlite, types });
}

async function trace(world: World, id: string): Promise<string> {
  return (await world.events(id)).map((event) => event.to).join(' → ');
}

test('[T2, T4] pending, running, succeeded', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export');
  await world.complete(await world.claimOne('w1', 'export'));
  assert.equal(await trace(world, id), 'pending → running → succeeded');
});

test('[T4] a retryable error waits out its backoff inside running', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export');
  const failed = await world.fail(await world.claimOne('w1', 'export'), 'network_timeout');
  assert.deepEqual([failed.state, failed.phase], ['running', 'waiting']);
  assert.deepEqual(await world.claim('w2', 'export'), []);
  world.advance(2_000);
  await world.sweep();
  await world.complete(await world.claimOne('w2', 'export'));
  assert.ok(!(await trace(world, id)).slice(7).includes('pending'));
});

test('[T4] a retryable error in the last attempt fails the job', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export');
  for (let attempt = 1; attempt <= 3; attempt++) {
    await world.fail(await world.claimOne('w1', 'export'), 'transient_storage');
    world.advance(2_000);
    await world.sweep();
  }
  const job = await world.job(id);
  assert.deepEqual([job.state, job.attempts, job.maxAttempts], ['failed', 3, 3]);
});

for (const errorClass of [
  'validation_error',
  'unsupported_format',
  'quota_exceeded',
  'internal_bug',
  'corruption_detected',
]) {
  test(`[T6] ${errorClass} is never retried`, async () => {
    const world = await openExports();
    await world.enqueue('export');
    const job = await world.fail(await world.claimOne('w1', 'export'), errorClass);
    assert.deepEqual([job.state, job.attempts], ['failed', 1]);
  });
}

test('[T7] cancelling a pending job makes it canceled and takes it off the queue', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export');
  assert.equal((await world.cancel(id)).state, 'canceled');
  assert.deepEqual(await world.claim('w1', 'export'), []);
  assert.equal((await world.cancel(id)).state, 'canceled');
});

test('[T8] a running job is asked to stop, and ends as canceled when its worker honours it', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export');
  const claim = await world.claimOne('w1', 'export');
  await world.renew(claim, { progress: 30 });
  await world.cancel(id);
  const job = await world.settle(claim, { kind: 'cancelled' });
  assert.deepEqual([job.state, job.progress], ['canceled', 30]);
});

test('[T8] with a cancel pending a completion still wins', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export');
  const claim = await world.claimOne('w1', 'export');
  await world.cancel(id);
  assert.equal((await world.complete(claim)).state, 'succeeded');
});

for (const ending of ['fail', 'snooze', 'release'] as const) {
  test(`[T8] with a cancel pending a ${ending} ends the job as canceled`, async () => {
    const world = await openExports();
    const { id } = await world.enqueue('export');
    const claim = await world.claimOne('w1', 'export');
    await world.cancel(id);
    const endings = {
      fail: () => world.fail(claim, 'network_timeout'),
      snooze: () => world.snooze(claim, 1_000),
      release: () => world.release(claim),
    };
    assert.equal((await endings[ending]()).state, 'canceled');
  });
}

test('[T8] with a cancel pending a lost worker ends the job as canceled', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export');
  await world.claimOne('w1', 'export');
  await world.cancel(id);
  world.advance(60_000);
  await world.sweep();
  assert.equal(await world.stateOf(id), 'canceled');
});

test('[T13] the record has the fields of the document', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export', null, { metadata: { deck: 'q3' } });
  await world.complete(await world.claimOne('w1', 'export'));
  const record = recordOf(await world.job(id))!;
  const now = new Date(world.clock.now()).toISOString();
  assert.deepEqual(record, {
    id,
    type: 'export',
    status: 'succeeded',
    progress: 100,
    attempts: 1,
    maxAttempts: 3,
    createdAt: now,
    updatedAt: now,
    startedAt: now,
    completedAt: now,
    metadata: { deck: 'q3' },
    resultRef: `/v1/jobs/${id}/result`,
  });
});

test('[T15] progress never falls, within an attempt and across attempts', async () => {
  const world = await openExports();
  await world.enqueue('export');
  const first = await world.claimOne('w1', 'export');
  await world.renew(first, { progress: 50 });
  const beat = await world.renew(first, { progress: 20 });
  assert.equal(beat.kind === 'renewed' && beat.progress, 50);
  await world.fail(first, 'network_timeout');
  world.advance(2_000);
  await world.sweep();
  const second = await world.claimOne('w2', 'export');
  const later = await world.renew(second, { progress: 5 });
  assert.equal(later.kind === 'renewed' && later.progress, 50);
});

test('[T16] entering a stage lifts progress to at least its minimum', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export');
  const claim = await world.claimOne('w1', 'export');
  await world.renew(claim, { stage: 'rendering' });
  assert.equal((await world.job(id)).progress, 10);
  await world.renew(claim, { stage: 'packaging', progress: 80 });
  const job = await world.job(id);
  assert.deepEqual([job.stage, job.progress], ['packaging', 80]);
});

test('[T16] stages that overlap are refused where the type is defined', async () => {
  const world = await openExports();
  const overlapping = [stages[0]!, { name: 'next', min: 9, max: 50 }];
  await assert.rejects(world.putType('bad', { lifecycle: 'task', stages: overlapping }), {
    code: 'VALIDATION_ERROR',
    message: /stages\/1\/min: overlaps "preparing"/,
  });
});

test('[T17] success is 100; a failure keeps the last value', async () => {
  const world = await openExports();
  await world.enqueue('export');
  const claim = await world.claimOne('w1', 'export');
  await world.renew(claim, { progress: 33 });
  assert.equal((await world.fail(claim, 'internal_bug')).progress, 33);
  await world.enqueue('export');
  assert.equal((await world.complete(await world.claimOne('w1', 'export'))).progress, 100);
});

test('[T20] a retryable class that is exhausted leaves a snapshot in the dead-letter queue', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export', { deck: 7 });
  for (let attempt = 1; attempt <= 3; attempt++) {
    await world.fail(await world.claimOne('w1', 'export'), 'network_timeout');
    world.advance(2_000);
    await world.sweep();
  }
  const [letter] = await world.engine.deadLetters({ tenant: TENANT, limit: 1 });
  assert.deepEqual(
    [letter!.jobId, letter!.reasonCode, letter!.attempts, letter!.input],
    [id, 'exhausted_retries', 3, '{"deck":7}'],
  );
  assert.equal(letter!.lastError.class, 'network_timeout');
});

test('[T20] a class that is not retryable leaves none', async () => {
  const world = await openExports();
  await world.enqueue('export');
  await world.fail(await world.claimOne('w1', 'export'), 'validation_error');
  assert.deepEqual(await world.engine.deadLetters({ tenant: TENANT, limit: 1 }), []);
});

test('[T31] a lost worker: back to pending with one attempt more, then failed with worker_lost', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export');
  for (let attempt = 1; attempt <= 3; attempt++) {
    assert.equal((await world.claimOne('w1', 'export')).job.attempts, attempt);
    world.advance(30_000);
    await world.sweep();
    if (attempt < 3) assert.equal(await world.stateOf(id), 'pending');
  }
  const job = await world.job(id);
  assert.deepEqual([job.state, job.attempts, job.error?.class], ['failed', 3, 'worker_lost']);
  const [letter] = await world.engine.deadLetters({ tenant: TENANT, limit: 1 });
  assert.equal(letter!.jobId, id);
});

test('[T4] a snooze keeps the state and costs no attempt', async () => {
  const world = await openExports();
  const { id } = await world.enqueue('export');
  const snoozed = await world.snooze(await world.claimOne('w1', 'export'), 5_000);
  assert.deepEqual([snoozed.state, snoozed.phase, snoozed.attempts], ['running', 'waiting', 1]);
  world.advance(5_000);
  await world.sweep();
  assert.equal((await world.claimOne('w1', 'export')).job.attempts, 1);
  assert.equal((await world.job(id)).retryCount, 0);
});
