// The typed client says what the API says, method by method.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { ApiClient } from 'pawl/client';
import { atOnce, openSecond, openStation, take } from './http-station.ts';

const station = await openStation();
const { api, client, url } = station;

test('schedules are made, changed, run, paused, resumed, told of and taken away', async () => {
  const rule = { kind: 'interval', everyMs: 60_000 } as const;
  const made = await client.schedules.create('hourly', { rule, job: { type: 'export' } });
  assert.deepEqual([made.name, made.next.length], ['hourly', 5]);
  const other = { rule, job: { type: 'index' } };
  await assert.rejects(client.schedules.create('hourly', other), { code: 'ALREADY_EXISTS' });
  assert.equal((await client.schedules.put('hourly', other)).job.type, 'index');
  assert.equal((await client.schedules.pause('hourly')).isPaused, true);
  assert.equal((await client.schedules.resume('hourly')).isPaused, false);
  const first = await client.schedules.run('hourly', { idempotencyKey: 'now' });
  const again = await client.schedules.run('hourly', { idempotencyKey: 'now' });
  assert.equal(again.jobId, first.jobId);
  assert.equal((await client.schedules.history('hourly', { limit: 9 })).items.length, 2);
  assert.equal((await client.schedules.list()).items.length, 1);
  assert.equal((await client.schedules.get('hourly')).name, 'hourly');
  await client.schedules.remove('hourly');
  await assert.rejects(client.schedules.get('hourly'), { code: 'NOT_FOUND' });
});

test('accept says whether the job is new', async () => {
  const unique = { mode: 'throttle', key: 'k', windowMs: 60_000 } as const;
  const first = await client.accept({ type: 'export', unique });
  const again = await client.accept({ type: 'export', unique });
  assert.deepEqual([first.outcome, again.outcome], ['created', 'throttled']);
  assert.equal(again.job.id, first.job.id);
});

test('artifacts go up once for a key, and come down by their link', async () => {
  const sent = { name: 'a.txt', contentType: 'text/plain', content: 'hello', idempotencyKey: 'a' };
  const stored = await client.artifacts.upload(sent);
  assert.equal((await client.artifacts.upload(sent)).id, stored.id);
  const other = { ...sent, content: 'other' };
  await assert.rejects(client.artifacts.upload(other), { code: 'ALREADY_EXISTS' });
  const found = await client.artifacts.get(stored.id);
  assert.equal(await new Response(await client.artifacts.download(found)).text(), 'hello');
  const { id } = await api.claimed();
  assert.deepEqual((await client.artifacts.ofJob(id)).items, []);
});

test('operators see queues and workers, change, cancel, replay and erase', async () => {
  await api.put('/v1/workers/w7', { types: ['export'], slots: 2 });
  const { items } = await client.operations.workers();
  assert.ok(items.some(({ id, slots }) => id === 'w7' && slots === 2));
  const queue = await client.operations.changeQueue('bulk', { isPaused: true });
  assert.equal(queue.isPaused, true);
  assert.ok((await client.operations.queues()).items.some(({ name }) => name === 'bulk'));
  const job = await client.enqueue({ type: 'export', queue: 'bulk', input: 'secret' });
  assert.equal((await client.why(job.id)).reason, 'queue_paused');
  const { results } = await client.operations.cancelMany({ ids: [job.id], reason: 'gone' });
  assert.equal(results[0]?.job?.state, 'canceled');
  assert.equal((await client.operations.erase(job.id)).id, job.id);
  const replayed = await client.operations.replayMany({ filter: { type: 'export' } });
  assert.deepEqual(replayed.results, []);
});

test('keys are made, listed, rotated and revoked, and the audit log tells of it', async () => {
  const made = await client.keys.create({ name: 'bot', roles: ['viewer'] });
  assert.match(made.key, /^pawl_/);
  assert.equal((await client.keys.get(made.id)).name, 'bot');
  const next = await client.keys.rotate(made.id, { overlapMs: 0 });
  assert.ok((await client.keys.revoke(next.id)).revokedAt !== null);
  assert.equal((await client.keys.list()).items.length, 2);
  const actions = (await client.keys.audit({ limit: 100 })).items.map(({ action }) => action);
  for (const action of ['key.created', 'key.rotated', 'key.revoked', 'schedule.put']) {
    assert.ok(actions.includes(action), action);
  }
});

describe('a client that knows several processes', () => {
  /** A server that turns everybody away. */
  async function busy(): Promise<{ url: string; calls: () => number }> {
    let calls = 0;
    const server = createServer((_request, answer) => {
      calls++;
      answer.writeHead(503, { 'retry-after': '60' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => server.close());
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, calls: () => calls };
  }

  test('goes to the next one at once where one is gone or busy, and stays there', async () => {
    const closed = 'http://127.0.0.1:1';
    const turning = await busy();
    const sleeps: number[] = [];
    const timers = { sleep: async (ms: number) => void sleeps.push(ms) };
    const many = new ApiClient({ url: [closed, turning.url, url], timers });
    await many.enqueue({ type: 'export' });
    await many.jobs();
    assert.deepEqual([sleeps, turning.calls()], [[], 1]);
  });

  test('waits once every one has failed, and gives up after its retries', async () => {
    const [one, other] = [await busy(), await busy()];
    const sleeps: number[] = [];
    const timers = { sleep: async (ms: number) => void sleeps.push(ms) };
    const many = new ApiClient({ url: [one.url, other.url], timers, retriesMax: 2 });
    await assert.rejects(many.jobs(), /503/);
    assert.deepEqual([sleeps, one.calls(), other.calls()], [[60_000, 60_000], 3, 3]);
  });

  test('reads on at another one where its stream ends, without a gap or a repeat', async () => {
    const own = await openStation();
    const second = await openSecond(own);
    const { id, url: job, held } = await own.api.claimed();
    const both = new ApiClient({ url: [own.url, second.url], timers: atOnce });
    const stream = both.events(id, { cursor: '0.0' });
    assert.equal((await take(stream, 2)).length, 2);
    await own.api.live.stop();
    await own.api.app.close();
    await second.client.connection.call({
      method: 'POST',
      path: `${job}/complete`,
      body: held,
    });
    const rest = await take(stream, 9);
    assert.deepEqual(
      rest.map((item) => (item.kind === 'event' ? item.event.type : item.kind)),
      ['job_succeeded'],
    );
  });
});
