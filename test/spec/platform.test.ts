// Document P: the orchestration platform, walked on the real engine and a real database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftJob } from 'pawl/internal/engine/draft';
import { recordOf } from 'pawl/internal/lifecycles/record';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

const caller = { tenant: TENANT, principal: 'tester' };

const backoff = { kind: 'fixed', baseMs: 100 } as const;

async function openMail(maxAttempts = 3): Promise<World> {
  const types = { mail: { lifecycle: 'platform', retry: { maxAttempts, backoff } } };
  return openWorld({ store: inSqlite, types });
}

async function trace(world: World, id: string): Promise<string> {
  return (await world.events(id)).map((event) => event.to).join(' → ');
}

async function nextTry(world: World): Promise<void> {
  world.advance(100);
  await world.sweep();
}

test('[P6, P12] a job is acknowledged as stored, and its way to SUCCESS can be followed', async () => {
  const world = await openMail();
  const { id, state } = await world.enqueue('mail');
  assert.equal(state, 'QUEUED');
  const claim = await world.claimOne('w1', 'mail');
  assert.equal(await world.stateOf(id), 'RUNNING');
  await world.complete(claim, { sent: true });
  assert.equal(await trace(world, id), 'CREATED → QUEUED → RUNNING → SUCCESS');
});

test('[P7] a recoverable failure goes RUNNING → RETRY → QUEUED, and DEAD when tries are used up', async () => {
  const world = await openMail(2);
  const { id } = await world.enqueue('mail');
  await world.fail(await world.claimOne('w1', 'mail'), 'TransientError');
  assert.equal(await world.stateOf(id), 'RETRY');
  await nextTry(world);
  await world.fail(await world.claimOne('w1', 'mail'), 'TransientError');
  const round = 'QUEUED → RUNNING → RETRY → ';
  assert.equal(await trace(world, id), `CREATED → ${round.repeat(2)}DEAD`);
  const job = await world.job(id);
  assert.deepEqual([job.attempts, job.retryCount], [2, 2]);
});

test('[P7] a fatal error goes through RETRY to DEAD in one step, one event each', async () => {
  const world = await openMail();
  const { id } = await world.enqueue('mail');
  await world.fail(await world.claimOne('w1', 'mail'), 'PermanentError');
  assert.equal(await trace(world, id), 'CREATED → QUEUED → RUNNING → RETRY → DEAD');
  const types = (await world.events(id)).slice(-2).map((event) => event.type);
  assert.deepEqual(types, ['job_failed', 'job_dead_lettered']);
});

test('[P6, P10] a job that was stored but not submitted rests in CREATED, and no worker gets it', async () => {
  const world = await openMail();
  const { id } = await world.enqueue('mail', 'hello', { submit: false });
  assert.equal(await world.stateOf(id), 'CREATED');
  assert.deepEqual(await world.claim('w1', 'mail'), []);
  const again = await world.enqueue('mail', 'hello', { submit: false, id });
  assert.deepEqual([again.id, again.state], [id, 'CREATED']);
});

test('[P10, R6] a repeat with `submit: false` leaves the job held, however often it comes', async () => {
  const world = await openMail();
  const ask = () => world.enqueue('mail', 'hello', { submit: false, idempotencyKey: 'held' });
  const held = await ask();
  for (let n = 0; n < 3; n++) {
    const again = await ask();
    assert.deepEqual([again.id, again.state, again.version], [held.id, 'CREATED', held.version]);
  }
  await world.submit(held);
  assert.equal((await ask()).state, 'QUEUED');
  assert.equal(await trace(world, held.id), 'CREATED → QUEUED');
});

test('[P10, T9] the same key with another `submit` is another request, and is refused', async () => {
  const world = await openMail();
  for (const more of [{}, { payloadHash: 'blind' }]) {
    const idempotencyKey = `one ${Object.keys(more).length}`;
    const held = await world.enqueue('mail', 'x', { ...more, submit: false, idempotencyKey });
    const details = { jobId: held.id, key: idempotencyKey };
    for (const submit of [{}, { submit: true }]) {
      const other = world.enqueue('mail', 'x', { ...more, ...submit, idempotencyKey });
      await assert.rejects(other, { code: 'IDEMPOTENCY_CONFLICT', details });
    }
    assert.equal(await world.stateOf(held), 'CREATED');
  }
  const ready = await world.enqueue('mail', 'y', { idempotencyKey: 'two' });
  const other = world.enqueue('mail', 'y', { submit: false, idempotencyKey: 'two' });
  await assert.rejects(other, { code: 'IDEMPOTENCY_CONFLICT' });
  const same = await world.enqueue('mail', 'y', { submit: true, idempotencyKey: 'two' });
  assert.deepEqual([same.id, same.state], [ready.id, 'QUEUED']);
});

test('[P10] the same id with another `submit` releases nothing either', async () => {
  const world = await openMail();
  const { id } = await world.enqueue('mail', 'hello', { submit: false });
  const other = world.enqueue('mail', 'hello', { id });
  await assert.rejects(other, { code: 'ALREADY_EXISTS', message: /submit/ });
  assert.equal(await world.stateOf(id), 'CREATED');
});

test('[P10, R6] a submitting request, repeated, submits the job that it finds in CREATED, once', async () => {
  const world = await openMail();
  const request = { type: 'mail', input: 'hello', idempotencyKey: 'crashed' };
  const draft = await draftJob(world.context, request, caller);
  // As an API leaves it that dies between storing the job and submitting it.
  await world.store.insert([{ ...draft, places: draft.places.slice(0, 1) }]);
  assert.equal(await world.stateOf(draft.id), 'CREATED');
  for (let n = 0; n < 2; n++) {
    const retried = await world.enqueue('mail', 'hello', { idempotencyKey: 'crashed' });
    assert.deepEqual([retried.id, retried.state], [draft.id, 'QUEUED']);
  }
  assert.equal(await trace(world, draft.id), 'CREATED → QUEUED');
});

test('[P6] submitting again changes nothing', async () => {
  const world = await openMail();
  const { id } = await world.enqueue('mail', null, { submit: false });
  await world.submit(id);
  const claim = await world.claimOne('w1', 'mail');
  const job = await world.submit(id);
  assert.deepEqual([job.state, job.version], ['RUNNING', claim.job.version]);
});

test('[P6] only the owner moves a job out of RUNNING: there is no cancellation', async () => {
  const world = await openMail();
  const { id } = await world.enqueue('mail');
  await world.claimOne('w1', 'mail');
  for (const mode of ['soft', 'hard'] as const) {
    await assert.rejects(world.cancel(id, mode), {
      code: 'ILLEGAL_TRANSITION',
      message: /platform v1 has no cancellation/,
    });
  }
  assert.equal(await world.stateOf(id), 'RUNNING');
});

test('[P8, P2] a crashed worker loses its lease, and the job is recovered by itself', async () => {
  const world = await openMail();
  const { id } = await world.enqueue('mail');
  await world.claimOne('w1', 'mail');
  world.advance(30_000);
  await world.sweep();
  assert.equal(await world.stateOf(id), 'RETRY');
  await nextTry(world);
  const claim = await world.claimOne('w2', 'mail');
  await world.complete(claim);
  assert.equal(await world.stateOf(id), 'SUCCESS');
});

test('[P4] the job of a crashed worker keeps its checkpoint, stage results and progress', async () => {
  const world = await openMail();
  const { id } = await world.enqueue('mail');
  const first = await world.claimOne('w1', 'mail');
  await world.renew(first, {
    progress: 40,
    checkpoint: '{"sent":17}',
    stageResult: { name: 'plan', result: '[1,2,3]' },
  });
  world.advance(30_000);
  await world.sweep();
  await nextTry(world);
  const second = await world.claimOne('w2', 'mail');
  assert.equal(second.job.checkpoint, '{"sent":17}');
  assert.equal(second.job.progress, 40);
  assert.deepEqual(
    second.stages.map(({ name, result }) => [name, result]),
    [['plan', '[1,2,3]']],
  );
  assert.equal((await world.job(id)).attempts, 2);
});

test('[P3] the idempotency key of a job is the same in every attempt', async () => {
  const world = await openMail();
  await world.enqueue('mail');
  const first = await world.claimOne('w1', 'mail');
  await world.fail(first, 'TransientError');
  await nextTry(world);
  const second = await world.claimOne('w2', 'mail');
  assert.equal(second.idempotencyKey, first.idempotencyKey);
});

test('[P11] the record has the columns of the data model', async () => {
  const world = await openMail();
  const { id } = await world.enqueue('mail');
  const claim = await world.claimOne('w1', 'mail');
  const now = new Date(world.clock.now()).toISOString();
  assert.deepEqual(recordOf(await world.job(id)), {
    id,
    state: 'RUNNING',
    retry_count: 0,
    lease_expiry: new Date(world.clock.now() + claim.leaseMs).toISOString(),
    created_at: now,
    updated_at: now,
  });
});

test('[P13] a DEAD job can be inspected, and replayed as a new job that knows its parent', async () => {
  const world = await openMail();
  const { id } = await world.enqueue('mail', { to: 'someone' });
  await world.fail(await world.claimOne('w1', 'mail'), 'PermanentError');
  const [letter] = await world.engine.deadLetters({ tenant: TENANT, limit: 10 });
  assert.deepEqual([letter!.jobId, letter!.lastOwner], [id, 'w1']);
  assert.equal(letter!.input, '{"to":"someone"}');
  const caller = { tenant: TENANT, principal: 'operator' };
  const replayed = await world.engine.replay({ deadLetterId: letter!.id, caller });
  assert.deepEqual([replayed.kind, replayed.job.parentJobId], ['created', id]);
  assert.equal(await world.stateOf(id), 'DEAD');
  const twice = await world.engine.replay({ deadLetterId: letter!.id, caller });
  assert.deepEqual([twice.kind, twice.job.id], ['replayed', replayed.job.id]);
});

test('[P15] a job in SUCCESS is never given out again', async () => {
  const world = await openMail();
  const { id } = await world.enqueue('mail');
  const claim = await world.claimOne('w1', 'mail');
  await world.complete(claim);
  world.advance(86_400_000);
  await world.sweep();
  assert.deepEqual(await world.claim('w2', 'mail'), []);
  assert.equal(await world.stateOf(id), 'SUCCESS');
});

test('[P7] a worker that shuts down gives its job back through RETRY and spends no attempt', async () => {
  const world = await openMail();
  const { id } = await world.enqueue('mail');
  await world.release(await world.claimOne('w1', 'mail'));
  await world.sweep();
  const claim = await world.claimOne('w2', 'mail');
  assert.equal(claim.job.attempts, 1);
  assert.equal(await trace(world, id), 'CREATED → QUEUED → RUNNING → RETRY → QUEUED → RUNNING');
});
