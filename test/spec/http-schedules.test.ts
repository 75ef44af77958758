// Schedules, unique jobs and erasure over HTTP.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openLocked } from './auth-fixture.ts';
import { openApi } from './http-fixture.ts';

const api = await openApi();
after(() => api.close());

const HOURLY = { kind: 'interval', everyMs: 3_600_000 } as const;
const job = { type: 'export', input: { period: 'hour' } };

describe('/v1/schedules', () => {
  test('a schedule is made, read, changed, listed and taken away', async () => {
    const rule = { kind: 'cron', expression: '0 3 * * *', timeZone: 'Europe/Berlin' };
    const made = await api.put('/v1/schedules/nightly', { rule, job });
    assert.deepEqual([made.status, made.body.rule, made.body.next.length], [201, rule, 5]);
    const read = await api.get('/v1/schedules/nightly');
    assert.deepEqual(read.body, made.body);
    const changed = await api.put('/v1/schedules/nightly', { rule: HOURLY, job });
    assert.equal(changed.status, 200);
    assert.deepEqual(changed.body.missed, { policy: 'once', graceMs: 60_000, max: 100 });
    const [first, second] = changed.body.next.map((time: string) => Date.parse(time));
    assert.equal(second - first, 3_600_000);
    await api.put('/v1/schedules/another', { rule: HOURLY, job });
    const page = await api.get('/v1/schedules?limit=1');
    assert.deepEqual([page.body.items[0].name, page.body.nextCursor], ['another', 'another']);
    const rest = await api.get('/v1/schedules?limit=1&cursor=another');
    assert.deepEqual([rest.body.items[0].name, rest.body.nextCursor], ['nightly', null]);
    assert.equal((await api.call('DELETE', '/v1/schedules/nightly')).status, 204);
    assert.equal((await api.call('DELETE', '/v1/schedules/nightly')).status, 404);
    assert.equal((await api.get('/v1/schedules/nightly')).status, 404);
  });

  test('a new one under a name that is taken is refused, unless it is the same', async () => {
    const asked = { name: 'new', rule: { ...HOURLY, startAt: '2027-01-01T00:00:00.000Z' }, job };
    const made = await api.post('/v1/schedules', asked);
    assert.deepEqual([made.status, made.headers['location']], [201, '/v1/schedules/new']);
    const again = await api.post('/v1/schedules', asked);
    assert.deepEqual([again.status, again.body], [200, made.body]);
    const other = await api.post('/v1/schedules', { ...asked, job: { type: 'index' } });
    assert.deepEqual([other.status, other.body.code], [409, 'ALREADY_EXISTS']);
  });

  test('what cannot be meant is told by its place', async () => {
    for (const [body, pointer] of [
      [{ rule: { kind: 'cron', expression: 'x' }, job }, '/rule/expression'],
      [
        { rule: { kind: 'cron', expression: '0 3 * * *', timeZone: 'Mars' }, job },
        '/rule/timeZone',
      ],
      [{ rule: { kind: 'interval', everyMs: 5 }, job }, '/rule/everyMs'],
      [{ rule: { kind: 'once', at: 'soon' }, job }, '/rule/at'],
      [{ rule: HOURLY, job: { type: 'export', runAt: '2027-01-01T00:00:00Z' } }, '/job/runAt'],
    ] as const) {
      const { status, body: problem } = await api.put('/v1/schedules/bad', body);
      assert.deepEqual([status, problem.errors[0].pointer], [400, pointer]);
    }
  });

  test('a slot makes a job, and a pause none; the history tells of both', async () => {
    const { world } = api;
    const url = '/v1/schedules/turns';
    await api.put(url, { rule: { kind: 'interval', everyMs: 1_000 }, job });
    world.advance(1_000);
    await world.engine.sweepSchedules();
    const paused = await api.post(`${url}/pause`);
    assert.deepEqual([paused.body.isPaused, paused.body.next], [true, []]);
    world.advance(5_000);
    await world.engine.sweepSchedules();
    const run = await api.with({ 'idempotency-key': 'k1' }).post(`${url}/run`);
    assert.deepEqual([run.status, run.body.result, run.body.isManual], [202, 'created', true]);
    assert.equal(run.headers['location'], `/v1/jobs/${run.body.jobId}`);
    world.advance(1);
    const again = await api.with({ 'idempotency-key': 'k1' }).post(`${url}/run`);
    assert.deepEqual([again.status, again.body.jobId], [200, run.body.jobId]);
    const resumed = await api.post(`${url}/resume`);
    assert.deepEqual([resumed.body.isPaused, resumed.body.next.length], [false, 5]);
    const { body: history } = await api.get(`${url}/history?limit=2`);
    const { body: older } = await api.get(`${url}/history?cursor=${history.nextCursor}`);
    const told = [...history.items, ...older.items].map((fire) => [fire.result, fire.isManual]);
    assert.deepEqual(told, [
      ['joined', true],
      ['created', true],
      ['created', false],
    ]);
    const fired = await api.get(`/v1/jobs/${older.items[0].jobId}`);
    assert.equal(fired.body.metadata.schedule.name, 'turns');
  });
});

describe('unique in POST /v1/jobs', () => {
  test('the answer says which job stands for the wish, and how', async () => {
    const send = async (unique: object, input: unknown) => {
      const answer = await api.post('/v1/jobs', { type: 'export', input, unique });
      return [answer.status, answer.headers['pawl-outcome'], answer.body.id] as const;
    };
    for (const [unique, outcome] of [
      [{ mode: 'throttle', key: 'a', windowMs: 1_000 }, 'throttled'],
      [{ mode: 'debounce', key: 'b', windowMs: 1_000 }, 'debounced'],
      [{ mode: 'replace', key: 'c' }, 'replaced'],
    ] as const) {
      const [status, how, id] = await send(unique, 1);
      assert.deepEqual([status, how], [202, 'created']);
      assert.deepEqual(await send(unique, 2), [200, outcome, id]);
      const { body } = await api.post('/v1/jobs/batch', { jobs: [{ type: 'export', unique }] });
      assert.deepEqual([body.results[0].outcome, body.results[0].job.id], [outcome, id]);
    }
  });

  test('a window where none is known, or none where one is needed, is refused', async () => {
    const faults = async (unique: object): Promise<string[]> => {
      const { status, body } = await api.post('/v1/jobs', { type: 'export', unique });
      assert.equal(status, 400);
      return body.errors.map((fault: { pointer: string }) => fault.pointer);
    };
    assert.deepEqual(await faults({ mode: 'throttle', key: 'a' }), ['/unique/windowMs']);
    assert.deepEqual(await faults({ mode: 'replace', key: 'a', windowMs: 1 }), [
      '/unique/windowMs',
    ]);
    const short = { mode: 'debounce', key: 'a', windowMs: 10, maxWaitMs: 5 };
    assert.deepEqual(await faults(short), ['/unique/maxWaitMs']);
  });
});

describe('POST /v1/jobs/{id}/erase', () => {
  test('what was said is gone, what happened stays, and it is told who did it', async () => {
    const { api: locked, holder } = await openLocked();
    after(() => locked.close());
    const { api: admin } = await holder({ name: 'root' });
    const { api: operator } = await holder({ name: 'ops', roles: ['operator'] });
    const { body: accepted } = await admin.post('/v1/jobs', { type: 'export', input: 'canary-1' });
    const early = await admin.post(`/v1/jobs/${accepted.id}/erase`);
    assert.deepEqual([early.status, early.body.code], [409, 'NOT_FINISHED']);
    await admin.post(`/v1/jobs/${accepted.id}/cancel`, { reason: 'no longer needed' });
    assert.equal((await operator.post(`/v1/jobs/${accepted.id}/erase`)).status, 403);
    locked.world.advance(1);
    const erased = await admin.post(`/v1/jobs/${accepted.id}/erase`);
    assert.deepEqual([erased.status, erased.body.state], [200, 'canceled']);
    const again = await admin.post(`/v1/jobs/${accepted.id}/erase`);
    assert.deepEqual([again.status, again.body.version], [200, erased.body.version]);
    const { body: history } = await admin.get(`/v1/jobs/${accepted.id}/events`);
    const types = history.items.map((event: { type: string }) => event.type);
    assert.deepEqual(types, ['job_created', 'job_cancelled', 'job_erased']);
    assert.ok(!JSON.stringify([history, erased.body]).includes('canary'));
    const { body: audit } = await admin.get('/v1/audit?limit=1');
    const { actor, action, subject } = audit.items[0];
    assert.deepEqual([actor, action, subject], ['api:root', 'job.erased', accepted.id]);
  });
});
