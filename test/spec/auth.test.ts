// Credentials: API keys that are shown once, tokens that convince, and nobody else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshKey, isSecretOf, readKey } from '@pawl/server/internal/auth/key-text';
import { ApiClient } from 'pawl/client';
import { openLocked } from './auth-fixture.ts';

test('[S1] a key is a prefix, a public id, a secret of 190 bits and a checksum', () => {
  const keys = Array.from({ length: 200 }, () => freshKey());
  for (const { text, id, hash } of keys) {
    assert.match(text, /^pawl_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
    const parts = readKey(text)!;
    assert.equal(parts.id, id);
    assert.ok(isSecretOf(parts.secret, hash) && !isSecretOf(`${parts.secret}x`, hash));
  }
  assert.equal(new Set(keys.map(({ id }) => id)).size, 200);
  const { text } = keys[0]!;
  for (let at = 5; at < text.length; at++) {
    const other = text[at] === 'A' ? 'B' : 'A';
    assert.equal(readKey(text.slice(0, at) + other + text.slice(at + 1)), null);
  }
});

test('[S1, S24] without a good credential every answer is the same 401 and tells nothing', async () => {
  const { api, holder } = await openLocked();
  const { made } = await holder({ idempotencyKey: 'k' });
  const stranger = freshKey().text;
  // The same public id, a good checksum, another secret.
  const forged = freshKey('default\nk');
  assert.deepEqual([forged.id, readKey(forged.text)?.id], [made.key.id, made.key.id]);
  const bodies = [];
  for (const header of [
    undefined,
    '',
    'Bearer',
    'Bearer x',
    `Basic ${made.text}`,
    `Bearer ${made.text.slice(0, -1)}`,
    `Bearer ${stranger}`,
    `Bearer ${forged.text}`,
    `Bearer ${forged.text} ${made.text}`,
    `Bearer ${'x'.repeat(9_000)}`,
  ]) {
    const caller = header === undefined ? api : api.with({ authorization: header });
    const answer = await caller.with({ 'x-request-id': 'same' }).get('/v1/jobs');
    assert.deepEqual(
      [answer.status, answer.headers['www-authenticate']],
      [401, 'Bearer realm="pawl"'],
    );
    bodies.push(JSON.stringify(answer.body));
  }
  assert.equal(new Set(bodies).size, 1);
  assert.equal((await api.get('/livez')).status, 200);
  assert.equal((await api.get('/v1/nothing')).status, 404);
});

test('[S1] a key is shown once: neither the store nor any answer has it afterwards', async () => {
  const { holder } = await openLocked();
  const { api: admin } = await holder({});
  const { status, body } = await admin.post('/v1/keys', { name: 'bot', roles: ['producer'] });
  assert.equal(status, 201);
  const { secret } = readKey(body.key)!;
  const { accessKeys, audit } = admin.world.context.records;
  const stored = JSON.stringify([
    await accessKeys.list('default', { limit: 99 }),
    await audit.list({ tenant: 'default', limit: 99 }),
  ]);
  const shown = JSON.stringify([
    (await admin.get('/v1/keys')).body,
    (await admin.get(`/v1/keys/${body.id}`)).body,
    (await admin.get('/v1/audit')).body,
  ]);
  assert.ok(!stored.includes(secret) && !shown.includes(secret) && !shown.includes('hash'));
  assert.equal(
    (await admin.with({ authorization: `Bearer ${body.key}` }).get('/v1/jobs')).status,
    200,
  );
});

test('[S1] an expired key is refused, and a revoked one within five seconds', async () => {
  const { holder } = await openLocked();
  const { api: admin } = await holder({});
  const { api: brief } = await holder({ roles: ['viewer'], ttlMs: 60_000 });
  assert.equal((await brief.get('/v1/jobs')).status, 200);
  const { api: doomed, made } = await holder({ roles: ['viewer'] });
  assert.equal((await doomed.get('/v1/jobs')).status, 200);
  const revoked = await admin.post(`/v1/keys/${made.key.id}/revoke`);
  assert.ok(revoked.body.revokedAt !== null);
  admin.world.advance(5_000);
  assert.equal((await doomed.get('/v1/jobs')).status, 401);
  assert.deepEqual((await admin.post(`/v1/keys/${made.key.id}/revoke`)).body, revoked.body);
  admin.world.advance(55_000);
  assert.equal((await brief.get('/v1/jobs')).status, 401);
});

test('[S1] a rotated key goes on for the overlap beside the new one, and no longer', async () => {
  const { holder } = await openLocked();
  const { api: admin } = await holder({});
  const { api: old, made } = await holder({ roles: ['worker'], queues: ['a'], name: 'w' });
  const url = `/v1/keys/${made.key.id}/rotate`;
  const { status, body } = await admin.post(url, { overlapMs: 10_000 });
  assert.equal(status, 201);
  assert.deepEqual([body.name, body.roles, body.queues], ['w', ['worker'], ['a']]);
  const fresh = admin.with({ authorization: `Bearer ${body.key}` });
  for (const caller of [old, fresh]) assert.equal((await caller.get('/v1/types')).status, 200);
  const again = await admin.post(url);
  assert.deepEqual([again.status, again.body.code], [409, 'ILLEGAL_TRANSITION']);
  admin.world.advance(10_000);
  assert.equal((await old.get('/v1/types')).status, 401);
  assert.equal((await fresh.get('/v1/types')).status, 200);
});

test('[S4] a key never allows more than its maker, and is made for the own tenant only', async () => {
  const { holder } = await openLocked();
  const { api: admin } = await holder({ tenant: 'acme' });
  const foreign = await admin.post('/v1/keys', { name: 'x', roles: ['viewer'], tenant: 'other' });
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'FORBIDDEN']);
  const { api: keeper } = await holder({ tenant: 'acme', scopes: ['keys:admin', 'jobs:read'] });
  const more = await keeper.post('/v1/keys', { name: 'x', roles: ['operator'] });
  assert.deepEqual([more.status, more.body.code], [403, 'FORBIDDEN']);
  const wish = { name: 'x', roles: ['viewer'], scopes: ['jobs:read'] };
  assert.equal((await keeper.post('/v1/keys', wish)).status, 201);
  const { api: home } = await holder({});
  const other = await home.post('/v1/keys', { name: 'first', roles: ['admin'], tenant: 'other' });
  assert.deepEqual([other.status, other.body.tenant], [201, 'other']);
  const shared = await home.post('/v1/keys', { name: 'x', roles: ['viewer'], tenant: '*' });
  assert.deepEqual([shared.status, shared.body.errors[0].pointer], [400, '/tenant']);
});

test('[R6] the same wish for a key with the same idempotency key makes no second one', async () => {
  const { holder } = await openLocked();
  const admin = (await holder({})).api.with({ 'idempotency-key': 'k' });
  const wish = { name: 'bot', roles: ['viewer'] };
  const first = await admin.post('/v1/keys', wish);
  const again = await admin.post('/v1/keys', wish);
  assert.deepEqual(
    [again.status, again.body.code, again.body.id],
    [409, 'ALREADY_EXISTS', first.body.id],
  );
});

test('[S26] what administrators did is in the audit log, with who did it', async () => {
  const { holder } = await openLocked();
  const { api: admin } = await holder({ name: 'root' });
  const later = () => admin.world.advance(1);
  later();
  const { body: key } = await admin.post('/v1/keys', { name: 'bot', roles: ['viewer'] });
  later();
  await admin.post(`/v1/keys/${key.id}/rotate`);
  later();
  await admin.post(`/v1/keys/${key.id}/revoke`);
  later();
  await admin.put('/v1/types/mail', { lifecycle: 'platform' });
  await admin.put('/v1/types/mail', { lifecycle: 'platform' });
  const { body } = await admin.get('/v1/audit?limit=4');
  const seen = body.items.map((one: { actor: string; action: string; subject: string }) => {
    return `${one.actor} ${one.action} ${one.subject}`;
  });
  assert.deepEqual(seen, [
    'api:root type.put mail',
    `api:root key.revoked ${key.id}`,
    `api:root key.rotated ${key.id}`,
    `api:root key.created ${key.id}`,
  ]);
});

test('[T26, R27, S5] requestedBy and the actor come from the credential, never the body', async () => {
  const { holder } = await openLocked();
  const { api: producer } = await holder({ name: 'deploy-bot', roles: ['producer'] });
  const forged = await producer.post('/v1/jobs', { type: 'export', requestedBy: 'root' });
  assert.equal(forged.status, 400);
  const { body: job } = await producer.post('/v1/jobs', { type: 'export' });
  assert.equal(job.requestedBy, 'deploy-bot');
  await producer.post(`/v1/jobs/${job.id}/cancel`, { reason: 'a mistake' });
  const { body } = await producer.get(`/v1/jobs/${job.id}/events`);
  const told = body.items.map((event: Record<string, unknown>) => {
    return [event['type'], event['actor'], event['cause'], event['correlationId']];
  });
  assert.deepEqual(told, [
    ['job_created', 'api:deploy-bot', null, job.id],
    ['job_cancelled', 'api:deploy-bot', 'a mistake', job.id],
  ]);
  assert.match(body.items[1].timestamp, /Z$/);
});

test('[S4] the claims of a worker are bound to the queues of its key', async () => {
  const { holder } = await openLocked();
  const { api: producer } = await holder({ roles: ['producer'] });
  for (const queue of ['open', 'secret'])
    await producer.post('/v1/jobs', { type: 'export', queue });
  const { api: worker } = await holder({ roles: ['worker'], queues: ['open'] });
  const asked = { workerId: 'w', types: ['export'], max: 9 };
  const foreign = await worker.post('/v1/claims', { ...asked, queues: ['open', 'secret'] });
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'FORBIDDEN']);
  const { body } = await worker.post('/v1/claims', asked);
  const queues = body.jobs.map((claim: { job: { queue: string } }) => claim.job.queue);
  assert.deepEqual(queues, ['open']);
});

test('the last use of a key is shown, to the minute', async () => {
  const { holder } = await openLocked();
  const { api: admin, made } = await holder({});
  await admin.get('/v1/jobs');
  const { body } = await admin.get(`/v1/keys/${made.key.id}`);
  assert.equal(Date.parse(body.lastUsedAt), admin.world.clock.now());
});

test('a stream ends when the key it was opened with is revoked', async () => {
  const { api, holder } = await openLocked({ server: { streams: { keepaliveMs: 1 } } });
  const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { api: producer } = await holder({ roles: ['producer'] });
  const { body: job } = await producer.post('/v1/jobs', { type: 'export' });
  const { api: admin } = await holder({});
  const { made } = await holder({ roles: ['viewer'] });
  const timers = { sleep: () => Promise.resolve() };
  const client = new ApiClient({ url, token: made.text, timers });
  const stream = client.events(job.id);
  assert.equal((await stream.next()).value?.kind, 'snapshot');
  await admin.post(`/v1/keys/${made.key.id}/revoke`);
  admin.world.advance(5_000);
  await assert.rejects(stream.next(), { code: 'UNAUTHENTICATED' });
  await api.close();
});
