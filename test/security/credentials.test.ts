// Credentials: what is kept of them, who may use them, and what a stolen name alone is good for.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readKey } from '@pawl/server/internal/auth/key-text';
import { Caller, openSecurityFixture } from './fixture.ts';

test('[S1] the files of the database have no key, and no hash that a key could be made from', async () => {
  const fixture = await openSecurityFixture();
  const admin = await fixture.holder({});
  const { json: made } = await admin.post('/v1/keys', { name: 'bot', roles: ['viewer'] });
  const bot = new Caller(admin.url, { authorization: `Bearer ${made.key}` });
  assert.equal((await bot.get('/v1/jobs')).status, 200);
  const { secret } = readKey(made.key)!;
  const hash = createHash('sha256').update(secret).digest('hex');
  const files = readdirSync(fixture.folder).filter((file) => file.startsWith('pawl.db'));
  const stored = files.map((file) => readFileSync(join(fixture.folder, file), 'latin1')).join('');
  assert.ok(stored.includes(hash), 'what is kept is its hash');
  assert.ok(!stored.includes(secret) && !stored.includes(made.key));
  // Whoever reads the hash in a dump of the database has nothing to log in with.
  for (const text of [hash, made.key.replace(secret, hash.slice(0, 32))]) {
    const thief = new Caller(admin.url, { authorization: `Bearer ${text}` });
    assert.equal((await thief.get('/v1/jobs')).status, 401);
  }
});

const VERBS: readonly [string, object][] = [
  ['start', {}],
  ['heartbeat', { progress: 99 }],
  ['stages/one', { result: 'forged' }],
  ['complete', { result: 'forged' }],
  ['fail', { error: { class: 'ValidationError', message: 'forged' } }],
  ['snooze', { delayMs: 1 }],
  ['release', {}],
  ['cancelled', {}],
];

test('[S5] with the id of a job alone nobody reports for its owner, whatever is guessed', async () => {
  const fixture = await openSecurityFixture();
  const owner = await fixture.holder({ roles: ['worker', 'producer'] });
  await owner.put('/v1/types/own', { lifecycle: 'distributed' });
  const { json: job } = await owner.post('/v1/jobs', { type: 'own' });
  const asked = { workerId: 'w1', types: ['own'], max: 1 };
  const { json: claimed } = await owner.post('/v1/claims', asked);
  const { epoch } = claimed.jobs[0];
  await owner.post(`/v1/jobs/${job.id}/start`, { workerId: 'w1', epoch });
  const before = (await owner.get(`/v1/jobs/${job.id}`)).text;
  const thief = await fixture.holder({ roles: ['worker'], name: 'thief' });
  for (const held of [
    { workerId: 'thief', epoch },
    { workerId: 'w1', epoch: epoch + 1 },
    { workerId: 'W1', epoch },
  ]) {
    for (const [verb, more] of VERBS) {
      const { status, json } = await thief.post(`/v1/jobs/${job.id}/${verb}`, { ...held, ...more });
      assert.deepEqual([status, json.code], [409, 'LEASE_LOST'], `${verb} ${JSON.stringify(held)}`);
    }
    const query = `workerId=${held.workerId}&epoch=${held.epoch}`;
    const path = `/v1/jobs/${job.id}/artifacts/forged?${query}`;
    const { status } = await thief.call('PUT', path, { body: Buffer.from('forged') });
    assert.equal(status, 409);
  }
  assert.equal((await owner.get(`/v1/jobs/${job.id}`)).text, before);
});

test('[S26] every change that an administrator makes is told in the audit log, by who made it', async () => {
  const fixture = await openSecurityFixture({ PAWL_OUTGOING_ALLOW: '127.0.0.9' });
  const admin = await fixture.holder({ name: 'root' });
  const told = async (): Promise<string[]> => {
    const { json } = await admin.get('/v1/audit?limit=500');
    return json.items.map((one: { actor: string; action: string }) => `${one.actor} ${one.action}`);
  };
  const rule = { kind: 'interval', everyMs: 60_000 };
  await admin.put('/v1/types/t', { lifecycle: 'task' });
  const { json: hook } = await admin.post('/v1/webhooks', { url: 'https://127.0.0.9/' });
  const { json: key } = await admin.post('/v1/keys', { name: 'bot', roles: ['viewer'] });
  const { json: job } = await admin.post('/v1/jobs', { type: 't' });
  const changes: [string, string, object | undefined, string][] = [
    ['PUT', '/v1/types/u', { lifecycle: 'task' }, 'type.put'],
    ['PATCH', '/v1/queues/q', { isPaused: true }, 'queue_configured'],
    ['PUT', '/v1/schedules/s', { rule, job: { type: 't' } }, 'schedule.put'],
    ['POST', '/v1/schedules/s/pause', {}, 'schedule.paused'],
    ['POST', '/v1/schedules/s/resume', {}, 'schedule.resumed'],
    ['POST', '/v1/schedules/s/run', {}, 'schedule.run'],
    ['DELETE', '/v1/schedules/s', undefined, 'schedule.removed'],
    ['PATCH', `/v1/webhooks/${hook.id}`, { description: 'x' }, 'webhook.changed'],
    ['POST', `/v1/webhooks/${hook.id}/rotate`, {}, 'webhook.rotated'],
    ['DELETE', `/v1/webhooks/${hook.id}`, undefined, 'webhook.removed'],
    ['POST', `/v1/keys/${key.id}/rotate`, {}, 'key.rotated'],
    ['POST', `/v1/keys/${key.id}/revoke`, {}, 'key.revoked'],
    ['POST', '/v1/jobs/cancel', { ids: [job.id] }, 'jobs.cancelled'],
    ['POST', `/v1/jobs/${job.id}/erase`, {}, 'job.erased'],
  ];
  for (const [method, path, body, action] of changes) {
    const before = (await told()).length;
    const answer = await admin.call(method, path, body === undefined ? {} : { body });
    assert.ok(answer.status < 300, `${method} ${path} ${answer.text}`);
    const now = await told();
    assert.equal(now.length, before + 1, `${method} ${path}`);
    assert.equal(now[0], `api:root ${action}`);
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    assert.ok((await admin.call(method, '/v1/audit')).status >= 404, 'nobody edits it');
  }
});
