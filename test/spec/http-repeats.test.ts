// Sent twice is done once: every POST of the API, repeated as a client does that lost the answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Api, openApi } from './http-fixture.ts';

const api = await openApi();
await api.put('/v1/types/mail', { lifecycle: 'platform' });
await api.put('/v1/types/scan', { lifecycle: 'document' });

async function versionOf(id: string): Promise<number> {
  return (await api.get(`/v1/jobs/${id}`)).body.version;
}

/** Sends it twice with one key; the second answer is good and nothing has moved since the first. */
async function twice(id: string, url: string, body?: unknown): Promise<[Answer, Answer]> {
  const keyed = api.with({ 'idempotency-key': `key of ${url}` });
  const first = await keyed.post(url, body);
  assert.ok(first.status < 300, JSON.stringify(first.body));
  const version = await versionOf(id);
  const again = await keyed.post(url, body);
  assert.ok(again.status < 300, JSON.stringify(again.body));
  assert.equal(await versionOf(id), version);
  return [first, again];
}

async function started(type: string): Promise<{ url: string; id: string; held: object }> {
  const claimed = await api.claimed(type);
  await api.post(`${claimed.url}/start`, claimed.held);
  return claimed;
}

test('[R6] a repeated submit changes nothing', async () => {
  const { body } = await api.post('/v1/jobs', { type: 'scan', submit: false });
  assert.equal(body.state, 'CREATED');
  const [first] = await twice(body.id, `/v1/jobs/${body.id}/submit`);
  assert.equal(first.body.state, 'QUEUED');
});

test('[R6] a repeated cancel changes nothing, asked for or done', async () => {
  const { body } = await api.post('/v1/jobs', { type: 'export' });
  await twice(body.id, `/v1/jobs/${body.id}/cancel`, { reason: 'gone' });
  const { url, id } = await api.claimed();
  const [first, again] = await twice(id, `${url}/cancel`);
  assert.deepEqual([first.status, again.status], [202, 202]);
});

test('[R6] a repeated rejection is the same one, another one is refused', async () => {
  const { body } = await api.post('/v1/jobs', { type: 'scan' });
  const url = `/v1/jobs/${body.id}/reject`;
  const error = { class: 'job_validation', message: 'no such page' };
  const [first, again] = await twice(body.id, url, { error });
  assert.deepEqual(again.body, first.body);
  const other = await api.post(url, { error: { ...error, message: 'something else' } });
  assert.deepEqual([other.status, other.body.code], [409, 'ILLEGAL_TRANSITION']);
});

test('[R6] a repeated move to the dead letters makes one letter', async () => {
  const { body } = await api.post('/v1/jobs', { type: 'index', correlationId: 'dl' });
  const asked = { reasonCode: 'policy_violation', message: 'must not run' };
  await twice(body.id, `/v1/jobs/${body.id}/dead-letter`, asked);
  const { body: letters } = await api.get('/v1/dlq?reasonCode=policy_violation');
  assert.equal(letters.items.length, 1);
});

for (const [verb, more] of [
  ['start', {}],
  ['complete', { result: { pages: 1 } }],
  ['fail', { error: { class: 'TransientError', message: 'again' } }],
  ['snooze', { delayMs: 60_000 }],
  ['release', {}],
  ['stages/plan', { result: [1] }],
] as const) {
  test(`[R6, R28] ${verb} repeated by the same owner has no further effect`, async () => {
    const { id, url, held } = await started('index');
    await twice(id, `${url}/${verb}`, { ...held, ...more });
  });
}

test('[R6, R28] the owner honours a cancel once', async () => {
  const { id, url, held } = await started('index');
  await api.post(`${url}/cancel`);
  await twice(id, `${url}/cancelled`, held);
});

test('[R20, R28] a repeated claim gets the same jobs again and no others', async () => {
  const fresh = await openApi();
  await fresh.post('/v1/jobs/batch', { jobs: [{ type: 'export' }, { type: 'export' }] });
  const asked = { workerId: 'w1', types: ['export'], max: 1 };
  const claim = async (by: Api, body: object): Promise<string[]> => {
    const { body: answer } = await by.post('/v1/claims', body);
    return answer.jobs.map((one: { job: { id: string }; epoch: number }) => {
      return `${one.job.id}/${one.epoch}`;
    });
  };
  const keyed = fresh.with({ 'idempotency-key': 'claim-1' });
  const first = await claim(keyed, asked);
  assert.deepEqual(await claim(keyed, asked), first);
  assert.deepEqual(await claim(fresh, { ...asked, requestId: 'claim-1' }), first);
  const next = await claim(fresh, asked);
  assert.equal(new Set([...first, ...next]).size, 2);
});

test('[R28] a repeated batch makes no second jobs, item by item', async () => {
  const keyed = api.with({ 'idempotency-key': 'batch-1' });
  const jobs = [{ type: 'export', input: 1 }, { type: 'nobody' }, { type: 'export', input: 2 }];
  const first = await keyed.post('/v1/jobs/batch', { jobs });
  const again = await keyed.post('/v1/jobs/batch', { jobs });
  const ids = (answer: Answer) =>
    answer.body.results.map((one: { job?: { id: string } }) => one.job?.id ?? null);
  assert.deepEqual(ids(again), ids(first));
  const statuses = again.body.results.map((one: { status: number }) => one.status);
  assert.deepEqual(statuses, [200, 404, 200]);
});

test('[R28] a dead letter is replayed once, alone or among many', async () => {
  const fresh = await openApi();
  const letters = [];
  for (let index = 0; index < 3; index++) {
    const { body: job } = await fresh.post('/v1/jobs', { type: 'index' });
    const asked = { reasonCode: 'timeout', message: `slow ${index}` };
    await fresh.post(`/v1/jobs/${job.id}/dead-letter`, asked);
  }
  letters.push(...(await fresh.get('/v1/dlq')).body.items.map((one: { id: string }) => one.id));
  const one = await fresh.post(`/v1/dlq/${letters[0]}/replay`);
  const again = await fresh.post(`/v1/dlq/${letters[0]}/replay`);
  assert.deepEqual([one.status, again.status, again.body.id], [202, 200, one.body.id]);
  const filter = { type: 'index', reasonCode: 'timeout' };
  const many = await fresh.post('/v1/dlq/replay', { filter, perSecond: 2 });
  const dues = many.body.results.map((item: { status: number; job: { runAt: string } }) => {
    return [item.status, Date.parse(item.job.runAt) - fresh.world.clock.now()];
  });
  assert.deepEqual(dues, [
    [202, 0],
    [202, 500],
  ]);
  const none = await fresh.post('/v1/dlq/replay', { filter });
  assert.deepEqual(none.body, { results: [], hasMore: false });
  const named = await fresh.post('/v1/dlq/replay', { ids: letters });
  const statuses = named.body.results.map((item: { status: number }) => item.status);
  assert.deepEqual(statuses, [200, 200, 200]);
});

test('many jobs are cancelled by ids or by a filter, one result an item', async () => {
  const fresh = await openApi();
  const jobs = Array.from({ length: 3 }, () => ({ type: 'export', documentId: 'd-1' }));
  await fresh.post('/v1/jobs/batch', { jobs });
  await fresh.claimed('export');
  const found = await fresh.post('/v1/jobs/cancel', { filter: { documentId: 'd-1' } });
  const statuses = found.body.results.map((item: { status: number }) => item.status);
  assert.deepEqual(statuses.toSorted(), [200, 200, 202]);
  assert.equal(found.body.hasMore, false);
  const other = await fresh.post('/v1/jobs', { type: 'export' });
  const missing = '00000000-0000-7000-8000-000000000000';
  const ids = [other.body.id, missing, other.body.id];
  const named = await fresh.post('/v1/jobs/cancel', { ids, mode: 'hard' });
  assert.deepEqual(
    named.body.results.map((item: { status: number }) => item.status),
    [200, 404],
  );
});

test('a bulk request names either ids or a filter that is not empty', async () => {
  for (const body of [{}, { ids: [], filter: {} }, { filter: {} }, { ids: [] }]) {
    const answer = await api.post('/v1/jobs/cancel', body);
    assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR']);
  }
});

test('[P6] only the API leaves CREATED, any worker takes it, only its owner ends it', async () => {
  const { body: job } = await api.post('/v1/jobs', { type: 'mail', submit: false });
  const url = `/v1/jobs/${job.id}`;
  const claim = { workerId: 'w1', types: ['mail'], max: 1 };
  assert.deepEqual((await api.post('/v1/claims', claim)).body.jobs, []);
  assert.equal((await api.post(`${url}/submit`)).body.state, 'QUEUED');
  const { body } = await api.post('/v1/claims', claim);
  assert.equal(body.jobs[0].job.state, 'RUNNING');
  const { epoch } = body.jobs[0];
  const foreign = await api.post(`${url}/complete`, { workerId: 'w2', epoch });
  assert.deepEqual([foreign.status, foreign.body.code], [409, 'LEASE_LOST']);
  const cancelled = await api.post(`${url}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.body.code], [409, 'ILLEGAL_TRANSITION']);
  const done = await api.post(`${url}/complete`, { workerId: 'w1', epoch });
  assert.equal(done.body.state, 'SUCCESS');
});

test('[P10] a key whose first request left the job held releases it by `submit` alone', async () => {
  const keyed = api.with({ 'idempotency-key': 'p10' });
  const asked = { type: 'mail', input: { to: 'ann' }, payloadHash: 'same' };
  const first = await keyed.post('/v1/jobs', { ...asked, submit: false });
  assert.equal(first.body.state, 'CREATED');
  const other = await keyed.post('/v1/jobs', asked);
  assert.deepEqual([other.status, other.body.code], [409, 'IDEMPOTENCY_CONFLICT']);
  const again = await keyed.post('/v1/jobs', { ...asked, submit: false });
  const { id } = first.body;
  assert.deepEqual([again.status, again.body.id, again.body.state], [200, id, 'CREATED']);
  assert.equal((await api.post(`/v1/jobs/${id}/submit`)).body.state, 'QUEUED');
});
