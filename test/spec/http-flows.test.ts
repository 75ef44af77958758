// Waiting over HTTP: the worker protocol by hand, and a worker of this package behind it.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ApiClient, RemoteArtifacts, RemoteSource } from '../../src/client/client.ts';
import { registrationOf } from '../../src/client/registration.ts';
import { largeSource } from '../../src/engine/by-reference.ts';
import { systemTimers } from '../../src/core/timers.ts';
import { FlowFollower } from '../../src/engine/flows/flow-follower.ts';
import { defineJob, item, typed } from '../../src/index.ts';
import { ManualTimers } from '../../src/testing/manual-timers.ts';
import { openWorker } from '../../src/worker/open-worker.ts';
import { openLocked } from './auth-fixture.ts';
import { type Api, openApi } from './http-fixture.ts';
import { openStation } from './http-station.ts';

async function opened(): Promise<Api> {
  const api = await openApi();
  after(() => api.close());
  return api;
}

/** Everything that the log says was looked at. */
async function settled({ world }: Api): Promise<void> {
  await new FlowFollower(world.context, { timers: new ManualTimers(world.clock) }).runOnce();
}

async function claim(api: Api, type = 'export', requestId?: string) {
  const asked = { workerId: 'w1', types: [type], max: 10, requestId };
  const { body } = await api.post('/v1/claims', asked);
  return (body.jobs as { job: { id: string }; epoch: number }[]).map(({ job, epoch }) => ({
    id: job.id,
    url: `/v1/jobs/${job.id}`,
    held: { workerId: 'w1', epoch },
  }));
}

const CHILDREN = [
  { key: 'a', type: 'index', input: 1 },
  { key: 'b', type: 'index', input: 2 },
];

describe('the worker protocol', () => {
  test('spawns children, suspends the job, and gives it back with their results', async () => {
    const api = await opened();
    const { url, id, held } = await api.claimed();
    const spawn = { ...held, wait: 'parts', items: CHILDREN, onFailure: 'collect' };
    const { body: spawned } = await api.post(`${url}/children`, spawn);
    assert.equal(spawned.ids.length, 2);
    assert.deepEqual((await api.post(`${url}/children`, spawn)).body, spawned);
    const waits = [{ name: 'parts', kind: 'children' }];
    const first = await api.post(`${url}/await`, { ...held, waits });
    assert.deepEqual(first.body, { suspended: true, waits: [{ name: 'parts', state: 'open' }] });
    assert.equal((await api.post(`${url}/await`, { ...held, waits })).status, 409);
    const [one, other] = await claim(api, 'index');
    for (const child of [one, other]) await api.post(`${child!.url}/start`, child!.held);
    await api.post(`${one!.url}/complete`, { ...one!.held, result: { n: 1 } });
    const error = { class: 'PermanentError', message: 'no' };
    await api.post(`${other!.url}/fail`, { ...other!.held, error });
    await settled(api);
    const asked = { workerId: 'w1', types: ['export'], max: 1, requestId: 'again' };
    const { waits: told } = (await api.post('/v1/claims', asked)).body.jobs[0];
    assert.deepEqual([told[0].name, told[0].value.counts.failed], ['parts', 1]);
    const [again] = await claim(api, 'export', 'again');
    assert.equal(again!.id, id);
    const { body } = await api.post(`${url}/await`, { ...again!.held, waits });
    assert.equal(body.suspended, false);
    const { counts, results, isAll } = body.waits[0].value;
    assert.deepEqual([counts, isAll], [{ total: 2, succeeded: 1, failed: 1 }, true]);
    assert.deepEqual(results[0], { key: 'a', id: spawned.ids[0], ok: true, result: { n: 1 } });
    assert.deepEqual([results[1].ok, results[1].error.message], [false, 'no']);
    const page = await api.post(`${url}/waits/parts/results`, { ...again!.held, limit: 1 });
    assert.deepEqual([page.body.results.length, page.body.next !== null], [1, true]);
    const read = await api.get(`${url}/waits/parts/results?limit=1`);
    assert.deepEqual(read.body.items, page.body.results);
  });

  test('refuses children of two types, and a kept name with another input', async () => {
    const api = await opened();
    const { url, held } = await api.claimed();
    const mixed = [CHILDREN[0], { ...CHILDREN[1], type: 'export' }];
    const two = await api.post(`${url}/children`, { ...held, wait: 'parts', items: mixed });
    assert.deepEqual([two.status, two.body.errors[0].pointer], [400, '/items/1/type']);
    await api.post(`${url}/children`, { ...held, wait: 'parts', items: CHILDREN });
    const changed = CHILDREN.map((child) => ({ ...child, input: 'other' }));
    const refused = await api.post(`${url}/children`, { ...held, wait: 'parts', items: changed });
    assert.deepEqual([refused.status, refused.body.code], [409, 'WAIT_CHANGED']);
  });

  test('asks without ending the turn, and suspends afterwards', async () => {
    const api = await opened();
    const { url, held } = await api.claimed();
    const waits = [
      {
        name: 'answer',
        kind: 'first',
        members: [
          { key: 'said', wait: { name: 'said', kind: 'message', message: 'approve' } },
          { key: 'late', wait: { name: 'late', kind: 'time', delayMs: 60_000 } },
        ],
      },
    ];
    const asked = await api.post(`${url}/await`, { ...held, waits, suspend: false });
    assert.deepEqual(asked.body, { suspended: false, waits: [{ name: 'answer', state: 'open' }] });
    const { body: job } = await api.post(`${url}/suspend`, { ...held, waits: ['answer'] });
    assert.equal(job.lease, null);
    const sent = await api.post(`${url}/messages`, {
      name: 'approve',
      payload: { by: 1 },
      key: 'k',
    });
    assert.deepEqual([sent.status, sent.body.isNew], [202, true]);
    const twice = await api.post(`${url}/messages`, { name: 'approve', payload: null, key: 'k' });
    assert.deepEqual(twice.body, { id: sent.body.id, isNew: false });
    await settled(api);
    const [again] = await claim(api);
    const taken = await api.post(`${url}/await`, { ...again!.held, waits });
    const value = { kind: 'message', id: sent.body.id, payload: { by: 1 } };
    assert.deepEqual(taken.body.waits[0].value, { kind: 'first', which: 'said', value });
    const reason = '/by: must be a text';
    await api.post(`${url}/messages/${sent.body.id}/aside`, { ...again!.held, reason });
    const { items } = (await api.get(`${url}/messages`)).body;
    assert.deepEqual([items.length, items[0].setAside, items[0].name], [1, reason, 'approve']);
    const open = await api.post(`${url}/await`, { ...again!.held, waits });
    assert.equal(open.body.suspended, true);
  });

  test('[S4] lets a worker start the types that its own type calls, and no others', async () => {
    const { api, holder } = await openLocked();
    after(() => api.close());
    const admin = (await holder({})).api;
    const worker = (await holder({ roles: ['worker'] })).api;
    await admin.put('/v1/types/export', { lifecycle: 'task', calls: ['index'] });
    await admin.post('/v1/jobs', { type: 'export' });
    const [held] = await claim(worker);
    const spawn = (type: string) =>
      worker.post(`${held!.url}/children`, {
        ...held!.held,
        wait: type,
        items: [{ key: 'a', type }],
      });
    assert.equal((await spawn('index')).status, 200);
    const refused = await spawn('export');
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);
    assert.match(refused.body.detail, /list it in `calls` of "export"/);
    assert.deepEqual((await admin.get('/v1/types/export')).body.calls, ['index']);
  });
});

test('a batch with `after` is a graph: accepted whole, drawn before it runs', async () => {
  const api = await opened();
  const jobs = [
    { type: 'export', ref: 'load', after: ['extract'] },
    { type: 'export', ref: 'extract' },
  ];
  const { body } = await api.post('/v1/jobs/batch', { jobs });
  const [load, extract] = body.results.map((one: { job: { id: string } }) => one.job.id);
  const tree = (await api.get(`/v1/jobs/${load}/tree`)).body;
  assert.deepEqual(
    tree.waits.map((wait: { kind: string; jobs: { id: string }[] }) => [
      wait.kind,
      wait.jobs[0]!.id,
    ]),
    [['jobs', extract]],
  );
  const [only, ...rest] = await claim(api);
  assert.deepEqual([only!.id, rest], [extract, []]);
  await api.post(`${only!.url}/complete`, only!.held);
  await settled(api);
  assert.equal((await claim(api))[0]!.id, load);
  const circle = [
    { type: 'export', ref: 'a', after: ['b'] },
    { type: 'export', ref: 'b', after: ['a'] },
  ];
  const refused = await api.post('/v1/jobs/batch', { jobs: circle });
  assert.equal(refused.status, 400);
  assert.match(refused.body.detail, /wait for each other/);
});

test('a remote worker runs the same flows, with results of any size', async () => {
  const { api, url, pawl, client } = await openStation();
  const large = 'x'.repeat(300_000);
  const part = defineJob('part', {
    input: typed<number>(),
    run: ({ input }) => ({ input, large }),
  });
  const parent = defineJob('parent', {
    calls: [part],
    async run({ callAll, receive }) {
      const parts = await callAll('parts', part, [1, 2, 3]);
      let length = 0;
      for await (const { result } of parts.results()) length += result.large.length + result.input;
      return { length, said: await receive('go', typed<string>()) };
    },
  });
  const jobs = [part, parent];
  for (const job of jobs) await client.putType(job.type, registrationOf(job));
  const { connection } = new ApiClient({ url });
  const artifacts = new RemoteArtifacts({ connection });
  const source = largeSource(new RemoteSource({ connection }), artifacts);
  const worker = openWorker({ source, artifacts, jobs, pollMs: { minMs: 5, maxMs: 20 } });
  // As a server does: ends of jobs in a graph are found by those who read the log.
  const follower = new FlowFollower(api.world.context, {
    timers: systemTimers,
    everyMs: 20,
  });
  worker.start();
  follower.start();
  after(() => follower.stop());
  const job = await pawl.enqueue(parent);
  await job.send('go', 'now');
  assert.deepEqual(await job.result(), { length: 900_006, said: 'now' });
  assert.equal((await job.snapshot()).attempts, 1);
  const graph = await pawl.enqueueGraph({ a: item(part, 1), b: item(part, 2, { after: ['a'] }) });
  assert.equal((await graph.b.result()).input, 2);
  assert.equal((await graph.b.tree()).waits[0]!.jobs[0]!.id, graph.a.id);
  await worker.drain();
});
