// How work comes in, as the contract has it: keys, batches, limits, watermarks and types.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFixture, said } from './contract-fixture.ts';

const fixture = await openFixture();

const keyed = (key: string): Record<string, string> => ({ 'idempotency-key': key });

test('[T9, R28] a key finds its job whatever the order of members, and refuses another', async () => {
  const asked = { type: 'task', input: { a: 1, b: { c: 2, d: 3 } } };
  const first = await fixture.post('/v1/jobs', asked, keyed('order'));
  const turned = { input: { b: { d: 3, c: 2 }, a: 1 }, type: 'task' };
  const again = await fixture.post('/v1/jobs', turned, keyed('order'));
  assert.deepEqual([first.status, again.status, again.body.id], [202, 200, first.body.id]);
  assert.equal(first.headers['idempotency-replayed'], undefined);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal(again.headers['location'], first.headers['location']);
  const other = await fixture.post('/v1/jobs', { type: 'task', input: 2 }, keyed('order'));
  assert.equal(said(other), '409 IDEMPOTENCY_CONFLICT');
});

test('[T9, D16] payloadHash stands for a payload whose ciphertext differs', async () => {
  const asked = (input: string, payloadHash: string) =>
    fixture.post('/v1/jobs', { type: 'task', input, payloadHash }, keyed('blind'));
  const first = await asked('cipher 1', 'h');
  assert.equal((await asked('cipher 2', 'h')).body.id, first.body.id);
  assert.equal(said(await asked('cipher 1', 'other')), '409 IDEMPOTENCY_CONFLICT');
});

test('[P10, T9] a replayed key leaves a held job held, and another `submit` is 409', async () => {
  const asked = { type: 'platform', input: 'held' };
  const held = await fixture.post('/v1/jobs', { ...asked, submit: false }, keyed('held'));
  assert.equal(said(held), '202 CREATED');
  const again = await fixture.post('/v1/jobs', { ...asked, submit: false }, keyed('held'));
  assert.deepEqual([said(again), again.body.id], ['200 CREATED', held.body.id]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  const other = await fixture.post('/v1/jobs', asked, keyed('held'));
  assert.equal(said(other), '409 IDEMPOTENCY_CONFLICT');
  const jobs = [
    { type: 'platform', submit: false },
    { type: 'platform', input: 1 },
  ];
  const batch = () => fixture.post('/v1/jobs/batch', { jobs }, keyed('held batch'));
  await batch();
  const { body } = await batch();
  assert.deepEqual(
    body.results.map((one: { status: number; job: { state: string } }) => [
      one.status,
      one.job.state,
    ]),
    [
      [200, 'CREATED'],
      [200, 'QUEUED'],
    ],
  );
});

test('a batch answers in order, and an item that is no job spoils no other', async () => {
  const jobs = [{ type: 'task' }, { typ: 'task' }, { type: 'nobody' }, 7, { type: 'task' }];
  const { status, body } = await fixture.post('/v1/jobs/batch', { jobs }, keyed('batch'));
  assert.equal(status, 200);
  const seen = body.results.map((one: { status: number; error?: { code: string } }) =>
    [one.status, one.error?.code].join(' ').trim(),
  );
  const invalid = '400 VALIDATION_ERROR';
  assert.deepEqual(seen, ['202', invalid, '404 UNKNOWN_TYPE', invalid, '202']);
  assert.deepEqual(
    body.results[1].error.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/type', '/typ'],
  );
  const again = await fixture.post('/v1/jobs/batch', { jobs }, keyed('batch'));
  assert.deepEqual(
    [again.body.results[4].status, again.body.results[4].outcome],
    [200, 'replayed'],
  );
  assert.equal(again.body.results[4].job.id, body.results[4].job.id);
  for (const bad of [{}, { jobs: [] }, { jobs: {} }, { jobs: [{ type: 'task' }], more: 1 }]) {
    assert.equal(said(await fixture.post('/v1/jobs/batch', bad)), invalid);
  }
});

test('[T34] the job that finds its queue full gets 503, QUEUE_OVERLOADED and Retry-After', async () => {
  const put = (body: object) => fixture.call('PATCH', '/v1/queues/narrow', { body });
  const add = () => fixture.post('/v1/jobs', { type: 'task', queue: 'narrow' });
  await put({ highWatermark: 3, lowWatermark: 1 });
  for (let n = 0; n < 3; n++) assert.equal((await add()).status, 202);
  const refused = await add();
  assert.equal(said(refused), '503 QUEUE_OVERLOADED');
  assert.ok(Number(refused.headers['retry-after']) > 0);
  await put({ highWatermark: 9 });
  assert.equal((await add()).status, 503, 'not below the low one yet');
  await fixture.post('/v1/jobs/cancel', { filter: { queue: 'narrow' } });
  await fixture.api.world.engine.sweepWatermarks();
  fixture.api.world.advance(1_000);
  assert.equal((await add()).status, 202);
});

test('[T34] a batch fills a queue to its high watermark and not beyond', async () => {
  await fixture.call('PATCH', '/v1/queues/short', { body: { highWatermark: 4 } });
  const jobs = Array.from({ length: 10 }, () => ({ type: 'task', queue: 'short' }));
  const { body } = await fixture.post('/v1/jobs/batch', { jobs });
  const seen = body.results.map(({ status }: { status: number }) => status);
  assert.deepEqual(seen, [...Array(4).fill(202), ...Array(6).fill(503)]);
});

for (const word of ['isPaused', 'paused']) {
  test(`a queue is paused and resumed by ${word}`, async () => {
    const put = (body: object) => fixture.call('PATCH', `/v1/queues/${word}`, { body });
    const { body: job } = await fixture.post('/v1/jobs', { type: 'process', queue: word });
    assert.equal((await put({ [word]: true })).body.isPaused, true);
    assert.equal(await fixture.claim('process', word), undefined);
    assert.equal((await put({ [word]: false, concurrency: 2 })).body.isPaused, false);
    assert.equal((await fixture.claim('process', word)).job.id, job.id);
  });
}

test('[T10] activePerDocument refuses a second job of a document, by true or by 1', async () => {
  for (const activePerDocument of [true, 1]) {
    const type = `single-${activePerDocument}`;
    await fixture.put(`/v1/types/${type}`, { lifecycle: 'task', limits: { activePerDocument } });
    const add = (documentId: string) => fixture.post('/v1/jobs', { type, documentId });
    assert.deepEqual([said(await add('d1')), said(await add('d2'))], Array(2).fill('202 pending'));
    assert.equal(said(await add('d1')), '409 CONCURRENCY_CONFLICT');
  }
});

test('[T11] runningPerKey holds back the claim, never the enqueue', async () => {
  await fixture.put('/v1/types/two', { lifecycle: 'task', limits: { runningPerKey: 2 } });
  for (let n = 0; n < 3; n++) {
    assert.equal((await fixture.post('/v1/jobs', { type: 'two', documentId: 'd' })).status, 202);
  }
  const { body } = await fixture.post('/v1/claims', { workerId: 'w1', types: ['two'], max: 9 });
  assert.equal(body.jobs.length, 2);
});

test('[T38, T39] runAt delays a job, and priorities order those that are due', async () => {
  const add = async (more: object): Promise<string> =>
    (await fixture.post('/v1/jobs', { type: 'order', ...more })).body.id;
  await fixture.put('/v1/types/order', { lifecycle: 'task' });
  const runAt = new Date(fixture.api.world.clock.now() + 60_000).toISOString();
  const ids = [
    await add({ priority: 200 }),
    await add({ priority: 'high' }),
    await add({}),
    await add({ priority: -1 }),
  ];
  const later = await add({ priority: 'high', runAt });
  const seen: string[] = [];
  for (let n = 0; n < 4; n++) {
    const { job, epoch } = await fixture.claim('order');
    seen.push(job.id);
    await fixture.post(`/v1/jobs/${job.id}/complete`, { workerId: 'w1', epoch });
  }
  assert.deepEqual(seen, ids);
  assert.equal(await fixture.claim('order'), undefined);
  await fixture.pass(60_000);
  assert.equal((await fixture.claim('order')).job.id, later);
});

const R = 'distributed';
for (const [id, what, body] of [
  ['D6', 'another number of retries for D', { lifecycle: 'document', retry: { maxAttempts: 5 } }],
  [
    'D6',
    'another backoff for D',
    { lifecycle: 'document', retry: { backoff: { kind: 'fixed', baseMs: 5 } } },
  ],
  ['R8', 'a lease below 30 s', { lifecycle: R, lease: { ttlMs: 29_999, heartbeatMs: 10_000 } }],
  ['R8', 'a lease above 120 s', { lifecycle: R, lease: { ttlMs: 120_001, heartbeatMs: 10_000 } }],
  ['R9', 'a heartbeat below 10 s', { lifecycle: R, lease: { ttlMs: 60_000, heartbeatMs: 9_999 } }],
  ['R9', 'a heartbeat above 30 s', { lifecycle: R, lease: { ttlMs: 90_000, heartbeatMs: 30_001 } }],
  [
    'T16',
    'stages that overlap',
    {
      lifecycle: 'task',
      stages: [
        { name: 'a', min: 0, max: 50 },
        { name: 'b', min: 40, max: 100 },
      ],
    },
  ],
] as const) {
  test(`[${id}] a type with ${what} is refused with 400`, async () => {
    assert.equal(said(await fixture.put('/v1/types/bad', body)), '400 VALIDATION_ERROR');
  });
}

test('[D6] D’s own retry policy may be said, in any order', async () => {
  const retry = { maxAttempts: 4, backoff: { kind: 'fixed', baseMs: 1_000, jitter: 'none' } };
  const answer = await fixture.put('/v1/types/scan', { lifecycle: 'document', retry });
  assert.deepEqual([answer.status, answer.body.retry.maxAttempts], [201, 4]);
});

for (const [backoff, expected] of [
  [{ kind: 'fixed' }, { kind: 'fixed', baseMs: 100 }],
  [
    { kind: 'fixed', factor: 1, maxMs: 50, jitter: 'none' },
    { kind: 'fixed', baseMs: 50 },
  ],
  [
    { kind: 'fixed', jitter: 'full' },
    { kind: 'exponential', baseMs: 100, factor: 1, maxMs: 100, jitter: 'full' },
  ],
  [
    { kind: 'exponential' },
    { kind: 'exponential', baseMs: 100, factor: 2, maxMs: 60_000, jitter: 'full' },
  ],
  [
    { kind: 'exponential', factor: 3, maxMs: 90, jitter: 'decorrelated' },
    { kind: 'exponential', baseMs: 100, factor: 3, maxMs: 90, jitter: 'decorrelated' },
  ],
  [{ kind: 'fixed', factor: 2 }, null],
] as const) {
  test(`[R11] the backoff ${JSON.stringify(backoff)} of 100 ms is read as it is written`, async () => {
    const retry = { maxAttempts: 2, backoff: { baseMs: 100, ...backoff } };
    const { status, body } = await fixture.put('/v1/types/waits', { lifecycle: 'task', retry });
    assert.deepEqual(status === 400 ? null : body.retry.backoff, expected);
  });
}

test('a choice between objects names the member that tells them apart', async () => {
  const rule = { cron: '* * * * *' };
  const asked = { name: 'nightly', rule, job: { type: 'task' } };
  const { body } = await fixture.post('/v1/schedules', asked);
  const kinds = ['"cron"', '"interval"', '"once"'].map((kind) => `an object with kind ${kind}`);
  assert.equal(body.detail, `/rule must be ${kinds[0]}, ${kinds[1]} or ${kinds[2]}`);
});
