// The edge of the API: what is refused before anybody looks, and how it is said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'pawl/internal/core/clock';
import { RateLimiter } from '@pawl/server/internal/http/rate-limit';
import { openApi } from './http-fixture.ts';

const api = await openApi();

/** `pointer message` of each fault, in order. */
async function faultsOf(method: 'POST' | 'PUT', url: string, body: unknown): Promise<string[]> {
  const answer = await api.call(method, url, { body });
  assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR']);
  return answer.body.errors.map(
    (fault: { pointer: string; message: string }) => `${fault.pointer} ${fault.message}`,
  );
}

for (const [what, body, faults] of [
  ['a missing member', {}, ['/type is missing']],
  [
    'a member that is nearly right',
    { type: 'x', inputs: 1 },
    ['/inputs is unknown; did you mean "input"?'],
  ],
  [
    'a number as text',
    { type: 'x', priority: '5' },
    ['/priority must be "normal", "high" or a whole number up to ±32767'],
  ],
  [
    'a day that does not exist',
    { type: 'x', runAt: '2026-02-30T00:00:00Z' },
    ['/runAt must be a time such as 2026-11-15T08:00:00.000Z'],
  ],
  [
    'an id in capitals',
    { type: 'x', id: '019A8F3E-7C00-7D2A-9B1E-4F5A6B7C8D9E' },
    ['/id must be a UUID in lower case'],
  ],
  [
    'several members at once',
    { type: '', submit: 'yes', queue: 'a b' },
    [
      '/type must be 1 to 128 letters, digits or . _ : / -',
      '/submit must be true or false',
      '/queue must be 1 to 128 letters, digits or . _ : / -',
    ],
  ],
  ['a list instead of an object', [], [' must be an object']],
] as const) {
  test(`${what} is told in one sentence, with its pointer`, async () => {
    assert.deepEqual(await faultsOf('POST', '/v1/jobs', body), faults);
  });
}

test('a union speaks with one voice: the branch that was meant explains itself', async () => {
  const backoff = { kind: 'exponential', baseMs: -1, jitter: 'some' };
  const faults = await faultsOf('PUT', '/v1/types/x', { lifecycle: 'task', retry: { backoff } });
  assert.deepEqual(faults, [
    '/retry/backoff/baseMs must be a whole number from 0 to 2592000000',
    '/retry/backoff/jitter must be "none", "equal", "full" or "decorrelated"',
  ]);
});

test('a fault in a list names the item', async () => {
  const faults = await faultsOf('POST', '/v1/claims', { workerId: 'w', types: ['x', ''], max: 1 });
  assert.deepEqual(faults, ['/types/1 must be 1 to 128 letters, digits or . _ : / -']);
});

test('queries are read strictly: nothing is rounded, dropped or guessed', async () => {
  for (const query of [
    'limit=3.7',
    'limit=',
    'limit=1e2',
    'limit=0x10',
    'limt=3',
    'limit=1&limit=2',
  ]) {
    const answer = await api.get(`/v1/jobs?${query}`);
    assert.equal(answer.status, 400, query);
    assert.equal(answer.body.errors[0].in, 'query');
  }
});

const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [n, n])));

for (const [what, body] of [
  ['nested too deep', `{"type":"export","input":${deep}}`],
  ['with too many members', `{"type":"export","input":${wide}}`],
  ['with a member given twice', '{"type":"export","type":"export"}'],
  ['with a member given twice in disguise', '{"type":"export","t\\u0079pe":"export"}'],
  ['that reaches for a prototype', '{"type":"export","input":{"__proto__":{"admin":true}}}'],
  ['that reaches for one in disguise', '{"type":"export","input":{"\\u005f_proto__":1}}'],
  ['that reaches for one by its constructor', '{"input":{"constructor":{"prototype":1}}}'],
  ['cut in the middle', '{"type":"exp'],
  ['with trailing text', '{"type":"export"} {}'],
] as const) {
  test(`[S11, S13] a body ${what} is refused before it is used`, async () => {
    const answer = await api.call('POST', '/v1/jobs', { body });
    assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR']);
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });
}

test('text that only looks like structure is none', async () => {
  const input = { a: '}]{["__proto__":', b: '\\"', 'x\\"': ['"', '\\\\'] };
  const { status, body } = await api.post('/v1/jobs', { type: 'export', input });
  assert.equal(status, 202);
  const claim = await api.post('/v1/claims', { workerId: 'w', types: ['export'], max: 1 });
  assert.deepEqual(claim.body.jobs[0].input, input);
  assert.equal(claim.body.jobs[0].job.id, body.id);
});

test('bytes that are not UTF-8 are refused, not mended', async () => {
  const body = Buffer.from([...Buffer.from('{"type":"export","input":"'), 0xc3, 0x28, 0x22, 0x7d]);
  assert.equal((await api.call('POST', '/v1/jobs', { body })).body.detail, 'the body is not UTF-8');
});

test('a text that is too long for any member is 413, and its member is named', async () => {
  const { status, body } = await api.post('/v1/jobs', { type: 'x', input: 'x'.repeat(262_145) });
  assert.deepEqual([status, body.code], [413, 'PAYLOAD_TOO_LARGE']);
  assert.equal(body.detail, '/input has a text longer than 262144 characters');
});

test('[S13] what is too large is 413, what is not JSON 415, a wrong method 405 with Allow', async () => {
  const large = await api.post('/v1/jobs', { type: 'export', input: 'x'.repeat(1_100_000) });
  assert.deepEqual([large.status, large.body.code], [413, 'PAYLOAD_TOO_LARGE']);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const form = await api.call('POST', '/v1/jobs', { body: 'type=export', headers });
  assert.deepEqual([form.status, form.body.code], [415, 'UNSUPPORTED_MEDIA_TYPE']);
  const method = await api.call('DELETE', '/v1/jobs');
  assert.deepEqual([method.status, method.headers['allow']], [405, 'POST, GET, HEAD, OPTIONS']);
  assert.equal((await api.call('DELETE', '/v1/nothing')).status, 404);
});

test('the request id is echoed where it is a plain one, and is on every problem', async () => {
  const asked = await api.with({ 'x-request-id': 'req-1' }).get('/v1/jobs/nope');
  assert.deepEqual([asked.headers['x-request-id'], asked.body.requestId], ['req-1', 'req-1']);
  const odd = await api.with({ 'x-request-id': 'a b<script>' }).get('/v1/jobs');
  assert.match(String(odd.headers['x-request-id']), /^[0-9a-f-]{36}$/);
});

test('[R23] the trace of a traceparent is kept with the job and on all its events', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traced = api.with({ traceparent: `00-${trace}-00f067aa0ba902b7-01` });
  const { body: job } = await traced.post('/v1/jobs', { type: 'index', correlationId: 'c-1' });
  assert.deepEqual([job.traceId, job.correlationId], [trace, 'c-1']);
  const { body } = await api.post('/v1/claims', { workerId: 'w', types: ['index'], max: 1 });
  assert.equal(body.jobs[0].job.traceId, trace);
  const { body: history } = await api.get(`/v1/jobs/${job.id}/events`);
  const seen = history.items.map((event: { traceId: string; correlationId: string }) => {
    return [event.traceId, event.correlationId];
  });
  assert.deepEqual(seen, [
    [trace, 'c-1'],
    [trace, 'c-1'],
  ]);
  const bad = await api.with({ traceparent: '00-0-0-0' }).post('/v1/jobs', { type: 'index' });
  assert.equal(bad.body.traceId, null);
});

test('[T9] a retry with another trace is still the same request', async () => {
  const keyed = api.with({ 'idempotency-key': 'traced' });
  const send = (trace: string) =>
    keyed
      .with({ traceparent: `00-${trace.repeat(32)}-00f067aa0ba902b7-01` })
      .post('/v1/jobs', { type: 'export' });
  const first = await send('1');
  const again = await send('2');
  assert.deepEqual([again.status, again.body.id], [200, first.body.id]);
});

test('an ETag changes with the job, and If-None-Match spares the answer meanwhile', async () => {
  const { url, held } = await api.claimed('index');
  const first = await api.get(url);
  const tag = String(first.headers['etag']);
  const same = await api.with({ 'if-none-match': `"other", ${tag}` }).get(url);
  assert.deepEqual([same.status, same.body], [304, '']);
  await api.post(`${url}/heartbeat`, { ...held, progress: 7 });
  const later = await api.with({ 'if-none-match': tag }).get(url);
  assert.deepEqual([later.status, later.body.progress], [200, 7]);
});

test('lists link to their next page', async () => {
  await api.post('/v1/jobs/batch', { jobs: [{ type: 'export' }, { type: 'export' }] });
  const { headers, body } = await api.get('/v1/jobs?limit=1&type=export');
  const link = `</v1/jobs?limit=1&type=export&cursor=${body.nextCursor}>; rel="next"`;
  assert.equal(headers['link'], link);
});

test('a type with a long name and slashes is found under its address', async () => {
  const type = `team/${'x'.repeat(120)}`;
  const url = `/v1/types/${encodeURIComponent(type)}`;
  assert.equal((await api.put(url, { lifecycle: 'task' })).status, 201);
  assert.equal((await api.get(url)).body.type, type);
});

test('[S13] a credential that asks too often gets 429 with Retry-After', async () => {
  const limited = await openApi({ server: () => ({ rate: { perSecond: 1, burst: 3 } }) });
  const seen = [];
  for (let index = 0; index < 4; index++) seen.push(await limited.get('/v1/queues'));
  assert.deepEqual(
    seen.map(({ status }) => status),
    [200, 200, 200, 429],
  );
  assert.deepEqual(seen[3]!.headers['retry-after'], '1');
  assert.match(String(seen[0]!.headers['ratelimit']), /^"requests";r=\d;t=0$/);
  assert.equal(seen[0]!.headers['ratelimit-policy'], '"requests";q=3;w=3');
});

test('a bucket refills steadily and never beyond its burst', () => {
  const clock = new ManualClock(0);
  const limiter = new RateLimiter({ perSecond: 2, burst: 2 }, () => clock.now());
  const take = () => limiter.take('a').waitMs;
  assert.deepEqual([take(), take(), take()], [0, 0, 500]);
  clock.advance(500);
  assert.deepEqual([take(), take()], [0, 500]);
  clock.advance(60_000);
  assert.deepEqual([take(), take(), take()], [0, 0, 500]);
  assert.equal(limiter.take('b').waitMs, 0);
});

test('[S13] more requests than the process can do are turned away with 503, health is not', async () => {
  const busy = await openApi({ server: () => ({ load: { inFlightMax: 0 } }) });
  const refused = await busy.get('/v1/queues');
  assert.deepEqual([refused.status, refused.body.code], [503, 'SERVER_BUSY']);
  assert.equal(refused.headers['retry-after'], '1');
  assert.equal((await busy.get('/readyz')).status, 200);
});

test('[S9] without credentials neither a foreign name nor a foreign page gets in', async () => {
  const named = await api.with({ host: 'rebound.example' }).get('/v1/jobs');
  assert.deepEqual([named.status, named.body.code], [403, 'FORBIDDEN']);
  const page = await api
    .with({ origin: 'https://evil.example' })
    .post('/v1/jobs', { type: 'export' });
  assert.equal(page.status, 403);
  const crossSite = await api.with({ 'sec-fetch-site': 'cross-site' }).post('/v1/jobs/cancel');
  assert.equal(crossSite.status, 403);
  const own = await api
    .with({ origin: 'http://localhost:80', host: 'localhost:80' })
    .get('/v1/jobs');
  assert.equal(own.status, 200);
});

test('a store that does not answer is 503 and the outcome is told apart', async () => {
  const gone = await openApi();
  await gone.world.close();
  const answer = await gone.post('/v1/jobs', { type: 'export' });
  assert.deepEqual([answer.status, answer.body.code], [503, 'STORE_UNAVAILABLE']);
  const ready = await gone.get('/readyz');
  assert.deepEqual([ready.status, ready.body.checks.store], [503, 'unreachable']);
  assert.equal((await gone.get('/livez')).status, 200);
});
