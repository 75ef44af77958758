// Streams as a load: one reader of the log, slow readers cut off, counted, and ended in order.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { openSecond, openStation, placeOf, rest, take } from './http-station.ts';

test('one reader of the log serves all streams of the process', async () => {
  const { api, client } = await openStation();
  const { store } = api.world;
  const tail = store.tail.bind(store);
  const tenants: (string | null)[] = [];
  store.tail = (query) => {
    tenants.push(query.tenant);
    return tail(query);
  };
  const { url, id, held } = await api.claimed();
  const streams = Array.from({ length: 20 }, () => client.events(id));
  await Promise.all(streams.map((stream) => take(stream, 1)));
  await api.post(`${url}/complete`, held);
  const ends = await Promise.all(streams.map(rest));
  assert.deepEqual(
    ends,
    Array.from({ length: 20 }, () => ['3.0 job_succeeded']),
  );
  assert.ok(tenants.every((tenant) => tenant === null));
});

test('a stream ends with a job that ends while the stream is being opened', async () => {
  const { api, client } = await openStation();
  const { url, id, held } = await api.claimed();
  const { engine } = api.world;
  const cursors = engine.cursors.bind(engine);
  // Between the look for the job and the snapshot.
  engine.cursors = async (tenant) => {
    engine.cursors = cursors;
    await api.post(`${url}/complete`, held);
    return cursors(tenant);
  };
  const stop = AbortSignal.timeout(20_000);
  const told = await rest(client.events(id, { signal: stop }));
  assert.equal(stop.aborted, false, 'the server ended the stream');
  assert.equal(told.length, 1, 'the snapshot of a job that has ended');
});

test('[S14] a reader that takes nothing is cut off, and the others do not notice', async () => {
  const streams = { bufferBytesMax: 65_536, stallMsMax: 50 };
  const { api, url, client } = await openStation({ streams });
  const { id, held } = await api.claimed();
  const { port } = new URL(url);
  const stalled = connect(Number(port), '127.0.0.1');
  await once(stalled, 'connect');
  stalled.pause();
  stalled.write(`GET /v1/jobs/${id}/events HTTP/1.1\r\nhost: localhost\r\n`);
  stalled.write('accept: text/event-stream\r\n\r\n');
  const closed = new Promise((resolve) => stalled.once('close', resolve));
  stalled.on('error', () => undefined);
  const good = client.events(id);
  await take(good, 1);
  const reading = take(good, 400);
  const text = 'x'.repeat(60_000);
  for (let index = 0; index < 200; index++) {
    await api.post(`/v1/jobs/${id}/heartbeat`, { ...held, tokens: text });
  }
  assert.equal((await reading).length, 400);
  await good.return(undefined);
  stalled.resume();
  await closed;
});

test('[S14] a reader that falls behind is cut off, comes back and misses nothing', async () => {
  const streams = { bufferBytesMax: 65_536, stallMsMax: 20 };
  const { api, client } = await openStation({ streams });
  const { id, held } = await api.claimed();
  const slow = client.events(id);
  await take(slow, 1);
  const text = 'x'.repeat(60_000);
  for (let index = 0; index < 150; index++) {
    await api.post(`/v1/jobs/${id}/heartbeat`, { ...held, tokens: text });
  }
  await api.post(`/v1/jobs/${id}/complete`, held);
  const names = await rest(slow);
  const notes = Array.from({ length: 300 }, (_, index) => {
    return `2.${index + 1} ${index % 2 === 0 ? 'job_heartbeat' : 'job_tokens'}`;
  });
  assert.deepEqual(names, [...notes, '3.0 job_succeeded']);
});

test('[S14] too many streams are 429 for one caller and 503 for the server', async () => {
  for (const [streams, status] of [
    [{ perCallerMax: 1 }, 429],
    [{ totalMax: 1 }, 503],
  ] as const) {
    const { api, url, client } = await openStation({ streams });
    const { id } = await api.claimed();
    const stream = client.events(id);
    await take(stream, 1);
    const headers = { accept: 'text/event-stream' };
    const refused = await fetch(`${url}/v1/jobs/${id}/events`, { headers });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [status, '1']);
    await stream.return(undefined);
    await eventually('the place of a reader that left is free again', async () => {
      const again = new AbortController();
      const answer = await fetch(`${url}/v1/jobs/${id}/events`, { headers, signal: again.signal });
      again.abort();
      return answer.status === 200;
    });
  }
});

test('quiet streams get comments, long ones end, and their readers go on', async () => {
  const { api, url, client } = await openStation({ streams: { keepaliveMs: 1, lifetimeMs: 100 } });
  const { id, url: job, held } = await api.claimed();
  const stream = client.events(id);
  assert.equal((await take(stream, 1)).length, 1);
  const headers = { accept: 'text/event-stream' };
  const raw = await fetch(`${url}/v1/events`, { headers });
  assert.match(await raw.text(), /: still here\nid: /);
  await api.post(`${job}/complete`, held);
  assert.deepEqual(await rest(stream), ['3.0 job_succeeded']);
});

test('a server that stops ends its streams, and the reader goes on elsewhere', async () => {
  const station = await openStation();
  const second = await openSecond(station);
  const { id, url, held } = await station.api.claimed();
  const stream = station.client.events(id);
  const [first] = await take(stream, 1);
  await station.api.live.stop();
  await station.api.post(`${url}/complete`, held);
  await station.api.app.close();
  await stream.return(undefined).catch(() => undefined);
  const cursor = first!.cursor!;
  assert.deepEqual(await rest(second.client.events(id, { cursor })), ['3.0 job_succeeded']);
});

test('a thousand streams, a hundred of them stalled: the others get everything', async () => {
  const { api, url } = await openStation();
  const { id, held } = await api.claimed();
  const { port } = new URL(url);
  const head = `GET /v1/jobs/${id}/events HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n`;
  const request = `${head}accept: text/event-stream\r\n\r\n`;
  const sockets: Socket[] = [];
  const texts: string[] = [];
  const open = async (isStalled: boolean): Promise<void> => {
    const socket = connect(Number(port), '127.0.0.1');
    const index = sockets.push(socket) - 1;
    texts.push('');
    socket.on('error', () => undefined);
    socket.write(request);
    if (isStalled) return void (await once(socket, 'connect'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.once('close', () => reject(new Error(texts[index])));
    socket.on('data', (chunk: Buffer) => {
      texts[index] += chunk.toString('latin1');
      if (texts[index]!.includes('event: snapshot')) resolve();
    });
    await promise;
  };
  // In batches: more at once than the kernel lets wait for a listener would be dropped.
  for (let batch = 0; batch < 10; batch++) {
    await Promise.all(Array.from({ length: 100 }, () => open(batch === 0)));
  }
  const ends = sockets.slice(100).map((socket) => once(socket, 'end'));
  const heapBefore = process.memoryUsage().heapUsed;
  for (let index = 0; index < 10; index++) {
    await api.post(`/v1/jobs/${id}/heartbeat`, { ...held, tokens: 'x'.repeat(1_000) });
  }
  await api.post(`/v1/jobs/${id}/complete`, held);
  await Promise.all(ends);
  for (const text of texts.slice(100)) {
    const cursors = [...text.matchAll(/^id: (.*)$/gm)].map(([, cursor]) => placeOf(cursor!));
    const notes = Array.from({ length: 20 }, (_, index) => `2.${index + 1}`);
    assert.deepEqual(cursors, ['2.0', ...notes, '3.0']);
  }
  assert.ok(process.memoryUsage().heapUsed - heapBefore < 400_000_000);
  for (const socket of sockets) socket.destroy();
});
