// Accepting work: idempotency, own ids, delays, priorities, and refusals that name their reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EnqueueRequest } from 'pawl/internal/engine/enqueue-request';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

const DAY_MS = 86_400_000;

async function openWork(): Promise<World> {
  return openWorld({ store: inSqlite, types: { work: { lifecycle: 'task' } } });
}

test('[T9, R28] the same key and payload return the existing job, whatever the order of members', async () => {
  const world = await openWork();
  const first = await world.enqueue('work', { a: 1, b: 2 }, { idempotencyKey: 'k' });
  const again = await world.enqueue('work', { b: 2, a: 1 }, { idempotencyKey: 'k' });
  assert.equal(again.id, first.id);
  assert.equal((await world.engine.jobs({ tenant: TENANT, limit: 10 })).jobs.length, 1);
});

test('[T9] the same key with another payload is a conflict that names the job', async () => {
  const world = await openWork();
  const first = await world.enqueue('work', 1, { idempotencyKey: 'k' });
  await assert.rejects(world.enqueue('work', 2, { idempotencyKey: 'k' }), {
    code: 'IDEMPOTENCY_CONFLICT',
    message: new RegExp(first.id),
  });
});

test('[T9] a key is free again after 24 hours', async () => {
  const world = await openWork();
  const first = await world.enqueue('work', 1, { idempotencyKey: 'k' });
  world.advance(DAY_MS - 1);
  assert.equal((await world.enqueue('work', 1, { idempotencyKey: 'k' })).id, first.id);
  world.advance(1);
  assert.notEqual((await world.enqueue('work', 1, { idempotencyKey: 'k' })).id, first.id);
});

test('[T9] a payload hash stands for ciphertext that differs from call to call', async () => {
  const world = await openWork();
  const more = { idempotencyKey: 'k', payloadHash: 'sha256:plain' };
  const first = await world.enqueue('work', 'cipher-1', more);
  assert.equal((await world.enqueue('work', 'cipher-2', more)).id, first.id);
});

test('a caller may bring its own id, and bring it again for the same work', async () => {
  const world = await openWork();
  const id = '4b4bd8ef-4a0c-4f39-9d7c-0d5e8f6f2a11';
  assert.equal((await world.enqueue('work', { a: 1 }, { id })).id, id);
  assert.equal((await world.enqueue('work', { a: 1 }, { id })).id, id);
  await assert.rejects(world.enqueue('work', { a: 2 }, { id }), { code: 'ALREADY_EXISTS' });
});

test('[T39] a delayed job is not given out before its time', async () => {
  const world = await openWork();
  const runAt = world.clock.now() + 60_000;
  const { id } = await world.enqueue('work', null, { runAt });
  world.advance(59_999);
  await world.sweep();
  assert.deepEqual(await world.claim('w1', 'work'), []);
  world.advance(1);
  await world.sweep();
  assert.equal((await world.claimOne('w1', 'work')).job.id, id);
});

test('[T38] high priority goes before normal, and within a priority the older first', async () => {
  const world = await openWork();
  const order: string[] = [];
  const wishes = [
    ['normal', 'n1'],
    ['high', 'h1'],
    [50, 'middle'],
    ['normal', 'n2'],
    ['high', 'h2'],
  ] as const;
  for (const [priority, name] of wishes) {
    await world.enqueue('work', name, { priority });
    world.advance(1);
  }
  for (const _ of wishes) order.push((await world.claimOne('w1', 'work')).job.input);
  assert.deepEqual(
    order.map((text) => JSON.parse(text)),
    ['h1', 'h2', 'middle', 'n1', 'n2'],
  );
});

test('a batch answers item by item: a bad one spoils no other', async () => {
  const world = await openWork();
  const requests: EnqueueRequest[] = [
    { type: 'work', input: 1 },
    { type: 'nobody-knows' },
    { type: 'work', id: 'not-a-uuid' },
    { type: 'work', input: 2, submit: false },
    { type: 'work', input: 3 },
  ];
  const caller = { tenant: TENANT, principal: null };
  const results = await world.engine.enqueue(requests, { caller });
  const kinds = results.map((one) => (one.kind === 'refused' ? one.error.code : one.kind));
  const bad = 'VALIDATION_ERROR';
  assert.deepEqual(kinds, ['created', 'UNKNOWN_TYPE', bad, bad, 'created']);
});

for (const [pointer, request] of [
  ['/type', { type: 'no spaces' }],
  ['/priority', { type: 'work', priority: 0.5 }],
  ['/queue', { type: 'work', queue: '' }],
  ['/runAt', { type: 'work', runAt: Number.NaN }],
  ['/documentId', { type: 'work', documentId: 'nul\0' }],
  ['/parentJobId', { type: 'work', parentJobId: 'x' }],
] as const) {
  test(`a request with a bad ${pointer} is refused with that pointer`, async () => {
    const world = await openWork();
    const caller = { tenant: TENANT, principal: null };
    const [result] = await world.engine.enqueue([request], { caller });
    assert.ok(result?.kind === 'refused');
    assert.deepEqual(
      result.error.faults.map((fault) => fault.pointer),
      [pointer],
    );
  });
}

test('the retry policy is frozen at enqueue: a later change of the type leaves a job alone', async () => {
  const world = await openWork();
  const { id } = await world.enqueue('work');
  await world.putType('work', { lifecycle: 'task', retry: { maxAttempts: 1 } });
  const job = await world.fail(await world.claimOne('w1', 'work'), 'network_timeout');
  assert.deepEqual([job.id, job.state, job.maxAttempts], [id, 'running', 3]);
  await world.enqueue('work');
  const later = await world.fail(await world.claimOne('w1', 'work'), 'network_timeout');
  assert.deepEqual([later.state, later.maxAttempts], ['failed', 1]);
});

test('[R23] correlation and trace ids stay with the job and its replay', async () => {
  const world = await openWork();
  await world.enqueue('work', null, { correlationId: 'order-9', traceId: 'trace-1' });
  const claim = await world.claimOne('w1', 'work');
  assert.deepEqual([claim.job.correlationId, claim.job.traceId], ['order-9', 'trace-1']);
  const error = { class: 'internal_bug', message: 'boom' };
  await world.settle(claim, { kind: 'fail', error, deadLetter: 'infrastructure_failure' });
  const [letter] = await world.engine.deadLetters({ tenant: TENANT, limit: 1 });
  const caller = { tenant: TENANT, principal: null };
  const { job } = await world.engine.replay({ deadLetterId: letter!.id, caller });
  assert.deepEqual([job.correlationId, job.traceId], ['order-9', 'trace-1']);
});

test('[T21] a replay may bring a corrected input', async () => {
  const world = await openWork();
  await world.enqueue('work', { page: -1 });
  const claim = await world.claimOne('w1', 'work');
  const error = { class: 'validation_error', message: 'no such page' };
  await world.settle(claim, { kind: 'fail', error, deadLetter: 'validation_failed' });
  const [letter] = await world.engine.deadLetters({ tenant: TENANT, limit: 1 });
  const caller = { tenant: TENANT, principal: null };
  const asked = { deadLetterId: letter!.id, caller, input: { page: 1 } };
  const { job } = await world.engine.replay(asked);
  assert.deepEqual([job.input, job.parentJobId], ['{"page":1}', claim.job.id]);
});

test('jobs of one tenant are invisible to another, also by the same id', async () => {
  const world = await openWork();
  await world.putType('work', { lifecycle: 'task' }, 'other');
  const { id } = await world.enqueue('work', 'mine');
  await world.enqueue('work', 'theirs', { id, tenant: 'other' });
  assert.equal((await world.job({ tenant: 'other', id })).input, '"theirs"');
  assert.equal((await world.job(id)).input, '"mine"');
  const claims = await world.claim('w1', 'work', { tenants: ['other'] });
  assert.deepEqual(
    claims.map(({ job }) => job.tenant),
    ['other'],
  );
});
