// Who works on jobs does not decide what they live by.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLocked } from './auth-fixture.ts';

test('[S5] a worker registers a type that is not there, repeats it, and cannot change it', async () => {
  const { holder } = await openLocked();
  const { api: worker } = await holder({ roles: ['worker'], name: 'w' });
  const { api: operator } = await holder({ roles: ['operator'], name: 'o' });
  const said = { lifecycle: 'task', retry: { maxAttempts: 3 } };
  assert.equal((await worker.put('/v1/types/resize', said)).status, 201);
  assert.equal((await worker.put('/v1/types/resize', said)).status, 200);
  for (const change of [{ ...said, retry: { maxAttempts: 9 } }, { lifecycle: 'process' }]) {
    const refused = await worker.put('/v1/types/resize', change);
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);
    assert.match(refused.body.detail, /register types, not change them/);
  }
  const changed = await operator.put('/v1/types/resize', { retry: { maxAttempts: 5 } });
  assert.deepEqual([changed.status, changed.body.retry.maxAttempts], [200, 5]);
  assert.equal((await worker.put('/v1/types/resize', said)).status, 403);
  assert.equal((await worker.get('/v1/types/resize')).body.retry.maxAttempts, 5);
});
