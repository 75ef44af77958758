// The list of jobs with its filters and pages, and the end that a client can put to a job.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defineJob } from 'pawl/internal/handler/define-job';
import { platform } from 'pawl/internal/lifecycles/platform';
import { fits, type Query, readJobFilter } from '../src/server/job-filter.ts';
import type { StatusInfo } from '../src/model/status-info.ts';
import { jobWhen } from '../../../test/support/job-when.ts';
import { openOgcServer, type OgcServer, pathOf } from './server-fixture.ts';

const ECHO = { inputs: { message: 'hello' } };
const ASYNC = { prefer: 'respond-async' };
const CREATED = '2026-03-01T12:00:00.000Z';

function jobOf(more: Partial<StatusInfo> = {}): StatusInfo {
  return { jobID: 'j', type: 'process', processID: 'echo', status: 'successful', ...more };
}

const done = jobOf({
  created: CREATED,
  started: '2026-03-01T12:00:10.000Z',
  finished: '2026-03-01T12:00:40.000Z',
});
const running = jobOf({ status: 'running', created: CREATED, started: '2026-03-01T12:00:30.000Z' });
const accepted = jobOf({ status: 'accepted', created: CREATED });
const NOW = Date.parse('2026-03-01T12:01:00.000Z');

test('filters of the list: type, processID, status, datetime and durations', () => {
  const rows: [Query, StatusInfo, boolean][] = [
    [{}, done, true],
    [{ type: 'process' }, done, true],
    [{ type: 'other' }, done, false],
    [{ processID: 'echo' }, done, true],
    [{ processID: ['sum', 'echo'] }, done, true],
    [{ processID: 'sum,echo' }, done, true],
    [{ processID: 'sum' }, done, false],
    [{ status: 'successful,failed' }, done, true],
    [{ status: ['failed', 'dismissed'] }, done, false],
    [{ datetime: CREATED }, done, true],
    [{ datetime: '2026-03-01T12:00:00Z' }, done, true],
    [{ datetime: '2026-03-01' }, done, true],
    [{ datetime: '2026-03-02' }, done, false],
    [{ datetime: '2026-03-01/2026-03-01' }, done, true],
    [{ datetime: '2026-03-01T11:00:00Z/..' }, done, true],
    [{ datetime: '2026-03-01T11:00:00Z/' }, done, true],
    [{ datetime: '../2026-03-01T11:59:59Z' }, done, false],
    [{ datetime: '/2026-03-01T12:00:00Z' }, done, true],
    [{ datetime: '2026-03-01T12:00:01Z/..' }, done, false],
    [{ minDuration: '30' }, done, true],
    [{ minDuration: '31' }, done, false],
    [{ maxDuration: '30' }, done, true],
    [{ maxDuration: '29.9' }, done, false],
    [{ minDuration: '30', maxDuration: '30' }, running, true],
    [{ minDuration: '31' }, running, false],
    [{ minDuration: '0' }, accepted, false],
    [{ minDuration: '0' }, { ...accepted, started: CREATED, finished: CREATED }, false],
    [{ maxDuration: '999', status: 'accepted' }, accepted, false],
    [{ unknown: 'parameter' }, done, true],
  ];
  for (const [query, job, expected] of rows) {
    assert.equal(fits(job, readJobFilter(query), NOW), expected, JSON.stringify(query));
  }
});

test('a filter that cannot be meant is refused by name', () => {
  const rows: [Query, RegExp][] = [
    [{ limit: '0' }, /\/limit/],
    [{ limit: 'ten' }, /\/limit/],
    [{ status: 'finished' }, /\/status/],
    [{ datetime: 'yesterday' }, /\/datetime/],
    [{ datetime: '2026-01-01/2026-01-02/2026-01-03' }, /\/datetime/],
    [{ minDuration: '-1' }, /\/minDuration/],
    [{ maxDuration: 'long' }, /\/maxDuration/],
    [{ cursor: 'x' }, /\/cursor/],
  ];
  for (const [query, message] of rows) {
    assert.throws(() => readJobFilter(query), { code: 'VALIDATION_ERROR', message });
  }
});

const shown = defineJob('shown', { expose: true, run: () => ({}) });
const hidden = defineJob('hidden', { run: () => ({}) });

async function begin(server: OgcServer, id = 'echo'): Promise<string> {
  const inputs = id === 'echo' ? { message: 'x' } : {};
  const { json } = await server.post(`/processes/${id}/execution`, { inputs }, ASYNC);
  return json.jobID as string;
}

test('the list holds executions alone, newest first, page by page without a gap', async () => {
  const server = await openOgcServer({ jobs: [shown, hidden], isWorking: false });
  const caller = { tenant: 'default', principal: null };
  const ids: string[] = [];
  for (let number = 0; number < 7; number++) {
    ids.unshift(await begin(server, number === 3 ? 'shown' : 'echo'));
    await server.engine.enqueue([{ type: 'hidden' }], { caller });
  }
  const seen: string[] = [];
  let path: string | null = '/jobs?limit=3';
  const sizes: number[] = [];
  while (path !== null) {
    const { json } = await server.get(path);
    sizes.push(json.jobs.length);
    seen.push(...json.jobs.map(({ jobID }: StatusInfo) => jobID));
    const next = json.links.find(({ rel }: { rel: string }) => rel === 'next');
    path = next === undefined ? null : pathOf(server, next.href);
  }
  assert.deepEqual(seen.toSorted(), ids.toSorted());
  assert.deepEqual(sizes.slice(0, 2), [3, 3]);
  const usual = await server.get('/jobs');
  assert.equal(usual.json.jobs.length, 7);
  const one = await server.get('/jobs?processID=shown&status=accepted&status=running&limit=5');
  assert.deepEqual(
    one.json.jobs.map(({ processID }: StatusInfo) => processID),
    ['shown'],
  );
  assert.match(one.json.links[0].href, /processID=shown&status=accepted&status=running&limit=5$/);
});

test('a job that is no execution is none to this API, and a bad filter is 400 in JSON', async () => {
  const server = await openOgcServer({ jobs: [hidden], isWorking: false });
  const caller = { tenant: 'default', principal: null };
  const [made] = await server.engine.enqueue([{ type: 'hidden' }], { caller });
  assert.equal(made!.kind, 'created');
  const { id } = (made as { job: { id: string } }).job;
  for (const path of [`/jobs/${id}`, `/jobs/${id}/results`]) {
    const answer = await server.get(path);
    assert.equal(answer.status, 404);
    assert.match(answer.json.type, /no-such-job$/);
  }
  const bad = await server.get('/jobs?limit=0');
  assert.equal(bad.status, 400);
  assert.match(bad.headers.get('content-type')!, /^application\/json/);
});

test('dismiss ends a job that nobody works on at once, and says so again when asked again', async () => {
  const server = await openOgcServer({ isWorking: false });
  const path = `/jobs/${await begin(server)}`;
  const { status, json } = await server.call('DELETE', path);
  assert.equal(status, 200);
  assert.equal(json.status, 'dismissed');
  assert.equal(json.type, 'process');
  const results = await server.get(`${path}/results`);
  assert.equal(results.status, 410);
  const unknown = await server.call('DELETE', '/jobs/00000000-0000-7000-8000-000000000000');
  assert.equal(unknown.status, 404);
  assert.match(unknown.json.type, /no-such-job$/);
});

test('dismiss stops a handler that is at work', async () => {
  const stopped = Promise.withResolvers<void>();
  const endless = defineJob('endless', {
    expose: true,
    lease: { heartbeat: '1s', ttl: '30s' },
    run: ({ signal }) =>
      new Promise((_done, stop) => {
        signal.addEventListener('abort', () => {
          stopped.resolve();
          stop(signal.reason as Error);
        });
      }),
  });
  const server = await openOgcServer({ jobs: [endless] });
  const id = await begin(server, 'endless');
  await jobWhen(server.engine, { tenant: 'default', id }, ({ phase }) => phase === 'executing');
  const path = `/jobs/${id}`;
  const { status, json } = await server.call('DELETE', path);
  assert.equal(status, 200);
  assert.equal(json.status, 'dismissed');
  await stopped.promise;
});

test('a job that cannot be cancelled is not dismissed: 409', async () => {
  const stubborn = defineJob('stubborn', {
    lifecycle: platform,
    expose: true,
    run: () => ({}),
  });
  const server = await openOgcServer({ jobs: [stubborn], isWorking: false });
  const options = (await server.get('/processes/stubborn')).json.jobControlOptions;
  assert.deepEqual(options, ['sync-execute', 'async-execute']);
  const refused = await server.call('DELETE', `/jobs/${await begin(server, 'stubborn')}`);
  assert.equal(refused.status, 409);
});

describe('DELETE of a job that has ended', () => {
  test('removes it: status, results and list know it no more', async () => {
    const server = await openOgcServer();
    const ids = [await begin(server), await begin(server)];
    for (const id of ids) await jobWhen(server.engine, { tenant: 'default', id });
    const path = `/jobs/${ids[0]}`;
    const removed = await server.call('DELETE', path);
    assert.deepEqual([removed.status, removed.json.status], [200, 'dismissed']);
    for (const gone of [path, `${path}/results`]) {
      const answer = await server.get(gone);
      assert.equal(answer.status, 404);
      assert.match(answer.json.type, /no-such-job$/);
    }
    assert.equal((await server.call('DELETE', path)).status, 404);
    const { jobs } = (await server.get('/jobs')).json;
    assert.deepEqual(
      jobs.map(({ jobID }: { jobID: string }) => jobID),
      [ids[1]],
    );
  });

  test('takes the scope of erasing; without it a repeated dismissal changes nothing', async () => {
    const server = await openOgcServer({ isLocked: true, isWorking: false });
    const operator = await server.key('one', { roles: ['operator'] });
    const begun = await server.post('/processes/echo/execution', ECHO, {
      ...ASYNC,
      ...(await server.key('one')),
    });
    const path = `/jobs/${begun.json.jobID}`;
    for (const time of ['first', 'second']) {
      const { status, json } = await server.call('DELETE', path, operator);
      assert.deepEqual([status, json.status], [200, 'dismissed'], time);
    }
    assert.equal((await server.get(path, operator)).status, 200);
    assert.equal((await server.call('DELETE', path, await server.key('one'))).status, 200);
    assert.equal((await server.get(path, operator)).status, 404);
  });
});
