// Document R's dead letters: why, from where, and what they keep.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DLQ_REASONS } from 'pawl/internal/core/error-class';
import type { TypeDefinition } from 'pawl/internal/engine/define-type';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

async function openIndexing(more: Partial<TypeDefinition> = {}): Promise<World> {
  const types = { index: { lifecycle: 'distributed', ...more } };
  return openWorld({ store: inSqlite, types });
}

for (const [dlq, copies] of [
  ['failed', 1],
  ['exhausted', 0],
  ['never', 0],
] as const) {
  test(`[R37] with dlq "${dlq}" a permanent failure leaves ${copies} dead letters`, async () => {
    const world = await openIndexing({ dlq });
    await world.enqueue('index');
    const claim = await world.claimOne('w1', 'index');
    await world.start(claim);
    assert.equal((await world.fail(claim, 'PermanentError')).state, 'failed');
    const letters = await world.engine.deadLetters({ tenant: TENANT, limit: 5 });
    assert.equal(letters.length, copies);
  });
}

for (const reason of DLQ_REASONS) {
  test(`[R15] a job can be dead-lettered for ${reason}`, async () => {
    const world = await openIndexing();
    const { id } = await world.enqueue('index');
    const ref = { tenant: TENANT, id };
    const asked = { ref, actor: 'api:operator', reason, message: 'by hand' };
    assert.equal((await world.engine.deadLetter(asked)).state, 'dead_lettered');
    const [letter] = await world.engine.deadLetters({ tenant: TENANT, limit: 1 });
    assert.equal(letter!.reasonCode, reason);
  });
}

test('[R16, R29] a dead letter has reason, error, attempts, last owner and lease, correlation, stage', async () => {
  const world = await openIndexing();
  await world.enqueue('index', null, { correlationId: 'order-7' });
  const claim = await world.claimOne('w1', 'index');
  await world.start(claim);
  const error = { class: 'ValidationError', message: 'no such field', stage: 'output' };
  await world.settle(claim, { kind: 'fail', error, deadLetter: 'policy_violation' });
  const [letter] = await world.engine.deadLetters({ tenant: TENANT, limit: 1 });
  assert.equal(letter!.reasonCode, 'policy_violation');
  assert.equal(letter!.lastError.message, 'no such field');
  assert.equal(letter!.attempts, 1);
  assert.equal(letter!.lastOwner, 'w1');
  assert.equal(letter!.lastLeaseExpiresAt, claim.job.leaseExpiry);
  assert.equal(letter!.correlationId, 'order-7');
  assert.equal(letter!.failureStage, 'output');
});
