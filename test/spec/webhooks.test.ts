import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RealStore, realStores } from '../support/real-stores.ts';
import { hook, openWebhookFixture, succeed, told, verified } from './webhook-fixture.ts';

function everyStore(stores: readonly RealStore[]): void {
  for (const { label, open } of stores) {
    test(`[T37] the end of a job is told, signed for the reference library (${label})`, async () => {
      const fixture = await openWebhookFixture({ store: open });
      const { secret } = await hook(fixture);
      const id = await succeed(fixture.api);
      const [request, ...more] = await told(fixture);
      assert.deepEqual(more, []);
      const payload = verified(secret, request!) as Record<string, unknown>;
      const events = await fixture.api.get(`/v1/jobs/${id}/events`);
      const event = events.body.items.at(-1);
      assert.equal(event.type, 'job_succeeded');
      assert.deepEqual(payload, {
        specversion: '1.0',
        id: event.id,
        source: `/v1/jobs/${id}`,
        type: 'job_succeeded',
        time: event.timestamp,
        timestamp: event.timestamp,
        datacontenttype: 'application/json',
        subject: id,
        tenant: 'default',
        jobtype: 'export',
        data: event,
      });
      assert.equal(request!.headers['webhook-id'], event.id);
      assert.equal(request!.headers['content-type'], 'application/json');
    });
  }
}

everyStore(await realStores());

test('[T37] each of the ends of jobs is told, and nothing on the way to it', async () => {
  const fixture = await openWebhookFixture();
  const { api } = fixture;
  await hook(fixture);
  await succeed(api, 'index');
  const failing = await api.claimed();
  const error = { class: 'validation_error', message: 'no' };
  await api.post(`${failing.url}/fail`, { ...failing.held, error });
  const { body: waiting } = await api.post('/v1/jobs', { type: 'export' });
  await api.post(`/v1/jobs/${waiting.id}/cancel`);
  const { body: dying } = await api.post('/v1/jobs', { type: 'index' });
  const reason = { reasonCode: 'policy_violation', message: 'no' };
  await api.post(`/v1/jobs/${dying.id}/dead-letter`, reason);
  const requests = await told(fixture);
  const types = requests.map(({ body }): string => JSON.parse(body).type);
  assert.deepEqual(types.sort(), [
    'job_cancelled',
    'job_dead_lettered',
    'job_failed',
    'job_succeeded',
  ]);
});

test('[T37, S15] whatever is changed on the way is refused by the reference library', async () => {
  const fixture = await openWebhookFixture();
  const { secret } = await hook(fixture);
  const other = await hook(fixture, { url: `${fixture.receiver.url}/other` });
  await succeed(fixture.api);
  const [one] = await told(fixture);
  const mine = one!.path === '/hook' ? secret : other.secret;
  const foreign = one!.path === '/hook' ? other.secret : secret;
  assert.ok(verified(mine, one!));
  const changes: Partial<Record<string, string>>[] = [
    { 'webhook-id': '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e' },
    { 'webhook-timestamp': String(Number(one!.headers['webhook-timestamp']) + 1) },
    { 'webhook-timestamp': String(Number(one!.headers['webhook-timestamp']) - 86_400) },
    { 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` },
    { 'webhook-signature': one!.headers['webhook-signature']!.replace('v1,', 'v2,') },
  ];
  for (const change of changes) {
    const headers = { ...one!.headers, ...change } as Record<string, string>;
    assert.throws(() => verified(mine, { ...one!, headers }), JSON.stringify(change));
  }
  for (const body of [`${one!.body} `, one!.body.replace('job_', 'jab_'), '{}', '']) {
    assert.throws(() => verified(mine, { ...one!, body }), body.slice(0, 9));
  }
  assert.throws(() => verified(foreign, one!), 'the secret of another webhook');
});

test('[T37] a webhook is told of the events and the types of jobs that it asked for', async () => {
  const fixture = await openWebhookFixture();
  const { api } = fixture;
  await succeed(api);
  await fixture.pass(1);
  await hook(fixture, {
    url: `${fixture.receiver.url}/all`,
    events: ['job_claimed', 'job_succeeded'],
  });
  await hook(fixture, { url: `${fixture.receiver.url}/index`, types: ['index'] });
  const off = await hook(fixture, { url: `${fixture.receiver.url}/off`, enabled: false });
  await succeed(api);
  await succeed(api, 'index');
  await fixture.follow();
  await api.call('PATCH', off.path, { body: { enabled: true } });
  await fixture.deliver();
  const paths = fixture.receiver.received.map(
    ({ path, body }) => `${path} ${JSON.parse(body).type}`,
  );
  assert.deepEqual(paths.sort(), [
    '/hook/all job_claimed',
    '/hook/all job_claimed',
    '/hook/all job_succeeded',
    '/hook/all job_succeeded',
    '/hook/index job_succeeded',
  ]);
});

test('[T37] deliveries cause no webhooks, whatever a webhook asks for', async () => {
  const fixture = await openWebhookFixture();
  await hook(fixture, { events: ['job_created', 'job_succeeded', 'job_claimed', 'job_failed'] });
  await hook(fixture, { types: ['pawl.webhook'] });
  await succeed(fixture.api);
  assert.equal(await fixture.follow(), 3);
  await fixture.deliver();
  assert.equal(await fixture.follow(), 0);
  assert.equal(fixture.receiver.received.length, 3);
  const { status } = await fixture.api.put('/v1/types/pawl.webhook', { lifecycle: 'task' });
  assert.equal(status, 400);
});

test('[S15] during a rotation both secrets are good, after it the new one alone', async () => {
  const fixture = await openWebhookFixture();
  const { api, receiver } = fixture;
  const { path, secret: old } = await hook(fixture);
  const keyed = api.with({ 'idempotency-key': 'r1' });
  const rotated = await keyed.post(`${path}/rotate`, { overlapMs: 60_000 });
  const fresh = rotated.body.secret;
  assert.notEqual(fresh, old);
  assert.ok(rotated.body.oldSecretExpiresAt !== null);
  const again = await keyed.post(`${path}/rotate`, { overlapMs: 60_000 });
  assert.equal(again.body.secret, fresh);
  await succeed(api);
  const [during] = await told(fixture);
  assert.ok(verified(fresh, during!) && verified(old, during!));
  await fixture.pass(60_000);
  await succeed(api);
  const [, later] = await told(fixture);
  assert.ok(verified(fresh, later!));
  assert.throws(() => verified(old, later!));
  assert.equal(receiver.received.length, 2);
  const { body } = await api.post(`${path}/rotate`, { overlapMs: 0 });
  await succeed(api);
  const [, , last] = await told(fixture);
  assert.ok(verified(body.secret, last!));
  assert.throws(() => verified(fresh, last!));
});
