// Who guesses keys is slowed down by address, and the store does not hear of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshKey } from '@pawl/server/internal/auth/key-text';
import { openLocked } from './auth-fixture.ts';

const BURST = 20;

test('[S24] wrong keys of an address are slowed down without a read of the store', async () => {
  const { api, holder } = await openLocked();
  const { api: good } = await holder({});
  assert.equal((await good.get('/v1/jobs')).status, 200);
  const { accessKeys } = api.world.engine;
  let reads = 0;
  const find = accessKeys.find.bind(accessKeys);
  accessKeys.find = (id) => {
    reads += 1;
    return find(id);
  };
  const guess = () => api.with({ authorization: `Bearer ${freshKey().text}` }).get('/v1/jobs');
  for (let count = 0; count < BURST; count++) assert.equal((await guess()).status, 401);
  assert.equal(reads, BURST);
  const refused = await guess();
  assert.deepEqual([refused.status, refused.body.code], [429, 'RATE_LIMITED']);
  assert.equal(refused.headers['retry-after'], '5');
  assert.equal(reads, BURST);
  assert.equal((await good.get('/v1/jobs')).status, 200);

  api.world.clock.advance(5_000);
  assert.equal((await guess()).status, 401);
  assert.equal((await guess()).status, 429);
});

test('[S24] a wrong secret for a key that exists is a guess like any other', async () => {
  const { api, holder } = await openLocked();
  await holder({ idempotencyKey: 'k' });
  const statuses: number[] = [];
  for (let count = 0; count <= BURST; count++) {
    const { text } = freshKey('default\nk');
    statuses.push((await api.with({ authorization: `Bearer ${text}` }).get('/v1/jobs')).status);
  }
  assert.deepEqual(statuses, [...Array.from({ length: BURST }, () => 401), 429]);
});
