// Who works: listed by what they say of themselves and by what they do.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, describe, test } from 'node:test';
import { ApiClient, RemoteSource } from 'pawl/client';
import { defineJob } from 'pawl/internal/handler/define-job';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { eventually } from '../support/eventually.ts';
import { jobWhen } from '../support/job-when.ts';
import { openLocked } from './auth-fixture.ts';
import { type Api, openApi } from './http-fixture.ts';
import { openStation } from './http-station.ts';

/** The list once it fits: calls that are noted do not wait until they are. */
async function listed(api: Api, isFit: (items: Listed[]) => boolean): Promise<Listed[]> {
  return eventually('the workers to be listed', async () => {
    const items = (await api.get('/v1/workers')).body.items as Listed[];
    return isFit(items) ? items : null;
  });
}

interface Listed {
  readonly id: string;
  readonly host: string | null;
  readonly pid: number | null;
  readonly types: string[];
  readonly slots: number | null;
  readonly busy: number;
  readonly leases: string[];
  readonly state: string;
}

describe('GET /v1/workers', () => {
  test('lists a worker that says nothing of itself, by its claims, with its jobs', async () => {
    const api = await openApi();
    after(() => api.close());
    const { id } = await api.claimed();
    const [worker] = await listed(api, ({ length }) => length === 1);
    const { types, busy, leases, state, host, slots } = worker!;
    assert.deepEqual(
      { types, busy, leases, state, host, slots },
      { types: ['export'], busy: 1, leases: [id], state: 'working', host: null, slots: null },
    );
    await api.post('/v1/claims', { workerId: 'w1', types: ['index'], max: 1 });
    const [more] = await listed(api, ([one]) => one!.types.length === 2);
    assert.deepEqual(more!.types, ['export', 'index']);
    api.world.clock.advance(30_001);
    assert.equal((await api.get('/v1/workers')).body.items[0].state, 'silent');
    api.world.clock.advance(300_000);
    assert.deepEqual((await api.get('/v1/workers')).body.items, []);
  });

  test('lists what a worker says of itself, until it says that it has stopped', async () => {
    const api = await openApi();
    after(() => api.close());
    const said = { types: ['export'], host: 'h1', pid: 7, version: '1.0.0', slots: 4 };
    assert.equal((await api.put('/v1/workers/w2', said)).status, 204);
    await api.put('/v1/workers/w1', { types: [] });
    await api.put('/v1/workers/w2', { ...said, state: 'draining' });
    const first = await api.get('/v1/workers?limit=1');
    assert.equal(first.body.items[0].id, 'w1');
    const next = await api.get(`/v1/workers?limit=1&cursor=${first.body.nextCursor}`);
    const { startedAt, lastBeatAt, isShared: _, isDrainAsked, ...worker } = next.body.items[0];
    assert.equal(isDrainAsked, false);
    assert.equal(startedAt, lastBeatAt);
    const expected = { id: 'w2', ...said, busy: 0, leases: [], state: 'draining' };
    assert.deepEqual(worker, expected);
    assert.equal(next.body.nextCursor, null);
    await api.put('/v1/workers/w2', { types: [], state: 'stopped' });
    assert.equal((await api.get('/v1/workers')).body.items.length, 1);
  });

  test('shows no tenant the workers and jobs of another', async () => {
    const { api, holder } = await openLocked();
    after(() => api.close());
    const acme = await holder({ tenant: 'acme' });
    const other = await holder({ tenant: 'other' });
    await acme.api.put('/v1/workers/canary', { types: [], host: 'canary-host' });
    assert.equal((await acme.api.get('/v1/workers')).body.items.length, 1);
    assert.deepEqual((await other.api.get('/v1/workers')).body.items, []);
  });

  test('shows where workers of the platform run to those who run it, and to no tenant', async () => {
    const { api, holder } = await openLocked();
    after(() => api.close());
    const near = openWorker({
      source: api.world.engine,
      jobs: [defineJob('near', { run: () => 1 })],
    });
    near.start();
    after(() => near.drain());
    const home = await holder({});
    const acme = await holder({ tenant: 'acme' });
    const [known] = await listed(home.api, (items) => items.some(({ host }) => host !== null));
    assert.equal(known!.pid, process.pid);
    const [hidden] = await listed(acme.api, (items) => items.length === 1);
    assert.deepEqual([hidden!.id, hidden!.host, hidden!.pid], [known!.id, null, null]);
    assert.ok(!hidden!.id.includes(hostname()) && !hidden!.id.includes(`:${process.pid}:`));
    const { body } = await acme.api.get(`/v1/workers/${hidden!.id}`);
    assert.deepEqual([body.host, body.pid], [null, null]);
  });

  test('lists the workers of a program and remote ones alike, and not once they left', async () => {
    const { api, url } = await openStation();
    const greet = defineJob('export', { run: () => null });
    const jobs = [greet];
    const near = openWorker({ source: api.world.engine, jobs, id: 'near', slots: 2 });
    const { connection } = new ApiClient({ url });
    const source = new RemoteSource({ connection });
    const far = openWorker({ source, jobs, id: 'far', slots: 3 });
    for (const worker of [near, far]) worker.start();
    const both = await listed(
      api,
      (items) => items.every((one) => one.slots !== null) && items.length === 2,
    );
    assert.deepEqual(
      both.map(({ id, slots, types }) => [id, slots, types]),
      [
        ['far', 3, ['export']],
        ['near', 2, ['export']],
      ],
    );
    assert.ok(both.every(({ host }) => host !== null));
    for (const worker of [near, far]) await worker.drain();
    assert.deepEqual((await api.get('/v1/workers')).body.items, []);
  });
});

test('a kept stage of a remote worker is one heartbeat, and two with more to say', async () => {
  const { api, url } = await openStation();
  const { id } = await api.claimed();
  const source = new RemoteSource({ connection: new ApiClient({ url }).connection });
  const ref = { tenant: 'default', id };
  const stageResult = { name: 'plan', result: '1' };
  const { owner, epoch } = await api.world.job(ref);
  const beat = { ref, owner: owner!, epoch, stageResult };
  const beats = async (): Promise<number> => {
    const { events } = await api.world.engine.events({
      ...ref,
      after: null,
      limit: 100,
      notes: true,
    });
    return events.filter(({ type }) => type === 'job_heartbeat').length;
  };
  const [kept] = await source.renew([beat]);
  const { leaseExpiry } = await api.world.job(ref);
  assert.equal(kept?.kind === 'renewed' && kept.leaseExpiry, leaseExpiry);
  assert.equal(await beats(), 1);
  await source.renew([{ ...beat, progress: 50 }]);
  assert.equal(await beats(), 3);
});

test('[P2, T31] a job that was won for a client that has gone meanwhile is given back at once', async () => {
  const { api, url } = await openStation();
  const { engine } = api.world;
  const closed = Promise.withResolvers<void>();
  api.app.server.once('connection', (socket) => socket.once('close', closed.resolve));
  const gone = new AbortController();
  const claim = engine.claim.bind(engine);
  engine.claim = async (options) => {
    const won = await claim(options);
    gone.abort();
    await closed.promise;
    return won;
  };
  const { body: job } = await api.post('/v1/jobs', { type: 'export' });
  const body = JSON.stringify({ workerId: 'w1', types: ['export'], max: 1 });
  const headers = { 'content-type': 'application/json' };
  const asked = fetch(`${url}/v1/claims`, { method: 'POST', body, headers, signal: gone.signal });
  await assert.rejects(asked, { name: 'AbortError' });
  engine.claim = claim;
  const ref = { tenant: 'default', id: job.id as string };
  await jobWhen(engine, ref, ({ owner }) => owner === null);
  const { attempts } = await api.world.claimOne('w2', 'export').then((next) => next.job);
  assert.equal(attempts, 1);
});

describe('one worker', () => {
  test('is shown with the jobs that it has in flight', async () => {
    const api = await openApi();
    after(() => api.close());
    const { id } = await api.claimed();
    await listed(api, ({ length }) => length === 1);
    const { body } = await api.get('/v1/workers/w1');
    assert.deepEqual(
      body.jobs.map((job: { id: string; type: string }) => [job.id, job.type]),
      [[id, 'export']],
    );
    assert.equal((await api.get('/v1/workers/w9')).status, 404);
  });

  test('is asked to drain, hears of it with its next sign, and is told nothing once it has left', async () => {
    const api = await openApi();
    after(() => api.close());
    await api.claimed();
    await listed(api, ({ length }) => length === 1);
    const silent = await api.post('/v1/workers/w1/drain', {});
    assert.equal(silent.status, 409);
    assert.match(silent.body.detail, /does not announce itself.*stop its process/);
    const sign = { types: ['export'] };
    await api.put('/v1/workers/w2', sign);
    const asked = await api.post('/v1/workers/w2/drain', {});
    assert.deepEqual([asked.status, asked.body.isDrainAsked], [202, true]);
    const told = await api.put('/v1/workers/w2', sign);
    assert.deepEqual([told.status, told.body], [200, { isDrainAsked: true }]);
    await api.put('/v1/workers/w2', { ...sign, state: 'stopped' });
    assert.equal((await api.put('/v1/workers/w2', sign)).status, 204);
    const { body: audit } = await api.get('/v1/audit');
    assert.deepEqual(
      audit.items.map(({ action, subject }: { action: string; subject: string }) => [
        action,
        subject,
      ]),
      [['worker.drain_asked', 'w2']],
    );
  });

  test('of everybody is drained by those who run the platform only', async () => {
    const { api, holder } = await openLocked();
    after(() => api.close());
    const sign = { tenant: null, id: 'shared', host: null, pid: null, version: null, slots: null };
    const types = { types: ['export'], state: 'working', isAnnounced: true } as const;
    await api.world.engine.announce([{ ...sign, ...types }]);
    const other = (await holder({ tenant: 'rival', roles: ['operator'] })).api;
    assert.equal((await other.post('/v1/workers/shared/drain', {})).status, 403);
    const home = (await holder({ roles: ['operator'] })).api;
    assert.equal((await home.post('/v1/workers/shared/drain', {})).status, 202);
  });
});
