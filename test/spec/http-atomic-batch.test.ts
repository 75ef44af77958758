// A batch that is accepted as a whole or not at all, and what else a job can be asked for with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, openApi } from './http-fixture.ts';

const api = await openApi();

async function countOf(correlationId: string): Promise<number> {
  return (await api.get(`/v1/jobs?correlationId=${correlationId}`)).body.items.length;
}

function outcomes({ body }: Answer): string[] {
  return body.results.map((one: { outcome: string }) => one.outcome);
}

test('an atomic batch makes all of its jobs', async () => {
  const jobs = [1, 2, 3].map((input) => ({ type: 'export', input, correlationId: 'all' }));
  const answer = await api.post('/v1/jobs/batch', { jobs, atomic: true });
  assert.deepEqual([answer.status, outcomes(answer)], [200, ['created', 'created', 'created']]);
  assert.equal(await countOf('all'), 3);
});

test('an item that is refused refuses an atomic batch: nothing is made, and its index is told', async () => {
  const good = { type: 'export', correlationId: 'none' };
  for (const [bad, status, code, pointer] of [
    [{ type: 'nobody' }, 404, 'UNKNOWN_TYPE', null],
    [{ type: 'export', queue: '§' }, 400, 'VALIDATION_ERROR', '/jobs/1/queue'],
    [{ type: 'export', maxAttempts: 0 }, 400, 'VALIDATION_ERROR', '/jobs/1/maxAttempts'],
    [
      { type: 'export', delayMs: 1, runAt: '2030-01-01T00:00:00Z' },
      400,
      'VALIDATION_ERROR',
      '/jobs/1/delayMs',
    ],
  ] as const) {
    const answer = await api.post('/v1/jobs/batch', { jobs: [good, bad, good], atomic: true });
    const { errors, index } = answer.body;
    assert.deepEqual([answer.status, answer.body.code, index], [status, code, 1]);
    if (pointer !== null) assert.equal(errors[0].pointer, pointer);
  }
  assert.equal(await countOf('none'), 0);
});

test('in an atomic batch a job that is there by its key is an answer, another payload is not', async () => {
  const first = { type: 'export', input: 1, idempotencyKey: 'one' };
  const jobs = [first, { type: 'export', input: 2, correlationId: 'key' }];
  const made = await api.post('/v1/jobs/batch', { jobs: [first], atomic: true });
  const again = await api.post('/v1/jobs/batch', { jobs, atomic: true });
  assert.deepEqual(outcomes(again), ['replayed', 'created']);
  assert.equal(again.body.results[0].job.id, made.body.results[0].job.id);
  const other = { jobs: [jobs[1], { ...first, input: 3 }], atomic: true };
  const refused = await api.post('/v1/jobs/batch', other);
  assert.deepEqual([refused.status, refused.body.index], [409, 1]);
  assert.equal(await countOf('key'), 1);
});

test('[R28] a repeated atomic batch finds the jobs of the first time', async () => {
  const keyed = api.with({ 'idempotency-key': 'whole' });
  const body = { jobs: [{ type: 'export' }, { type: 'export' }], atomic: true };
  const [first, again] = [
    await keyed.post('/v1/jobs/batch', body),
    await keyed.post('/v1/jobs/batch', body),
  ];
  const ids = (answer: Answer) =>
    answer.body.results.map((one: { job: { id: string } }) => one.job.id);
  assert.deepEqual([ids(again), outcomes(again)], [ids(first), ['replayed', 'replayed']]);
});

test('a job can have a policy, a time and a limit key of its own', async () => {
  const asked = {
    type: 'export',
    delayMs: 60_000,
    deadlineMs: 120_000,
    maxAttempts: 7,
    backoff: { kind: 'fixed', baseMs: 10 },
    timeoutMs: 5_000,
    limitKey: 'customer 7',
  };
  const { body: job, status } = await api.post('/v1/jobs', asked);
  assert.equal(status, 202);
  const now = api.world.clock.now();
  assert.deepEqual([job.maxAttempts, job.limitKey], [7, 'customer 7']);
  assert.deepEqual(
    [Date.parse(job.runAt), Date.parse(job.deadlineAt)],
    [now + 60_000, now + 120_000],
  );
});

test('with `payloads` a job and a list say what jobs were given and gave', async () => {
  const { url, id, held } = await api.claimed('index');
  await api.post(`${url}/start`, held);
  await api.post(`${url}/heartbeat`, { ...held, checkpoint: { page: 3 } });
  const going = (await api.get(`${url}?payloads=true`)).body;
  assert.deepEqual([going.input, going.checkpoint, going.cancel], [null, { page: 3 }, null]);
  assert.ok(!('result' in going));
  await api.post(`${url}/complete`, { ...held, result: { pages: 9 } });
  const done = (await api.get(`${url}?payloads=true&waitMs=1000`)).body;
  assert.deepEqual(done.result, { pages: 9 });
  const { items } = (await api.get('/v1/jobs?type=index&payloads=true')).body;
  assert.deepEqual([items[0].id, items[0].result], [id, { pages: 9 }]);
  assert.ok(!('input' in (await api.get(url)).body));
  const large = await api.get('/v1/jobs?payloads=true&limit=101');
  assert.deepEqual([large.status, large.body.errors[0].pointer], [400, '/limit']);
});

test('one queue can be read, also one that nobody has used yet', async () => {
  await api.post('/v1/jobs', { type: 'export', queue: 'mail' });
  const { body: mail } = await api.get('/v1/queues/mail');
  assert.deepEqual([mail.name, mail.depth, mail.types], ['mail', 1, ['export']]);
  const { body: empty } = await api.get('/v1/queues/nobody');
  assert.deepEqual([empty.depth, empty.isPaused], [0, false]);
});
