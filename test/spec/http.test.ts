// The HTTP face: paths, codes and shapes of the contract, over the real engine and database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveHub } from '../../src/http/live.ts';
import { buildServer } from '../../src/http/server.ts';
import { systemTimers } from '../../src/core/timers.ts';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, type World } from '../support/world.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  readonly body: any;
}

type Call = (method: 'GET' | 'POST' | 'PUT', url: string, body?: object) => Promise<Answer>;

async function openApi(): Promise<{ world: World; call: Call; keyed: (key: string) => Call }> {
  const world = await openWorld({ store: inSqlite });
  const live = new LiveHub(world.engine, { timers: systemTimers });
  const app = await buildServer({ engine: world.engine, live });
  const keyed =
    (key: string | null): Call =>
    async (method, url, body) => {
      const headers = key === null ? {} : { 'idempotency-key': key };
      const answer = await app.inject({ method, url, headers, ...(body ? { body } : {}) });
      const type = String(answer.headers['content-type']);
      const isJson = type.includes('json');
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: isJson ? answer.json() : answer.body,
      };
    };
  const call = keyed(null);
  await call('PUT', '/v1/types/export', { lifecycle: 'task' });
  await call('PUT', '/v1/types/index', { lifecycle: 'distributed' });
  return { world, call, keyed };
}

async function claimed(call: Call, type = 'export'): Promise<{ url: string; held: object }> {
  await call('POST', '/v1/jobs', { type });
  const { body } = await call('POST', '/v1/claims', { workerId: 'w1', types: [type], max: 1 });
  const [claim] = body.jobs;
  return { url: `/v1/jobs/${claim.job.id}`, held: { workerId: 'w1', epoch: claim.epoch } };
}

test('[P12] a job is accepted with 202, a Location and the Job', async () => {
  const { call } = await openApi();
  const answer = await call('POST', '/v1/jobs', { type: 'export', input: { deck: 1 } });
  assert.equal(answer.status, 202);
  assert.equal(answer.headers['location'], `/v1/jobs/${answer.body.id}`);
  assert.deepEqual([answer.body.state, answer.body.phase], ['pending', 'ready']);
  const read = await call('GET', `/v1/jobs/${answer.body.id}`);
  assert.deepEqual(read.body, answer.body);
});

test('[T9] a replayed key answers 200 with Idempotency-Replayed, another payload 409', async () => {
  const { keyed } = await openApi();
  const call = keyed('k1');
  const first = await call('POST', '/v1/jobs', { type: 'export', input: 1 });
  const again = await call('POST', '/v1/jobs', { type: 'export', input: 1 });
  assert.deepEqual([again.status, again.body.id], [200, first.body.id]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  const other = await call('POST', '/v1/jobs', { type: 'export', input: 2 });
  assert.deepEqual([other.status, other.body.code], [409, 'IDEMPOTENCY_CONFLICT']);
});

test('[R20, T33] the worker protocol: claim, heartbeat, stage, complete', async () => {
  const { call } = await openApi();
  const { url, held } = await claimed(call);
  const beat = await call('POST', `${url}/heartbeat`, { ...held, progress: 40, log: ['half'] });
  assert.equal(beat.status, 200);
  assert.deepEqual([beat.body.lease.owner, beat.body.cancel], ['w1', null]);
  const stage = await call('POST', `${url}/stages/plan`, { ...held, result: [1] });
  assert.equal(stage.status, 200);
  const early = await call('GET', `${url}/result`);
  assert.deepEqual([early.status, early.body.code], [409, 'NOT_FINISHED']);
  const done = await call('POST', `${url}/complete`, { ...held, result: { pages: 3 } });
  assert.deepEqual([done.status, done.body.state, done.body.progress], [200, 'succeeded', 100]);
  assert.deepEqual((await call('GET', `${url}/result`)).body, { pages: 3 });
});

test('[T32] the same complete again is 200 and changes nothing', async () => {
  const { call } = await openApi();
  const { url, held } = await claimed(call);
  const first = await call('POST', `${url}/complete`, { ...held, result: 1 });
  const again = await call('POST', `${url}/complete`, { ...held, result: 1 });
  assert.deepEqual([again.status, again.body], [200, first.body]);
});

test('[R7] a stale epoch is 409 LEASE_LOST, a wrong phase 409 ILLEGAL_TRANSITION', async () => {
  const { call } = await openApi();
  const { url, held } = await claimed(call, 'index');
  const early = await call('POST', `${url}/complete`, held);
  assert.deepEqual([early.status, early.body.code], [409, 'ILLEGAL_TRANSITION']);
  assert.equal((await call('POST', `${url}/start`, held)).body.state, 'running');
  const stale = await call('POST', `${url}/complete`, { workerId: 'w1', epoch: 7 });
  assert.deepEqual([stale.status, stale.body.code], [409, 'LEASE_LOST']);
});

test('[T7, T8, R13] cancel is 200 when done, 202 when asked for, and 409 after another end', async () => {
  const { call } = await openApi();
  const pending = await call('POST', '/v1/jobs', { type: 'export' });
  const done = await call('POST', `/v1/jobs/${pending.body.id}/cancel`);
  assert.deepEqual([done.status, done.body.state], [200, 'canceled']);
  const { url, held } = await claimed(call);
  const asked = await call('POST', `${url}/cancel`, { reason: 'not needed' });
  assert.deepEqual([asked.status, asked.body.state], [202, 'running']);
  const beat = await call('POST', `${url}/heartbeat`, held);
  assert.deepEqual(beat.body.cancel, { mode: 'soft', reason: 'not needed' });
  assert.equal((await call('POST', `${url}/complete`, held)).body.state, 'succeeded');
  const late = await call('POST', `${url}/cancel`);
  assert.deepEqual([late.status, late.body.code], [409, 'ILLEGAL_TRANSITION']);
});

test('[R15, P13] fail with a dead letter, read it, replay it with another input', async () => {
  const { call } = await openApi();
  const { url, held } = await claimed(call, 'index');
  await call('POST', `${url}/start`, held);
  const error = { class: 'ValidationError', message: 'bad page' };
  const failed = await call('POST', `${url}/fail`, { ...held, error, deadLetter: 'parse_error' });
  assert.equal(failed.body.state, 'dead_lettered');
  const { body } = await call('GET', '/v1/dlq');
  assert.equal(body.items[0].reasonCode, 'parse_error');
  const replay = await call('POST', `/v1/dlq/${body.items[0].id}/replay`, { input: { page: 2 } });
  assert.deepEqual([replay.status, replay.body.parentJobId], [202, failed.body.id]);
});

test('[T13] view=record answers in the shape of the job’s own document', async () => {
  const { call } = await openApi();
  const { body } = await call('POST', '/v1/jobs', { type: 'export' });
  const record = await call('GET', `/v1/jobs/${body.id}?view=record`);
  assert.deepEqual([record.body.status, record.body.maxAttempts], ['pending', 3]);
});

test('[T19, R18] events are listed with id, type, time, progress, attempt, actor and version', async () => {
  const { call } = await openApi();
  const { url, held } = await claimed(call);
  await call('POST', `${url}/complete`, held);
  const { body } = await call('GET', `${url}/events`);
  const types = body.items.map((event: { type: string }) => event.type);
  assert.deepEqual(types, ['job_created', 'job_claimed', 'job_succeeded']);
  const [first] = body.items;
  assert.match(first.id, /^[0-9a-f-]{36}$/);
  assert.match(first.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual([first.version, first.attempt, first.progress, first.actor], [1, 0, 0, 'api']);
});

test('lists are pages of items with a cursor', async () => {
  const { call } = await openApi();
  for (let index = 0; index < 5; index++) await call('POST', '/v1/jobs', { type: 'export' });
  const first = await call('GET', '/v1/jobs?limit=3&type=export');
  assert.equal(first.body.items.length, 3);
  const second = await call('GET', `/v1/jobs?limit=3&cursor=${first.body.nextCursor}`);
  assert.deepEqual([second.body.items.length, second.body.nextCursor], [2, null]);
});

test('a batch answers item by item, in order', async () => {
  const { call } = await openApi();
  const jobs = [{ type: 'export' }, { type: 'unknown' }, { type: 'export' }];
  const { status, body } = await call('POST', '/v1/jobs/batch', { jobs });
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
  ['an id that is none', 'GET', '/v1/jobs/seven', undefined, 400, 'VALIDATION_ERROR'],
  ['an unknown lifecycle', 'PUT', '/v1/types/x', { lifecycle: 'none' }, 400, 'VALIDATION_ERROR'],
] as const) {
  test(`${name} is answered with ${status} ${code} as a problem that says what to do`, async () => {
    const { call } = await openApi();
    const answer = await call(method, url, body);
    assert.deepEqual([answer.status, answer.body.code], [status, code]);
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
    assert.ok(answer.body.detail.length > 0 && answer.body.hint.length > 0);
  });
}

test('lifecycles are served as tables and as diagrams', async () => {
  const { call } = await openApi();
  const { body } = await call('GET', '/v1/lifecycles');
  const names = body.items.map((one: { name: string }) => one.name);
  assert.deepEqual(names, ['document', 'process', 'platform', 'task', 'distributed']);
  assert.match((await call('GET', '/v1/lifecycles/task?format=mermaid')).body, /^stateDiagram-v2/);
  assert.match((await call('GET', '/v1/lifecycles/task?format=svg')).body, /^<svg/);
});

test('/livez, /readyz and /openapi.json answer', async () => {
  const { call } = await openApi();
  assert.equal((await call('GET', '/livez')).status, 200);
  assert.equal((await call('GET', '/readyz')).body.checks.store, 'ok');
  assert.equal((await call('GET', '/openapi.json')).body.openapi, '3.1.1');
});
