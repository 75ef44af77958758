// What becomes of deliveries: sent again, put off, given up, sent once more on wish.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answering, hook, openWebhookFixture, succeed, told, verified } from './webhook-fixture.ts';

test('[T37] what fails is sent again later, under the same id and with a new time', async () => {
  const fixture = await openWebhookFixture();
  const { api, receiver } = fixture;
  const { path, secret } = await hook(fixture);
  receiver.replies.push(answering(500, {}, 'out\u0000side'), (response) => response.destroy());
  receiver.replies.push(answering(302, { location: `http://${receiver.host}/other` }));
  const jobId = await succeed(api);
  await told(fixture);
  const pending = (await api.get(`${path}/deliveries`)).body.items[0];
  assert.deepEqual([pending.state, pending.lastTry.status], ['pending', 500]);
  assert.ok(pending.nextAttemptAt > pending.createdAt);
  await fixture.settle(4 * 3_600_000);
  assert.deepEqual(new Set(receiver.received.map((one) => one.path)), new Set(['/hook']));
  assert.equal(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size, 1);
  for (const request of receiver.received) verified(secret, request);
  const { body: delivery } = await api.get(`${path}/deliveries/${pending.id}`);
  assert.deepEqual([delivery.state, delivery.jobId, delivery.attempts], ['delivered', jobId, 4]);
  assert.deepEqual(
    delivery.tries.map(({ status, responseBody }: { status: number; responseBody: string }) => [
      status,
      responseBody,
    ]),
    [
      [500, 'out\uFFFDside'],
      [null, null],
      [302, ''],
      [204, ''],
    ],
  );
  assert.match(delivery.tries[2].error, /redirects are not followed/);
  const { body: webhook } = await api.get(path);
  assert.deepEqual([webhook.enabled, webhook.failingSince], [true, null]);
});

test('of what a receiver says the beginning is kept, and an answer without end holds up nobody', async () => {
  const fixture = await openWebhookFixture();
  const { api, receiver } = fixture;
  const { path } = await hook(fixture);
  receiver.replies.push(answering(400, {}, 'x'.repeat(100_000)));
  receiver.replies.push((response) => {
    const pour = (error?: Error | null): void => {
      if (!error) response.write('y'.repeat(10_000), pour);
    };
    pour();
  });
  await succeed(api);
  await told(fixture);
  await fixture.settle(3_600_000);
  const [{ id }] = (await api.get(`${path}/deliveries`)).body.items;
  const { body } = await api.get(`${path}/deliveries/${id}`);
  assert.equal(body.state, 'delivered');
  assert.deepEqual(
    body.tries.map((one: { responseBody: string }) => one.responseBody),
    ['x'.repeat(2_048), 'y'.repeat(2_048)],
  );
});

test('[T37] after fourteen attempts over days a delivery is given up, and recorded so', async () => {
  const fixture = await openWebhookFixture();
  const { api, receiver } = fixture;
  const { path } = await hook(fixture);
  for (let count = 0; count < 20; count++) receiver.replies.push(answering(503));
  await succeed(api);
  const begun = fixture.world.clock.now();
  await fixture.settle(5 * 86_400_000);
  assert.equal(receiver.received.length, 14);
  const { body } = await api.get(`${path}/deliveries?state=failed`);
  assert.deepEqual([body.items.length, body.items[0].attempts], [1, 14]);
  const days = (Date.parse(body.items[0].completedAt) - begun) / 86_400_000;
  assert.ok(days > 1.5 && days < 4, String(days));
  assert.deepEqual((await api.get('/v1/dlq')).body.items, []);
});

test('[S15] 410 disables a webhook at once, and enabling it lets it be told again', async () => {
  const fixture = await openWebhookFixture();
  const { api, receiver } = fixture;
  const { id, path } = await hook(fixture);
  receiver.replies.push(answering(410));
  await succeed(api);
  await succeed(api);
  await fixture.follow();
  await fixture.deliver();
  await fixture.settle(86_400_000);
  const { body: webhook } = await api.get(path);
  assert.equal(webhook.enabled, false);
  assert.match(webhook.disabledReason, /410/);
  assert.ok(receiver.received.length <= 2);
  const states = (await api.get(`${path}/deliveries`)).body.items;
  assert.ok(states.some(({ state }: { state: string }) => state === 'failed'));
  const before = receiver.received.length;
  assert.equal((await api.post(`${path}/test`)).status, 409);
  await succeed(api);
  assert.equal((await told(fixture)).length, before);
  const { body: woken } = await api.call('PATCH', path, { body: { enabled: true } });
  assert.deepEqual([woken.enabled, woken.disabledReason], [true, null]);
  await succeed(api);
  assert.equal((await told(fixture)).length, before + 1);
  const trail = await fixture.world.engine.audit.list({
    tenant: 'default',
    limit: 99,
  });
  const actions = trail
    .filter(({ subject }) => subject === id)
    .map(({ actor, action }) => [actor, action]);
  assert.ok(actions.some(([actor, action]) => actor === 'system' && action === 'webhook.disabled'));
});

test('five days without a success disable a webhook, and one success begins anew', async () => {
  const fixture = await openWebhookFixture();
  const { api, receiver } = fixture;
  const { path } = await hook(fixture);
  const failsNext = (): number => receiver.replies.push(answering(500), answering(500));
  failsNext();
  await succeed(api);
  await told(fixture);
  assert.ok((await api.get(path)).body.failingSince !== null);
  await fixture.pass(4 * 86_400_000);
  receiver.replies.length = 0;
  await fixture.deliver();
  assert.equal((await api.get(path)).body.failingSince, null);
  for (let count = 0; count < 99; count++) receiver.replies.push(answering(500, {}, 'down'));
  await succeed(api);
  await told(fixture);
  await fixture.pass(5 * 86_400_000 - 1_000);
  await succeed(api);
  await told(fixture);
  assert.equal((await api.get(path)).body.enabled, true);
  await fixture.pass(86_400_000);
  await fixture.deliver();
  const { body } = await api.get(path);
  assert.equal(body.enabled, false);
  assert.match(body.disabledReason, /^no delivery has arrived since .*answered 500$/);
});

test('Retry-After is heeded, in seconds and as a date, and costs no attempt', async () => {
  const fixture = await openWebhookFixture();
  const { api, receiver } = fixture;
  const { path } = await hook(fixture);
  receiver.replies.push(answering(429, { 'retry-after': '7200' }));
  receiver.replies.push((response) => {
    const until = new Date(Date.now() + 3_600_000).toUTCString();
    answering(503, { 'retry-after': until })(response);
  });
  await succeed(api);
  await told(fixture);
  await fixture.pass(7_199_000);
  await fixture.deliver();
  assert.equal(receiver.received.length, 1);
  await fixture.pass(1_000);
  await fixture.deliver();
  assert.equal(receiver.received.length, 2);
  await fixture.pass(3_590_000);
  await fixture.deliver();
  assert.equal(receiver.received.length, 2);
  await fixture.pass(10_000);
  await fixture.deliver();
  const [listed] = (await api.get(`${path}/deliveries`)).body.items;
  assert.deepEqual([listed.state, listed.attempts], ['delivered', 1]);
  const { body } = await api.get(`${path}/deliveries/${listed.id}`);
  const statuses = body.tries.map(({ status }: { status: number }) => status);
  assert.deepEqual(statuses.sort(), [204, 429, 503]);
});

test('an event is sent again on wish, under its own id, and a test event once', async () => {
  const fixture = await openWebhookFixture();
  const { api, receiver } = fixture;
  const { path, secret } = await hook(fixture);
  await succeed(api);
  const [first] = await told(fixture);
  const [delivery] = (await api.get(`${path}/deliveries`)).body.items;
  const wish = api.with({ 'idempotency-key': 'again' });
  const again = await wish.post(`${path}/deliveries/${delivery.id}/redeliver`);
  assert.deepEqual([again.status, again.body.redeliveryOf], [202, delivery.id]);
  const repeat = await wish.post(`${path}/deliveries/${delivery.id}/redeliver`);
  assert.equal(repeat.body.id, again.body.id);
  await fixture.deliver();
  assert.equal(receiver.received.length, 2);
  assert.equal(receiver.received[1]!.body, first!.body);
  assert.equal(receiver.received[1]!.headers['webhook-id'], first!.headers['webhook-id']);
  receiver.replies.push(answering(500));
  const tested = await wish.with({ 'idempotency-key': 't' }).post(`${path}/test`);
  const twice = await wish.with({ 'idempotency-key': 't' }).post(`${path}/test`);
  assert.deepEqual([tested.status, twice.body.id], [202, tested.body.id]);
  await fixture.settle(86_400_000);
  assert.equal(receiver.received.length, 3);
  const payload = verified(secret, receiver.received[2]!) as { type: string };
  assert.equal(payload.type, 'webhook_test');
  const { body: outcome } = await api.get(`${path}/deliveries/${tested.body.id}`);
  assert.deepEqual([outcome.state, outcome.lastTry.status], ['failed', 500]);
  assert.equal((await api.get(path)).body.failingSince, null);
});

test('jobs of the type of deliveries that somebody else has made are no deliveries', async () => {
  const fixture = await openWebhookFixture();
  const { api } = fixture;
  const { id, path } = await hook(fixture);
  const { body: real } = await api.post(`${path}/test`);
  const forged = { type: 'pawl.webhook', documentId: id, metadata: { redeliveryOf: 5 } };
  const inputs = [{}, null, [], { webhookId: id, eventId: 'x', eventType: 'x', event: null }];
  const ids: string[] = [];
  for (const input of inputs) ids.push((await api.post('/v1/jobs', { ...forged, input })).body.id);
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const more = cursor === '' ? '' : `&cursor=${cursor}`;
    const { status, body } = await api.get(`${path}/deliveries?limit=1${more}`);
    assert.equal(status, 200);
    found.push(...body.items.map((one: { id: string }) => one.id));
    cursor = body.nextCursor;
  }
  assert.deepEqual(found, [real.id]);
  for (const one of ids) assert.equal((await api.get(`${path}/deliveries/${one}`)).status, 404);
});
