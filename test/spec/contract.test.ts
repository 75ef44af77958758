// The HTTP contract as it is written, line by line: paths, codes, headers and members.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFixture, said } from './contract-fixture.ts';

const fixture = await openFixture();

const NOBODY = '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e';

const words = (text: string): string[] => text.split(' ').toSorted();

const JOB = words(
  'id type lifecycle state phase queue priority runAt deadlineAt epoch version stage progress ' +
    'message attempts maxAttempts retryCount maxRetries createdAt updatedAt startedAt ' +
    'completedAt error errorType resultRef metadata correlationId traceId requestedBy ' +
    'revision isPinned limitKey parentJobId parentKind documentId lease links',
);
const EVENT = words(
  'id jobId type timestamp version from to stage progress message attempt epoch actor cause ' +
    'correlationId traceId metadata',
);
const LETTER = words(
  'id jobId reasonCode failureStage lastError attempts lastOwner lastLeaseExpiresAt ' +
    'correlationId input fingerprint createdAt replayedAs',
);

/** Members may be added, never left out. */
function has(value: object, members: readonly string[]): void {
  assert.deepEqual(
    members.filter((name) => !Object.hasOwn(value, name)),
    [],
  );
}

for (const [method, path, body, expected] of [
  ['GET', '/livez', undefined, '200'],
  ['GET', '/readyz', undefined, '200'],
  ['GET', '/metrics', undefined, '200'],
  ['GET', '/openapi.json', undefined, '200'],
  ['GET', '/docs', undefined, '200'],
  ['PUT', '/v1/types/fresh', { lifecycle: 'task' }, '201'],
  ['PUT', '/v1/types/fresh', { lifecycle: 'task' }, '200'],
  ['GET', '/v1/types/fresh', undefined, '200'],
  ['GET', '/v1/types/nobody', undefined, '404 UNKNOWN_TYPE'],
  ['GET', '/v1/lifecycles/task', undefined, '200'],
  ['GET', '/v1/lifecycles/task?format=mermaid', undefined, '200'],
  ['GET', '/v1/lifecycles/task?format=svg', undefined, '200'],
  ['GET', '/v1/lifecycles/task?format=png', undefined, '400 VALIDATION_ERROR'],
  ['GET', '/v1/lifecycles/nobody', undefined, '404 NOT_FOUND'],
  ['POST', '/v1/jobs', { type: 'nobody' }, '404 UNKNOWN_TYPE'],
  ['POST', '/v1/jobs', {}, '400 VALIDATION_ERROR'],
  ['POST', '/v1/jobs', { type: 'task', inputs: 1 }, '400 VALIDATION_ERROR'],
  ['POST', '/v1/jobs', '{', '400 VALIDATION_ERROR'],
  ['POST', '/v1/jobs', { type: 'task', input: 'x'.repeat(1_100_000) }, '413 PAYLOAD_TOO_LARGE'],
  ['GET', '/v1/jobs?bogus=1', undefined, '400 VALIDATION_ERROR'],
  ['GET', '/v1/jobs/no-such-id', undefined, '404 NOT_FOUND'],
  ...['', '/why', '/events', '/input', '/result'].map(
    (rest) => ['GET', `/v1/jobs/${NOBODY}${rest}`, undefined, '404 NOT_FOUND'] as const,
  ),
  ['POST', `/v1/jobs/${NOBODY}/submit`, {}, '404 NOT_FOUND'],
  ['POST', `/v1/jobs/${NOBODY}/cancel`, {}, '404 NOT_FOUND'],
  ...['start', 'heartbeat', 'complete', 'release', 'cancelled'].map(
    (verb) =>
      [
        'POST',
        `/v1/jobs/${NOBODY}/${verb}`,
        { workerId: 'w1', epoch: 1 },
        '404 NOT_FOUND',
      ] as const,
  ),
  ['POST', '/v1/jobs/no-such-id/heartbeat', { workerId: 'w1', epoch: 1 }, '404 NOT_FOUND'],
  ['POST', '/v1/jobs/cancel', {}, '400 VALIDATION_ERROR'],
  ['GET', `/v1/dlq/${NOBODY}`, undefined, '404 NOT_FOUND'],
  ['POST', `/v1/dlq/${NOBODY}/replay`, {}, '404 NOT_FOUND'],
  ['POST', '/v1/claims', { workerId: 'w1', max: 1 }, '400 VALIDATION_ERROR'],
  ['GET', '/v1/nothing', undefined, '404 NOT_FOUND'],
  ['DELETE', '/v1/jobs', undefined, '405 METHOD_NOT_ALLOWED'],
] as const) {
  test(`${method} ${path} answers ${expected}`, async () => {
    const answer = await fixture.call(method, path, body === undefined ? {} : { body });
    const { status, headers } = answer;
    assert.equal(status < 400 ? String(status) : said(answer), expected);
    if (status < 400) return;
    assert.match(String(headers['content-type']), /^application\/problem\+json/);
    has(answer.body, ['type', 'title', 'status', 'detail', 'code', 'hint']);
    assert.equal(answer.body.errors !== undefined, answer.body.code === 'VALIDATION_ERROR');
  });
}

for (const path of ['types', 'lifecycles', 'jobs', 'dlq', 'queues', 'workers', 'slo']) {
  test(`GET /v1/${path} is a list of items with a nextCursor`, async () => {
    const { status, body } = await fixture.get(`/v1/${path}`);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).toSorted(), ['items', 'nextCursor']);
  });
}

test('HEAD answers like GET, OPTIONS with the methods of the address', async () => {
  assert.equal((await fixture.call('HEAD', '/v1/jobs')).status, 200);
  const options = await fixture.call('OPTIONS', '/v1/jobs');
  assert.deepEqual([options.status, options.headers['allow']], [204, 'POST, GET, HEAD, OPTIONS']);
  assert.equal((await fixture.call('OPTIONS', '/v1/nothing')).status, 404);
});

test('[P12, T28] a Job has the members of the contract, a Location and an ETag', async () => {
  const answer = await fixture.post('/v1/jobs', {
    type: 'task',
    priority: 'high',
    metadata: { a: 1 },
  });
  const { id } = answer.body;
  assert.deepEqual([answer.status, answer.headers['location']], [202, `/v1/jobs/${id}`]);
  assert.deepEqual(Object.keys(answer.body).toSorted(), JOB);
  const { headers, body } = await fixture.get(`/v1/jobs/${id}`);
  assert.deepEqual(body, answer.body);
  const known = { 'if-none-match': String(headers['etag']) };
  assert.equal((await fixture.get(`/v1/jobs/${id}`, known)).status, 304);
  assert.equal(said(await fixture.post(`/v1/jobs/${id}/cancel`)), '200 canceled');
});

test('[R18, T19] an Event has the members of the contract', async () => {
  const { url, by } = await fixture.running('task');
  await fixture.post(`${url}/complete`, by);
  const { body } = await fixture.get(`${url}/events`);
  for (const event of body.items) assert.deepEqual(Object.keys(event).toSorted(), EVENT);
});

test('[R16, R29] a dead letter has the members of the contract', async () => {
  const { url, by } = await fixture.running('distributed');
  const error = { class: 'ValidationError', message: 'no' };
  await fixture.post(`${url}/fail`, { ...by, error, deadLetter: 'parse_error' });
  const { body } = await fixture.get('/v1/dlq');
  has(body.items[0], LETTER);
  assert.deepEqual([body.items[0].reasonCode, body.items[0].lastOwner], ['parse_error', 'w1']);
});

test('[R20, T33] a claim and a heartbeat carry what a worker needs', async () => {
  const asked = { type: 'task', input: { deck: 1 }, queue: 'claims' };
  const { body: job } = await fixture.post('/v1/jobs', asked);
  const claim = await fixture.claim('task', 'claims');
  has(claim, words('job input epoch lease checkpoint stages attempt idempotencyKey'));
  has(claim.lease, words('owner expiresAt renewInMs heartbeatMs'));
  assert.deepEqual([claim.job.id, claim.input, claim.attempt], [job.id, { deck: 1 }, 1]);
  const url = `/v1/jobs/${job.id}`;
  const by = { workerId: 'w1', epoch: claim.epoch };
  const notes = { log: 'one line', tokens: ['He', 'llo'] };
  const { body } = await fixture.post(`${url}/heartbeat`, { ...by, progress: 40, ...notes });
  has(body, ['lease', 'cancel']);
  has(body.lease, ['owner', 'expiresAt', 'renewInMs']);
  const { body: history } = await fixture.get(`${url}/events`);
  const told = history.items.slice(-2);
  assert.deepEqual([told[0].message, told[1].metadata], ['one line', { text: 'Hello' }]);
  await fixture.post(`${url}/heartbeat`, { ...by, progress: 10 });
  assert.equal((await fixture.get(url)).body.progress, 40);
  assert.equal(said(await fixture.get(`${url}/result`)), '409 NOT_FINISHED');
  assert.equal(said(await fixture.post(`${url}/fail`, { ...by, error: failed })), '200 failed');
  assert.equal(said(await fixture.get(`${url}/result`)), '409 NO_RESULT');
});

const failed = { class: 'validation_error', message: 'bad page' };

test('[T30] a record names its error by the same code as the Job', async () => {
  const { url, by } = await fixture.running('task');
  const { body } = await fixture.post(`${url}/fail`, { ...by, error: failed });
  const { body: record } = await fixture.get(`${url}?view=record`);
  assert.deepEqual([body.error.code, record.error.code], Array(2).fill('TASK_VALIDATION_ERROR'));
});
