// The HTTP API: paths, codes and shapes of the contract, over the real engine and database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TALLY_MAX } from 'pawl/internal/store/tally';
import { openApi } from './http-fixture.ts';

test('[P12] a job is accepted with 202, a Location and the Job', async () => {
  const api = await openApi();
  const answer = await api.post('/v1/jobs', { type: 'export', input: { deck: 1 } });
  assert.equal(answer.status, 202);
  assert.equal(answer.headers['location'], `/v1/jobs/${answer.body.id}`);
  assert.deepEqual([answer.body.state, answer.body.phase], ['pending', 'ready']);
  const read = await api.get(`/v1/jobs/${answer.body.id}`);
  assert.deepEqual(read.body, answer.body);
});

test('[T9] a replayed key answers 200 with Idempotency-Replayed, another payload 409', async () => {
  const api = (await openApi()).with({ 'idempotency-key': 'k1' });
  const first = await api.post('/v1/jobs', { type: 'export', input: 1 });
  const again = await api.post('/v1/jobs', { type: 'export', input: 1 });
  assert.deepEqual([again.status, again.body.id], [200, first.body.id]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  const other = await api.post('/v1/jobs', { type: 'export', input: 2 });
  assert.deepEqual([other.status, other.body.code], [409, 'IDEMPOTENCY_CONFLICT']);
});

test('[R20, T33] the worker protocol: claim, heartbeat, stage, complete', async () => {
  const api = await openApi();
  const { url, held } = await api.claimed();
  const beat = await api.post(`${url}/heartbeat`, { ...held, progress: 40, log: ['half'] });
  assert.equal(beat.status, 200);
  assert.deepEqual([beat.body.lease.owner, beat.body.cancel], ['w1', null]);
  const stage = await api.post(`${url}/stages/plan`, { ...held, result: [1] });
  assert.equal(stage.status, 200);
  const { name, lease, progress, cancel } = stage.body;
  assert.deepEqual([name, lease.owner, progress, cancel], ['plan', 'w1', 40, null]);
  const early = await api.get(`${url}/result`);
  assert.deepEqual([early.status, early.body.code], [409, 'NOT_FINISHED']);
  const done = await api.post(`${url}/complete`, { ...held, result: { pages: 3 } });
  assert.deepEqual([done.status, done.body.state, done.body.progress], [200, 'succeeded', 100]);
  assert.deepEqual((await api.get(`${url}/result`)).body, { pages: 3 });
});

test('[T32] the same complete again is 200 and changes nothing', async () => {
  const api = await openApi();
  const { url, held } = await api.claimed();
  const first = await api.post(`${url}/complete`, { ...held, result: 1 });
  const again = await api.post(`${url}/complete`, { ...held, result: 1 });
  assert.deepEqual([again.status, again.body], [200, first.body]);
});

test('[R7] a stale epoch is 409 LEASE_LOST, a wrong phase 409 ILLEGAL_TRANSITION', async () => {
  const api = await openApi();
  const { url, held } = await api.claimed('index');
  const early = await api.post(`${url}/complete`, held);
  assert.deepEqual([early.status, early.body.code], [409, 'ILLEGAL_TRANSITION']);
  assert.equal((await api.post(`${url}/start`, held)).body.state, 'running');
  const stale = await api.post(`${url}/complete`, { workerId: 'w1', epoch: 7 });
  assert.deepEqual([stale.status, stale.body.code], [409, 'LEASE_LOST']);
});

test('[T7, T8, R13] cancel is 200 when done, 202 when asked for, 409 after an end', async () => {
  const api = await openApi();
  const pending = await api.post('/v1/jobs', { type: 'export' });
  const done = await api.post(`/v1/jobs/${pending.body.id}/cancel`);
  assert.deepEqual([done.status, done.body.state], [200, 'canceled']);
  const { url, held } = await api.claimed();
  const asked = await api.post(`${url}/cancel`, { reason: 'not needed' });
  assert.deepEqual([asked.status, asked.body.state], [202, 'running']);
  const beat = await api.post(`${url}/heartbeat`, held);
  assert.deepEqual(beat.body.cancel, { mode: 'soft', reason: 'not needed' });
  assert.equal((await api.post(`${url}/complete`, held)).body.state, 'succeeded');
  const late = await api.post(`${url}/cancel`);
  assert.deepEqual([late.status, late.body.code], [409, 'ILLEGAL_TRANSITION']);
});

test('[R15, P13] fail with a dead letter, read it, replay it with another input', async () => {
  const api = await openApi();
  const { url, held } = await api.claimed('index');
  await api.post(`${url}/start`, held);
  const error = { class: 'ValidationError', message: 'bad page' };
  const failed = await api.post(`${url}/fail`, { ...held, error, deadLetter: 'parse_error' });
  assert.equal(failed.body.state, 'dead_lettered');
  const { body } = await api.get('/v1/dlq');
  assert.equal(body.items[0].reasonCode, 'parse_error');
  const replay = await api.post(`/v1/dlq/${body.items[0].id}/replay`, { input: { page: 2 } });
  assert.deepEqual([replay.status, replay.body.parentJobId], [202, failed.body.id]);
});

test('[T13] view=record answers in the shape of the job’s own document', async () => {
  const api = await openApi();
  const { body } = await api.post('/v1/jobs', { type: 'export' });
  const record = await api.get(`/v1/jobs/${body.id}?view=record`);
  assert.deepEqual([record.body.status, record.body.maxAttempts], ['pending', 3]);
});

test('[T19, R18] events have id, type, time, progress, attempt, actor and version', async () => {
  const api = await openApi();
  const { url, held } = await api.claimed();
  await api.post(`${url}/complete`, held);
  const { body } = await api.get(`${url}/events`);
  const types = body.items.map((event: { type: string }) => event.type);
  assert.deepEqual(types, ['job_created', 'job_claimed', 'job_succeeded']);
  const [first] = body.items;
  assert.match(first.id, /^[0-9a-f-]{36}$/);
  assert.match(first.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual([first.version, first.attempt, first.progress, first.actor], [1, 0, 0, 'api']);
});

test('lists are pages of items with a cursor', async () => {
  const api = await openApi();
  for (let index = 0; index < 5; index++) await api.post('/v1/jobs', { type: 'export' });
  const first = await api.get('/v1/jobs?limit=3&type=export');
  assert.equal(first.body.items.length, 3);
  const second = await api.get(`/v1/jobs?limit=3&cursor=${first.body.nextCursor}`);
  assert.deepEqual([second.body.items.length, second.body.nextCursor], [2, null]);
});

test('a batch answers item by item, in order', async () => {
  const api = await openApi();
  const jobs = [{ type: 'export' }, { type: 'unknown' }, { type: 'export' }];
  const { status, body } = await api.post('/v1/jobs/batch', { jobs });
  assert.equal(status, 200);
  const seen = body.results.map((one: { status: number }) => one.status);
  assert.deepEqual(seen, [202, 404, 202]);
  assert.equal(body.results[1].error.code, 'UNKNOWN_TYPE');
});

for (const [name, method, url, body, status, code] of [
  ['an unknown member', 'POST', '/v1/jobs', { type: 'export', inputs: 1 }, 400, 'VALIDATION_ERROR'],
  [
    'a number as text',
    'POST',
    '/v1/jobs',
    { type: 'export', priority: '5' },
    400,
    'VALIDATION_ERROR',
  ],
  ['an unknown type', 'POST', '/v1/jobs', { type: 'nobody' }, 404, 'UNKNOWN_TYPE'],
  [
    'an unknown job',
    'GET',
    '/v1/jobs/00000000-0000-7000-8000-000000000000',
    undefined,
    404,
    'NOT_FOUND',
  ],
  ['an unknown path', 'GET', '/v1/nothing', undefined, 404, 'NOT_FOUND'],
  ['an id that is none', 'GET', '/v1/jobs/seven', undefined, 404, 'NOT_FOUND'],
  ['an unknown lifecycle', 'PUT', '/v1/types/x', { lifecycle: 'none' }, 400, 'VALIDATION_ERROR'],
] as const) {
  test(`${name} is answered with ${status} ${code} as a problem that says what to do`, async () => {
    const api = await openApi();
    const answer = await api.call(method, url, body === undefined ? {} : { body });
    assert.deepEqual([answer.status, answer.body.code], [status, code]);
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
    assert.ok(answer.body.detail.length > 0 && answer.body.hint.length > 0);
  });
}

test('lifecycles are served as tables and as diagrams', async () => {
  const api = await openApi();
  const { body } = await api.get('/v1/lifecycles');
  const names = body.items.map((one: { name: string }) => one.name);
  assert.deepEqual(names, ['document', 'process', 'platform', 'task', 'distributed']);
  assert.match((await api.get('/v1/lifecycles/task?format=mermaid')).body, /^stateDiagram-v2/);
  assert.match((await api.get('/v1/lifecycles/task?format=svg')).body, /^<svg/);
});

test('a queue is paused, resumed and bounded, and says so', async () => {
  const api = await openApi();
  await api.post('/v1/jobs', { type: 'export', queue: 'slow' });
  const change = (body: object) => api.call('PATCH', '/v1/queues/slow', { body });
  const paused = await change({ isPaused: true, reason: 'mail is down' });
  assert.deepEqual([paused.status, paused.body.isPaused, paused.body.depth], [200, true, 1]);
  const claim = { workerId: 'w', types: ['export'], max: 1 };
  assert.deepEqual((await api.post('/v1/claims', claim)).body.jobs, []);
  const listed = (await api.get('/v1/queues')).body.items;
  assert.deepEqual(listed, [paused.body]);
  const bad = await change({ lowWatermark: 5, highWatermark: 2 });
  assert.deepEqual([bad.status, bad.body.errors[0].pointer], [400, '/lowWatermark']);
  assert.equal((await change({ isPaused: false, concurrency: 1 })).body.concurrency, 1);
  assert.equal((await api.post('/v1/claims', claim)).body.jobs.length, 1);
  const at = new Date(api.world.clock.now() + 60_000).toISOString();
  const timed = (await change({ pausedUntil: at })).body;
  assert.deepEqual([timed.isPaused, timed.pausedUntil], [true, at]);
  api.world.clock.advance(60_000);
  const over = (await api.get('/v1/queues/slow')).body;
  assert.deepEqual([over.isPaused, over.pausedUntil, over.concurrency], [false, null, 1]);
  assert.equal((await change({ pausedUntil: at })).body.errors[0].pointer, '/pausedUntil');
});

test('a queue with more jobs than are counted says of which phase there are more', async () => {
  const api = await openApi();
  const { engine } = api.world;
  const by = { caller: { tenant: 'default', principal: null } };
  const jobs = Array.from({ length: TALLY_MAX + 1 }, () => ({ type: 'export' }));
  await engine.enqueue(jobs.slice(2), by);
  const seen = async (): Promise<unknown[]> => {
    const { depth, phases, atLeast } = (await api.get('/v1/queues')).body.items[0];
    return [depth, phases, atLeast];
  };
  assert.deepEqual(await seen(), [TALLY_MAX - 1, { ready: TALLY_MAX - 1 }, []]);
  await engine.enqueue(jobs.slice(0, 2), by);
  assert.deepEqual(await seen(), [TALLY_MAX, { ready: TALLY_MAX }, ['ready']]);
});

test('above the high watermark new jobs get 503 QUEUE_OVERLOADED with Retry-After', async () => {
  const api = await openApi();
  const body = { highWatermark: 2, lowWatermark: 1 };
  await api.call('PATCH', '/v1/queues/default', { body });
  await api.post('/v1/jobs/batch', { jobs: [{ type: 'export' }, { type: 'export' }] });
  await api.world.engine.sweepWatermarks();
  api.world.advance(60_000);
  const refused = await api.post('/v1/jobs', { type: 'export' });
  assert.deepEqual([refused.status, refused.body.code], [503, 'QUEUE_OVERLOADED']);
  assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
});

test('why says what a job waits for', async () => {
  const api = await openApi();
  const { body: job } = await api.post('/v1/jobs', { type: 'export', queue: 'slow' });
  await api.call('PATCH', '/v1/queues/slow', { body: { isPaused: true } });
  const { status, body } = await api.get(`/v1/jobs/${job.id}/why`);
  assert.deepEqual([status, body.reason], [200, 'queue_paused']);
  assert.ok(body.message.length > 0);
});

test('a type takes limits, and a busy document is 409 CONCURRENCY_CONFLICT', async () => {
  const api = await openApi();
  const limits = { activePerDocument: true, runningPerKey: { max: 2, key: 'requestedBy' } };
  const { body } = await api.put('/v1/types/convert', { lifecycle: 'task', limits });
  assert.deepEqual(body.limits, { ...limits, rate: null });
  const job = { type: 'convert', documentId: 'd-1' };
  assert.equal((await api.post('/v1/jobs', job)).status, 202);
  const busy = await api.post('/v1/jobs', job);
  assert.deepEqual([busy.status, busy.body.code], [409, 'CONCURRENCY_CONFLICT']);
});

test('/livez, /readyz and /openapi.json answer', async () => {
  const api = await openApi();
  assert.equal((await api.get('/livez')).status, 200);
  assert.equal((await api.get('/readyz')).body.checks.store, 'ok');
  assert.equal((await api.get('/openapi.json')).body.openapi, '3.1.1');
});
