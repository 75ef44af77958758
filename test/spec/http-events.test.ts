// What happened, live: streams that begin with a snapshot and go on anywhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished, nameOf, openSecond, openStation, placeOf, rest, take } from './http-station.ts';

test('[T19] a stream begins with a snapshot and goes on with JobEvents to the end', async () => {
  const station = await openStation();
  const { api, client } = station;
  const { body: job } = await api.post('/v1/jobs', { type: 'export' });
  const stream = client.events(job.id);
  const [first] = await take(stream, 1);
  assert.ok(first?.kind === 'snapshot');
  assert.deepEqual(first.job, job);
  const { body } = await api.post('/v1/claims', { workerId: 'w1', types: ['export'], max: 1 });
  const held = { workerId: 'w1', epoch: body.jobs[0].epoch };
  await api.post(`/v1/jobs/${job.id}/heartbeat`, { ...held, progress: 40, message: 'half' });
  await api.post(`/v1/jobs/${job.id}/complete`, held);
  assert.deepEqual(await rest(stream), [
    '2.0 job_claimed',
    '2.1 job_heartbeat',
    '3.0 job_succeeded',
  ]);
});

test('[T19] each event of a stream is a JobEvent of the document', async () => {
  const station = await openStation();
  const id = await finished(station);
  const schema = station.api.contract.document.components.schemas['JobEvent']!;
  const items = await take(station.client.events(id, { cursor: '0.0' }), 99);
  assert.equal(items.length, 8);
  for (const item of items) {
    assert.ok(item.kind === 'event');
    assert.deepEqual(station.api.contract.schemaErrors(schema, item.event), []);
  }
});

test('from every cursor a stream goes on without a gap or a repeat, also elsewhere', async () => {
  const station = await openStation();
  const second = await openSecond(station);
  const id = await finished(station);
  const whole = await take(station.client.events(id, { cursor: '0.0' }), 99);
  assert.equal(whole.length, 8);
  for (const [index, item] of whole.entries()) {
    const there = await take(second.client.events(id, { cursor: item.cursor! }), 99);
    assert.deepEqual(there, whole.slice(index + 1));
  }
});

test('notes that come after the snapshot at the same version are not lost', async () => {
  const { api, client } = await openStation();
  const { url, id, held } = await api.claimed();
  await api.post(`${url}/heartbeat`, { ...held, progress: 10 });
  const stream = client.events(id);
  const [snapshot] = await take(stream, 1);
  assert.equal(placeOf(snapshot!.cursor), '2.1');
  await api.post(`${url}/heartbeat`, { ...held, tokens: 'Hello' });
  const items = await take(stream, 2);
  assert.deepEqual(items.map(nameOf), ['2.2 job_heartbeat', '2.3 job_tokens']);
  assert.ok(items[1]?.kind === 'event');
  assert.deepEqual(items[1].event.metadata, { text: 'Hello' });
  await stream.return(undefined);
});

test('a cursor that is not of this log is told so and gets a snapshot', async () => {
  const station = await openStation();
  const id = await finished(station);
  for (const cursor of ['99.0', 'memory-1.5', 'nonsense', '1.2.3']) {
    const items = await take(station.client.events(id, { cursor }), 2);
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ['reset', 'snapshot'],
    );
    assert.ok(items[0]?.kind === 'reset' && items[0].problem.code === 'CURSOR_RESET');
  }
  const { status, body } = await station.api.get(`/v1/jobs/${id}/events?cursor=99.0`);
  assert.deepEqual([status, body.code], [410, 'CURSOR_RESET']);
  const bad = await station.api.get(`/v1/jobs/${id}/events?cursor=abc`);
  assert.deepEqual([bad.status, bad.body.errors[0].pointer], [400, '/cursor']);
});

test('after a restore the same place of the old log is a reset, not silence', async () => {
  const station = await openStation();
  const { api, client } = station;
  const { id, url, held } = await api.claimed();
  await api.post(`${url}/heartbeat`, { ...held, progress: 10 });
  const [snapshot] = await take(client.events(id), 1);
  const { store } = api.world;
  store.incarnation = async () => 'restored';
  const [reset, again] = await take(client.events(id, { cursor: snapshot!.cursor! }), 2);
  assert.ok(reset?.kind === 'reset' && reset.problem.code === 'CURSOR_RESET');
  assert.equal(again?.cursor, 'restored.2.1');
  const page = await api.get(`/v1/jobs/${id}/events?cursor=${snapshot!.cursor}`);
  assert.deepEqual([page.status, page.body.code], [410, 'CURSOR_RESET']);
});

test('who comes back after the end gets 204; the cursor may also be in the query', async () => {
  const station = await openStation();
  const id = await finished(station);
  const headers = { accept: 'text/event-stream' };
  const url = `${station.url}/v1/jobs/${id}/events`;
  const log = await station.api.world.store.incarnation();
  assert.equal((await fetch(`${url}?lastEventId=${log}.3.0`, { headers })).status, 204);
  const answer = await fetch(`${url}?lastEventId=${log}.2.4`, { headers });
  const next = `id: ${log}.2.5\nevent: job_tokens\ndata: {`;
  assert.match((await answer.text()).replace(next, 'NEXT'), /^retry: \d{4}\n\nNEXT/);
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.match(answer.headers.get('x-request-id') ?? '', /./);
});

test('the history of a job is also a list of pages', async () => {
  const station = await openStation();
  const id = await finished(station);
  const url = `/v1/jobs/${id}/events`;
  const first = await station.api.get(`${url}?limit=5`);
  const second = await station.api.get(`${url}?limit=5&cursor=${first.body.nextCursor}`);
  assert.deepEqual([first.body.items.length, second.body.items.length], [5, 3]);
  assert.equal(second.body.nextCursor, null);
  const ids = [...first.body.items, ...second.body.items].map((event: { id: string }) => event.id);
  assert.equal(new Set(ids).size, 8);
});

test('the firehose has everything of every job, by type, job type or correlation', async () => {
  const station = await openStation();
  const stop = new AbortController();
  const { signal } = stop;
  const { body: now } = await station.api.get('/v1/events?from=end');
  const options = { signal, cursor: now.nextCursor };
  const all = station.client.everything({}, options);
  const ends = take(station.client.everything({ type: 'job_succeeded' }, options), 1);
  const related = take(station.client.everything({ correlationId: 'c-9' }, options), 1);
  await finished(station);
  const { body: job } = await station.api.post('/v1/jobs', { type: 'index', correlationId: 'c-9' });
  const events = await take(all, 9);
  const types = events.map((item) => (item.kind === 'event' ? item.event.type : item.kind));
  assert.deepEqual(types.slice(0, 2), ['job_created', 'job_claimed']);
  assert.equal(types.at(-1), 'job_created');
  const [end] = await ends;
  const [other] = await related;
  assert.ok(end?.kind === 'event' && end.event.type === 'job_succeeded');
  assert.ok(other?.kind === 'event' && other.event.jobId === job.id);
  stop.abort();
});

test('the firehose goes on from every cursor, on another server too', async () => {
  const station = await openStation();
  const second = await openSecond(station);
  await finished(station);
  const stop = new AbortController();
  const { signal } = stop;
  const whole = await take(station.client.everything({ from: 'start' }, { signal }), 8);
  for (const [index, item] of whole.entries()) {
    const cursor = item.cursor!;
    const there = second.client.everything({}, { signal, cursor });
    const items = await take(there, 7 - index);
    assert.deepEqual(items, whole.slice(index + 1));
  }
  stop.abort();
});

test('the firehose tells a reader with a cursor of another log so', async () => {
  const { client } = await openStation();
  const stop = new AbortController();
  const stream = client.everything({}, { signal: stop.signal, cursor: 'other.1.1' });
  const [item] = await take(stream, 1);
  assert.ok(item?.kind === 'reset' && item.problem.code === 'CURSOR_RESET');
  stop.abort();
});

test('[P12] waitMs answers when the job ends, also by Prefer, else after the time', async () => {
  const { api } = await openStation();
  const { url, held } = await api.claimed();
  const waiting = api.get(`${url}?waitMs=30000`);
  const preferring = api.with({ prefer: 'respond-async, wait=30' }).get(url);
  await api.post(`${url}/complete`, held);
  assert.equal((await waiting).body.state, 'succeeded');
  const preferred = await preferring;
  assert.deepEqual(
    [preferred.body.state, preferred.headers['preference-applied']],
    ['succeeded', 'wait=30'],
  );
  const other = await api.claimed();
  assert.equal((await api.get(`${other.url}?waitMs=20`)).body.state, 'running');
});

test('a claim that waits is answered when work comes', async () => {
  const { api } = await openStation();
  const asked = { workerId: 'w1', types: ['export'], max: 1, waitMs: 30_000 };
  const waiting = api.post('/v1/claims', asked);
  const { body: job } = await api.post('/v1/jobs', { type: 'export' });
  assert.equal((await waiting).body.jobs[0].job.id, job.id);
});

test('[R18, R23] every event has the correlation of its job: as JSON, on its stream and on that of all', async () => {
  const { api, client } = await openStation();
  for (const correlationId of ['order-7', undefined]) {
    const asked = { type: 'export', ...(correlationId === undefined ? {} : { correlationId }) };
    const { body: job } = await api.post('/v1/jobs', asked);
    const { body } = await api.post('/v1/claims', { workerId: 'w1', types: ['export'], max: 1 });
    const held = { workerId: 'w1', epoch: body.jobs[0].epoch };
    await api.post(`/v1/jobs/${job.id}/heartbeat`, { ...held, progress: 40, log: ['one'] });
    await api.post(`/v1/jobs/${job.id}/complete`, held);
    const expected = correlationId ?? job.id;
    assert.equal(job.correlationId, expected);
    const { body: history } = await api.get(`/v1/jobs/${job.id}/events`);
    const own = await take(client.events(job.id, { cursor: '0.0' }), 99);
    const filter = { from: 'start', correlationId: expected } as const;
    const all = await take(client.everything(filter), own.length);
    const streamed = [...own, ...all].flatMap((item) => (item.kind === 'event' ? item.event : []));
    assert.equal(streamed.length, 2 * 5);
    for (const event of [...history.items, ...streamed]) {
      assert.deepEqual([event.jobId, event.correlationId], [job.id, expected], event.type);
    }
  }
});
