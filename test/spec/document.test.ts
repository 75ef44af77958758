// Document D: the lifecycle of document jobs, walked on the real engine and a real database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordOf } from 'pawl/internal/lifecycles/record';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, type World } from '../support/world.ts';

const DELAY_MS = 1_000;

async function openDocuments(): Promise<World> {
  return openWorld({ store: inSqlite, types: { scan: { lifecycle: 'document' } } });
}

/** The states a job went through, as its events tell. */
async function trace(world: World, id: string): Promise<string> {
  return (await world.events(id)).map((event) => event.to).join(' → ');
}

async function failOnce(world: World, errorClass: string): Promise<void> {
  await world.fail(await world.claimOne('w1', 'scan'), errorClass);
}

async function waitOutTheDelay(world: World): Promise<void> {
  world.advance(DELAY_MS);
  await world.sweep();
}

describe('the four example traces', () => {
  test('[D14, D2] successful processing', async () => {
    const world = await openDocuments();
    const { id } = await world.enqueue('scan');
    await world.complete(await world.claimOne('w1', 'scan'));
    assert.equal(await trace(world, id), 'CREATED → QUEUED → RUNNING → SUCCEEDED');
  });

  test('[D14, D4] a failure with a successful retry', async () => {
    const world = await openDocuments();
    const { id } = await world.enqueue('scan');
    await failOnce(world, 'timeout');
    assert.equal((await world.job(id)).retryCount, 1);
    await waitOutTheDelay(world);
    await world.complete(await world.claimOne('w2', 'scan'));
    const path = 'CREATED → QUEUED → RUNNING → RETRYING → QUEUED → RUNNING → SUCCEEDED';
    assert.equal(await trace(world, id), path);
  });

  test('[D14, D6, D10] a failure that exhausts its three retries', async () => {
    const world = await openDocuments();
    const { id } = await world.enqueue('scan');
    for (let retry = 1; retry <= 3; retry++) {
      await failOnce(world, 'dependency_unavailable');
      assert.equal((await world.job(id)).retryCount, retry);
      await waitOutTheDelay(world);
    }
    await failOnce(world, 'dependency_unavailable');
    const round = 'QUEUED → RUNNING → RETRYING → ';
    assert.equal(await trace(world, id), `CREATED → ${round.repeat(3)}QUEUED → RUNNING → FAILED`);
    const job = await world.job(id);
    assert.equal(job.retryCount, 3);
    assert.equal(job.attempts, 4);
  });

  test('[D14, D5] a failure that is not retried', async () => {
    const world = await openDocuments();
    const { id } = await world.enqueue('scan');
    await failOnce(world, 'invalid_document');
    assert.equal(await trace(world, id), 'CREATED → QUEUED → RUNNING → FAILED');
  });
});

for (const errorClass of [
  'invalid_document',
  'job_validation',
  'permanent_timeout',
  'configuration_error',
  'resource_limit_exceeded',
]) {
  test(`[D5] ${errorClass} goes straight to FAILED`, async () => {
    const world = await openDocuments();
    const { id } = await world.enqueue('scan');
    await failOnce(world, errorClass);
    assert.equal(await world.stateOf(id), 'FAILED');
  });
}

for (const errorClass of [
  'transient_system_error',
  'timeout',
  'queue_overload',
  'dependency_unavailable',
]) {
  test(`[D4] ${errorClass} goes to RETRYING, and to QUEUED after the delay`, async () => {
    const world = await openDocuments();
    const { id } = await world.enqueue('scan');
    await failOnce(world, errorClass);
    assert.equal(await world.stateOf(id), 'RETRYING');
    await waitOutTheDelay(world);
    assert.equal(await world.stateOf(id), 'QUEUED');
  });
}

test('[D6, D13] a retry waits exactly one second, so that nothing storms', async () => {
  const world = await openDocuments();
  const { id } = await world.enqueue('scan');
  await failOnce(world, 'timeout');
  world.advance(DELAY_MS - 1);
  await world.sweep();
  assert.equal(await world.stateOf(id), 'RETRYING');
  world.advance(1);
  await world.sweep();
  assert.equal(await world.stateOf(id), 'QUEUED');
});

test('[D6] the retry policy of document jobs cannot be configured otherwise', async () => {
  const world = await openDocuments();
  await assert.rejects(
    world.putType('other', { lifecycle: 'document', retry: { maxAttempts: 9 } }),
    { code: 'VALIDATION_ERROR' },
  );
});

test('[D7, D8] the record has the fields of the document, from the first state to the last', async () => {
  const world = await openDocuments();
  const { id } = await world.enqueue('scan', null, { submit: false });
  const created = recordOf(await world.job(id))!;
  assert.deepEqual(created, {
    jobId: id,
    state: 'CREATED',
    createdAt: new Date(world.clock.now()).toISOString(),
    startedAt: null,
    completedAt: null,
    retryCount: 0,
    maxRetries: 3,
    lastError: null,
    errorType: null,
  });
  await world.submit(id);
  await failOnce(world, 'timeout');
  const retrying = recordOf(await world.job(id))!;
  assert.equal(retrying['lastError'], 'a timeout');
  assert.equal(retrying['errorType'], 'RETRYABLE');
  await waitOutTheDelay(world);
  await world.complete(await world.claimOne('w1', 'scan'));
  const succeeded = recordOf(await world.job(id))!;
  assert.deepEqual([succeeded['lastError'], succeeded['errorType']], [null, null]);
  assert.equal(succeeded['createdAt'], created['createdAt']);
  assert.equal(succeeded['maxRetries'], 3);
});

test('[D8] in FAILED the error type is TERMINAL, also when retries were exhausted', async () => {
  const world = await openDocuments();
  const { id } = await world.enqueue('scan');
  for (let attempt = 1; attempt <= 4; attempt++) {
    await failOnce(world, 'timeout');
    await waitOutTheDelay(world);
  }
  assert.equal(recordOf(await world.job(id))!['errorType'], 'TERMINAL');
});

test('[D9] a RUNNING job is not given to another worker until it failed and was retried', async () => {
  const world = await openDocuments();
  await world.enqueue('scan');
  const claim = await world.claimOne('w1', 'scan');
  assert.deepEqual(await world.claim('w2', 'scan'), []);
  await world.fail(claim, 'timeout');
  assert.deepEqual(await world.claim('w2', 'scan'), []);
  await waitOutTheDelay(world);
  assert.equal((await world.claimOne('w2', 'scan')).job.owner, 'w2');
});

test('[D12] a job whose worker died is retried, and fails for good after the last attempt', async () => {
  const world = await openDocuments();
  const { id } = await world.enqueue('scan');
  for (let attempt = 1; attempt <= 4; attempt++) {
    await world.claimOne(`w${attempt}`, 'scan');
    world.advance(60_000);
    await world.sweep();
    await waitOutTheDelay(world);
  }
  const job = await world.job(id);
  assert.equal(job.state, 'FAILED');
  assert.equal(job.error?.class, 'worker_lost');
});

test('[D15] two jobs with unlike payloads take the same path', async () => {
  const world = await openDocuments();
  const traces: string[] = [];
  for (const input of [{ text: 'plain' }, 'a2V5LWlkOmNpcGhlcnRleHQ=']) {
    const { id } = await world.enqueue('scan', input);
    await failOnce(world, 'timeout');
    await waitOutTheDelay(world);
    await world.complete(await world.claimOne('w1', 'scan'));
    traces.push(await trace(world, id));
  }
  assert.equal(traces[0], traces[1]);
});

for (const state of ['CREATED', 'QUEUED', 'RETRYING'] as const) {
  test(`[D18] a job that is cancelled in ${state} ends in FAILED along listed transitions`, async () => {
    const world = await openDocuments();
    const { id } = await world.enqueue('scan', null, { submit: state !== 'CREATED' });
    if (state === 'RETRYING') await failOnce(world, 'timeout');
    const job = await world.cancel(id);
    assert.deepEqual(
      [job.state, job.phase, job.error?.class],
      ['FAILED', 'cancelled', 'cancelled'],
    );
    assert.match(await trace(world, id), /QUEUED → FAILED$/);
    assert.equal(recordOf(job)!['errorType'], 'TERMINAL');
  });
}

test('[D18] a RUNNING job is asked to stop, and its owner ends it in FAILED', async () => {
  const world = await openDocuments();
  const { id } = await world.enqueue('scan');
  const claim = await world.claimOne('w1', 'scan');
  const asked = await world.cancel(id);
  assert.deepEqual([asked.state, asked.cancel?.mode], ['RUNNING', 'soft']);
  const beat = await world.renew(claim);
  assert.equal(beat.kind === 'renewed' && beat.cancel?.mode, 'soft');
  assert.equal((await world.settle(claim, { kind: 'cancelled' })).state, 'FAILED');
});

test('[D19] a QUEUED job is rejected to FAILED when resources are exhausted', async () => {
  const world = await openDocuments();
  const { id } = await world.enqueue('scan');
  const error = { class: 'resource_limit_exceeded', message: 'the disk is full' };
  const job = await world.engine.reject({
    ref: { tenant: 'acme', id },
    actor: 'system',
    error,
  });
  assert.deepEqual([job.state, job.error?.message], ['FAILED', 'the disk is full']);
  assert.equal(await trace(world, id), 'CREATED → QUEUED → FAILED');
});

test('[D11] nothing moves out of SUCCEEDED or FAILED', async () => {
  const world = await openDocuments();
  const { id } = await world.enqueue('scan');
  const claim = await world.claimOne('w1', 'scan');
  await world.complete(claim);
  await assert.rejects(world.fail(claim, 'timeout'), { code: 'LEASE_LOST' });
  await assert.rejects(world.cancel(id), { code: 'ILLEGAL_TRANSITION' });
  assert.equal(await world.stateOf(id), 'SUCCEEDED');
});

test('[D3] snoozing is not in the table and is refused', async () => {
  const world = await openDocuments();
  const { id } = await world.enqueue('scan');
  const claim = await world.claimOne('w1', 'scan');
  await assert.rejects(world.snooze(claim, 1_000), { code: 'ILLEGAL_TRANSITION' });
  assert.equal(await world.stateOf(id), 'RUNNING');
});
