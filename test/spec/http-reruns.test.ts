// What has ended can be run again over HTTP, and what ended badly is found by its cause.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Api, openApi } from './http-fixture.ts';

interface Cause {
  readonly fingerprint: string;
  readonly type: string;
  readonly count: number;
  readonly deadLetters: number;
}

/** A job of the type that has failed for good. */
async function failed(api: Api, message: string, more: object = {}): Promise<string> {
  // Newest first is by the moment of their ids.
  api.world.clock.advance(1);
  const { url, id, held } = await api.claimed();
  const error = { class: 'PermanentError', message };
  const { status } = await api.post(`${url}/fail`, { ...held, error, ...more });
  assert.equal(status, 200);
  return id;
}

async function ended(api: Api, body: object): Promise<string> {
  const { body: job } = await api.post('/v1/jobs', { type: 'export', ...body });
  await api.post(`/v1/jobs/${job.id}/cancel`);
  return job.id;
}

function statuses({ body }: Answer): number[] {
  return body.results.map((one: { status: number }) => one.status);
}

test('an ended job is run again as a new one that names it as its parent', async () => {
  const api = await openApi();
  const like = { queue: 'bulk', priority: 7, documentId: 'd-1', correlationId: 'c-1' };
  const id = await ended(api, { input: { n: 1 }, metadata: { a: 1 }, ...like });
  const again = await api.post(`/v1/jobs/${id}/rerun`);
  assert.equal(again.status, 202);
  assert.equal(again.headers['location'], `/v1/jobs/${again.body.id}`);
  const { parentJobId, parentKind, metadata, links, ...job } = again.body;
  assert.deepEqual([parentJobId, parentKind, metadata], [id, 'rerun', { a: 1 }]);
  assert.equal(links.parent, `/v1/jobs/${id}`);
  for (const [name, value] of Object.entries(like)) assert.equal(job[name], value, name);
  assert.deepEqual((await api.get(`/v1/jobs/${job.id}/input`)).body, { n: 1 });
  const edited = await api.post(`/v1/jobs/${id}/rerun`, { input: { n: 2 } });
  assert.deepEqual((await api.get(`/v1/jobs/${edited.body.id}/input`)).body, { n: 2 });
  await api.close();
});

test('a job that goes on is not run again, nor one that is not there', async () => {
  const api = await openApi();
  const { url } = await api.claimed();
  const early = await api.post(`${url}/rerun`);
  assert.deepEqual([early.status, early.body.code], [409, 'NOT_FINISHED']);
  const nobody = await api.post('/v1/jobs/019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e/rerun');
  assert.deepEqual([nobody.status, nobody.body.code], [404, 'NOT_FOUND']);
  await api.close();
});

test('[R28] a rerun with a key makes one job, and with another input it is refused', async () => {
  const api = await openApi();
  const id = await ended(api, { input: 1 });
  const keyed = api.with({ 'idempotency-key': 'again' });
  const first = await keyed.post(`/v1/jobs/${id}/rerun`);
  const repeat = await keyed.post(`/v1/jobs/${id}/rerun`);
  assert.deepEqual([first.status, repeat.status, repeat.body.id], [202, 200, first.body.id]);
  assert.equal(repeat.headers['idempotency-replayed'], 'true');
  const other = await keyed.post(`/v1/jobs/${id}/rerun`, { input: 2 });
  assert.deepEqual([other.status, other.body.code], [409, 'IDEMPOTENCY_CONFLICT']);
  await api.close();
});

test('failures are grouped by cause, the latest first, page after page', async () => {
  const api = await openApi();
  const seen: string[] = [];
  for (const message of ['no page 1', 'no page 2', 'no disk', 'no "mail"']) {
    api.world.clock.advance(1_000);
    seen.push(await failed(api, message));
  }
  const { body } = await api.get('/v1/failures');
  const causes = body.items as Cause[];
  assert.deepEqual(
    causes.map(({ type, count, deadLetters }) => [type, count, deadLetters]),
    [
      ['export', 1, 0],
      ['export', 1, 0],
      ['export', 2, 0],
    ],
  );
  const { class: errorClass, code, message, jobId, firstSeen, lastSeen } = body.items[2];
  assert.deepEqual(
    [errorClass, code, message, jobId],
    ['PermanentError', 'EXPORT_PERMANENT_ERROR', 'no page 2', seen[1]],
  );
  assert.equal(Date.parse(lastSeen) - Date.parse(firstSeen), 1_001);
  const pages: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body: page } = await api.get(`/v1/failures?limit=1${from}`);
    pages.push(...page.items.map((one: Cause) => one.fingerprint));
    cursor = page.nextCursor;
  }
  assert.deepEqual(
    pages,
    causes.map(({ fingerprint }) => fingerprint),
  );
  const bad = await api.get('/v1/failures?cursor=x');
  assert.deepEqual([bad.status, bad.body.errors[0].pointer], [400, '/cursor']);
  await api.close();
});

test('the jobs of a cause are listed, those with a dead letter too', async () => {
  const api = await openApi();
  await api.put('/v1/types/export', { lifecycle: 'task', dlq: 'failed' });
  const [one, two] = [await failed(api, 'no page 1'), await failed(api, 'no page 2')];
  await failed(api, 'no disk');
  const { body } = await api.get('/v1/failures?type=export');
  const cause = (body.items as Cause[]).find(({ count }) => count === 2)!;
  assert.equal(cause.deadLetters, 2);
  const url = `/v1/failures/jobs?fingerprint=${cause.fingerprint}`;
  const jobs = await api.get(url);
  assert.deepEqual(
    jobs.body.items.map(({ id }: { id: string }) => id),
    [two, one],
  );
  const first = await api.get(`${url}&limit=1`);
  const rest = await api.get(`${url}&limit=1&cursor=${first.body.nextCursor}`);
  assert.deepEqual([first.body.items[0].id, rest.body.items[0].id], [two, one]);
  assert.deepEqual((await api.get('/v1/failures?type=index')).body.items, []);
  const later = new Date(api.world.clock.now() + 1_000).toISOString();
  assert.deepEqual((await api.get(`/v1/failures?createdFrom=${later}`)).body.items, []);
  await api.close();
});

test('many are run again by a filter, once; by their ids as often as somebody asks', async () => {
  const api = await openApi();
  const ids = [await failed(api, 'no page 1'), await failed(api, 'no page 2')];
  await failed(api, 'no disk');
  const { body } = await api.get('/v1/failures');
  const { fingerprint } = (body.items as Cause[]).find(({ count }) => count === 2)!;
  const filter = { fingerprint };
  const one = await api.post('/v1/jobs/rerun', { filter, limit: 1 });
  assert.deepEqual([statuses(one), one.body.hasMore], [[202], true]);
  const { nextCursor } = one.body;
  const more = await api.post('/v1/jobs/rerun', { filter, cursor: nextCursor });
  assert.deepEqual([statuses(more), more.body.hasMore], [[202], false]);
  const parents = [one, more].map(({ body: done }) => done.results[0].job.parentJobId);
  assert.deepEqual(parents, ids.toReversed());
  const none = await api.post('/v1/jobs/rerun', { filter });
  assert.deepEqual(none.body, { results: [], hasMore: false, nextCursor: null });
  const { id: open } = (await api.post('/v1/jobs', { type: 'index' })).body;
  const named = await api.post('/v1/jobs/rerun', { ids: [...ids, ids[0], open] });
  assert.deepEqual(statuses(named), [202, 202, 409]);
  const keyed = api.with({ 'idempotency-key': 'bulk' });
  const [first, repeat] = [
    await keyed.post('/v1/jobs/rerun', { ids }),
    await keyed.post('/v1/jobs/rerun', { ids }),
  ];
  assert.deepEqual(
    [statuses(first), statuses(repeat)],
    [
      [202, 202],
      [200, 200],
    ],
  );
  await api.close();
});

test('a bulk rerun takes ids or a filter that says something, of jobs that have ended', async () => {
  const api = await openApi();
  const succeeded = { type: 'export', phase: 'succeeded' };
  const { url, held } = await api.claimed();
  await api.post(`${url}/complete`, held);
  assert.deepEqual(statuses(await api.post('/v1/jobs/rerun', { filter: succeeded })), [202]);
  for (const body of [{}, { filter: {} }, { ids: [], filter: succeeded }, { ids: [] }]) {
    assert.equal((await api.post('/v1/jobs/rerun', body)).status, 400, JSON.stringify(body));
  }
  const live = await api.post('/v1/jobs/rerun', { filter: { phase: 'ready' } });
  assert.deepEqual([live.status, live.body.errors[0].pointer], [400, '/filter/phase']);
  await api.close();
});

test('reruns are told to the audit log', async () => {
  const api = await openApi();
  const id = await failed(api, 'no disk');
  await api.post(`/v1/jobs/${id}/rerun`);
  await api.post('/v1/jobs/rerun', { ids: [id] });
  const { body } = await api.get('/v1/audit');
  const told = body.items.map(({ action, subject }: { action: string; subject: string }) => {
    return `${action} ${subject}`;
  });
  assert.deepEqual(told.slice(0, 2), [`jobs.rerun /v1/jobs/rerun`, `job.rerun ${id}`]);
  await api.close();
});
