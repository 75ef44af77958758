// Who may have webhooks, where they may lead, and what of their secrets can be found.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Role } from 'pawl/internal/contract/role';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { SecretBox } from '@pawl/server/internal/app/secret-box';
import type { Api, Method } from './http-fixture.ts';
import { hook, openWebhookFixture, succeed, told } from './webhook-fixture.ts';

const NOBODY = '00000000-0000-7000-8000-000000000000';

/** Every route of a webhook, with a body that would do. */
function routesOf(path: string, deliveryId: string): [Method, string, object?][] {
  const delivery = `${path}/deliveries/${deliveryId}`;
  return [
    ['GET', path],
    ['GET', `${path}/deliveries`],
    ['GET', delivery],
    ['POST', `${delivery}/redeliver`, {}],
    ['POST', `${path}/test`, {}],
    ['POST', `${path}/rotate`, {}],
    ['PATCH', path, { description: 'x' }],
    ['DELETE', path],
  ];
}

async function callAll(api: Api, path: string, deliveryId: string): Promise<number[]> {
  const statuses: number[] = [];
  for (const [method, url, body] of routesOf(path, deliveryId)) {
    statuses.push((await api.call(method, url, body === undefined ? {} : { body })).status);
  }
  return statuses;
}

test('administrators and operators manage webhooks, viewers see them, nobody else does', async () => {
  const fixture = await openWebhookFixture({ isLocked: true });
  const read = [200, 200, 200];
  const write = [202, 202, 200, 200, 204];
  const refusals = (count: number): number[] => Array.from({ length: count }, () => 403);
  const expected: Record<Role, number[]> = {
    admin: [...read, ...write],
    operator: [...read, ...write],
    viewer: [...read, ...refusals(5)],
    producer: refusals(8),
    worker: refusals(8),
    user: refusals(8),
  };
  const admin = await fixture.holder({ roles: ['admin'] });
  for (const [role, statuses] of Object.entries(expected)) {
    const { path } = await hook({ ...fixture, api: admin });
    const { body: delivery } = await admin.post(`${path}/test`);
    const api = await fixture.holder({ roles: [role as Role] });
    assert.deepEqual(await callAll(api, path, delivery.id), statuses, role);
    const { status } = await api.post('/v1/webhooks', { url: fixture.receiver.url });
    assert.equal(status, write.includes(statuses[3]!) ? 201 : 403, role);
  }
});

test('[S3] another tenant’s webhooks cannot be seen, changed or told of its own jobs', async () => {
  const fixture = await openWebhookFixture({ isLocked: true });
  const owner = await fixture.holder({ tenant: 'acme' });
  const rival = await fixture.holder({ tenant: 'rival' });
  const { path } = await hook({ ...fixture, api: owner });
  const { body: delivery } = await owner.post(`${path}/test`);
  const all = await callAll(rival, path, delivery.id);
  assert.deepEqual(new Set(all), new Set([404]));
  assert.deepEqual(await callAll(rival, `/v1/webhooks/${NOBODY}`, delivery.id), all);
  assert.deepEqual((await rival.get('/v1/webhooks')).body.items, []);
  assert.equal((await owner.get(path)).body.description, null);
  const own = await hook({ ...fixture, api: rival }, { url: `${fixture.receiver.url}/rival` });
  const foreign = await rival.get(`${own.path}/deliveries/${delivery.id}`);
  assert.equal(foreign.status, 404);
  await fixture.deliver();
  await owner.put('/v1/types/export', { lifecycle: 'task' });
  await succeed(owner);
  const paths = (await told(fixture)).map((one) => one.path);
  assert.deepEqual(paths, ['/hook', '/hook']);
});

test('[S6] a webhook that leads to no public place is refused, and the reason names the way', async () => {
  const fixture = await openWebhookFixture();
  const urls = [
    'http://localhost:1/',
    'http://127.0.0.1:1/',
    'https://[::1]/',
    'https://0x7f000001/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'http://93.184.215.14/',
    'https://93.184.215.14:22/',
    'https://user:secret@example.org/',
    'ftp://example.org/',
    'nonsense',
  ];
  const { path } = await hook(fixture);
  for (const url of urls) {
    for (const answer of [
      await fixture.api.post('/v1/webhooks', { url }),
      await fixture.api.call('PATCH', path, { body: { url } }),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR'], url);
      assert.equal(answer.body.errors[0].pointer, '/url');
      assert.doesNotMatch(JSON.stringify(answer.body), /secret/);
    }
  }
  assert.equal((await fixture.api.get('/v1/webhooks')).body.items.length, 1);
});

test('what cannot be meant is refused by the name of the member', async () => {
  const { api, receiver } = await openWebhookFixture();
  const { url } = receiver;
  const wrong: [object, string][] = [
    [{}, '/url'],
    [{ url, events: [] }, '/events'],
    [{ url, events: ['job_heartbeat'] }, '/events'],
    [{ url, types: [] }, '/types'],
    [{ url, secret: 'whsec_x' }, '/secret'],
    [{ url, enabled: 'yes' }, '/enabled'],
  ];
  for (const [body, pointer] of wrong) {
    const answer = await api.post('/v1/webhooks', body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.ok(answer.body.errors[0].pointer.startsWith(pointer), JSON.stringify(answer.body));
  }
});

test('the same request again makes no second webhook', async () => {
  const { api, receiver } = await openWebhookFixture();
  const keyed = api.with({ 'idempotency-key': 'one' });
  const made = await keyed.post('/v1/webhooks', { url: receiver.url });
  const again = await keyed.post('/v1/webhooks', { url: receiver.url });
  assert.deepEqual([made.status, again.status, again.body.code], [201, 409, 'ALREADY_EXISTS']);
  assert.match(again.body.detail, new RegExp(made.body.id));
  assert.equal((await api.get('/v1/webhooks')).body.items.length, 1);
});

test('[S15] the database has no secret that could be used, and no answer shows it again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-webhooks-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'pawl.db');
  const fixture = await openWebhookFixture({
    store: (ports) => openSqliteStore({ ...ports, path }),
  });
  const made = await hook(fixture);
  const { body: rotated } = await fixture.api.post(`${made.path}/rotate`);
  await succeed(fixture.api);
  await told(fixture);
  const { tenant, secrets, id } = (await fixture.webhooks.list('default', { limit: 1 }))[0]!;
  const shown = [
    await fixture.api.get(made.path),
    await fixture.api.get('/v1/webhooks'),
    await fixture.api.call('PATCH', made.path, { body: { enabled: true } }),
    await fixture.api.get(`${made.path}/deliveries`),
    await fixture.world.engine.audit.list({ tenant: 'default', limit: 99 }),
  ];
  const stored = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'));
  const answers = JSON.stringify(shown);
  assert.ok(stored.some((text) => text.includes(secrets[0]!.sealed)));
  for (const secret of [made.secret, rotated.secret]) {
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
    assert.ok(bytes.byteLength >= 24 && bytes.byteLength <= 64);
    for (const form of [secret.slice(6), bytes.toString('latin1'), bytes.toString('hex')]) {
      assert.ok(!answers.includes(form));
      for (const text of stored) assert.ok(!text.includes(form));
    }
  }
  assert.ok(!answers.includes(secrets[0]!.sealed));
  const others = new SecretBox([{ id: 'k2', secret: Buffer.alloc(32, 8) }]);
  assert.throws(() => others.open({ tenant, id }, secrets[0]!.sealed), /PAWL_SECRET_KEYS/);
  const same = new SecretBox([{ id: 'k1', secret: Buffer.alloc(32, 7) }]);
  assert.equal(same.open({ tenant, id }, secrets[0]!.sealed), rotated.secret);
  assert.throws(() => same.open({ tenant, id: NOBODY }, secrets[0]!.sealed));
});
