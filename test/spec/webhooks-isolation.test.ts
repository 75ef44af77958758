// Endpoints are kept apart: one that is slow or fails holds up nobody else's deliveries.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import {
  answering,
  hook,
  openReceiver,
  openWebhookFixture,
  type Receiver,
  succeed,
  told,
} from './webhook-fixture.ts';

const ENDPOINT_MAX = 8;
const TENANT_MAX = 32;

/** Takes requests and answers none of them until it is told to. */
function holdAll(receiver: Receiver): { held: ServerResponse[]; release: () => void } {
  const held: ServerResponse[] = [];
  for (let count = 0; count < 200; count++) receiver.replies.push((one) => void held.push(one));
  const release = (): void => {
    receiver.replies.length = 0;
    for (const one of held) answering(204)(one);
  };
  return { held, release };
}

async function openTwo() {
  const fast = await openReceiver();
  const fixture = await openWebhookFixture({ isLocked: true, allow: [fast.host] });
  const roles = ['admin' as const];
  const ours = await fixture.holder({ tenant: 'ours', roles });
  const theirs = await fixture.holder({ tenant: 'theirs', roles });
  return { ...fixture, fast, ours, theirs, slow: fixture.receiver };
}

async function jobsOf(api: Parameters<typeof succeed>[0], count: number): Promise<void> {
  await api.call('PUT', '/v1/types/export', { body: { lifecycle: 'task' } });
  for (let made = 0; made < count; made++) await succeed(api);
}

test('a receiver that does not answer delays no delivery of another endpoint', async () => {
  const fixture = await openTwo();
  const { slow, fast, ours, theirs, world } = fixture;
  const { held, release } = holdAll(slow);
  await hook({ api: ours, receiver: slow });
  await jobsOf(ours, 2 * ENDPOINT_MAX);
  // News from before a webhook was made is none for it.
  world.clock.advance(1);
  await hook({ api: ours, receiver: fast });
  await hook({ api: theirs, receiver: fast });
  await jobsOf(ours, ENDPOINT_MAX);
  await jobsOf(theirs, 5);
  assert.equal(await fixture.follow(), 4 * ENDPOINT_MAX + 5);
  const own = fixture.worker();
  const before = world.clock.now();
  await own.poll();
  await slow.news.until('the slow one is asked', () => held.length >= ENDPOINT_MAX);
  await fast.news.until('the others are told', () => fast.received.length >= ENDPOINT_MAX + 5);
  await own.poll();
  assert.deepEqual([held.length, fast.received.length], [ENDPOINT_MAX, ENDPOINT_MAX + 5]);
  assert.equal(world.clock.now(), before);
  release();
  await own.drain();
});

test('a tenant with many slow endpoints leaves room for the others', async () => {
  const fixture = await openTwo();
  const { slow, fast, ours, theirs } = fixture;
  const { held, release } = holdAll(slow);
  for (let count = 0; count < 6; count++) {
    await hook({ api: ours, receiver: slow });
  }
  await hook({ api: theirs, receiver: fast });
  await jobsOf(ours, ENDPOINT_MAX);
  await jobsOf(theirs, 3);
  await fixture.follow();
  const own = fixture.worker();
  await own.poll();
  await slow.news.until('the slow ones are asked', () => held.length >= TENANT_MAX);
  await fast.news.until('the others are told', () => fast.received.length >= 3);
  await own.poll();
  assert.equal(held.length, TENANT_MAX);
  release();
  await own.drain();
});

test('five failures in a row open the circuit of an endpoint, and an answer closes it', async () => {
  const fixture = await openWebhookFixture();
  const { api, receiver } = fixture;
  const { path } = await hook(fixture);
  for (let count = 0; count < 5; count++) receiver.replies.push(answering(500));
  for (let count = 0; count < 5; count++) await succeed(api);
  await told(fixture);
  const { circuit } = (await api.get(path)).body;
  assert.deepEqual([circuit.state, circuit.failures], ['open', 5]);
  assert.equal(await fixture.webhooks.countOpen(), 1);
  const until = Date.parse(circuit.openUntil);
  assert.equal(until, fixture.world.clock.now() + 60_000);

  await succeed(api);
  await told(fixture);
  assert.equal(receiver.received.length, 5);
  const listed: { id: string; state: string; lastTry: unknown }[] = (
    await api.get(`${path}/deliveries`)
  ).body.items;
  const waiting = listed.find(({ lastTry }) => lastTry === null)!;
  assert.equal(waiting.state, 'pending');

  await fixture.pass(60_000);
  assert.equal((await api.get(path)).body.circuit.state, 'half_open');
  await fixture.deliver();
  const closed = (await api.get(path)).body.circuit;
  assert.deepEqual(closed, { state: 'closed', failures: 0, openUntil: null });
  await fixture.settle(3_600_000);
  const { items } = (await api.get(`${path}/deliveries`)).body;
  for (const { state } of items) assert.equal(state, 'delivered');
  const last = items.find((one: { id: string }) => one.id === waiting.id);
  assert.equal(last.attempts, 1);
});
