// One box for everything, who asks, what is used, and how scheduled runs ended.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openLocked } from './auth-fixture.ts';
import { openApi } from './http-fixture.ts';

interface Hit {
  readonly by: string;
  readonly job: { readonly id: string };
}

describe('GET /v1/search', () => {
  test('finds jobs by id, document, correlation, metadata and error, the exact ones first', async () => {
    const api = await openApi();
    after(() => api.close());
    const wish = { type: 'export', documentId: 'd-4711', correlationId: 'c-1' };
    const { body: job } = await api.post('/v1/jobs', { ...wish, metadata: { customer: '4711' } });
    const found = async (words: string): Promise<[string, string][]> => {
      const { body } = await api.get(`/v1/search?q=${encodeURIComponent(words)}`);
      return body.jobs.map((hit: Hit) => [hit.by, hit.job.id]);
    };
    assert.deepEqual(await found(job.id), [['id', job.id]]);
    assert.deepEqual(await found(` ${job.id.toUpperCase()} `), [['id', job.id]]);
    assert.deepEqual(await found('d-4711'), [['document', job.id]]);
    assert.deepEqual(await found('c-1'), [['correlation', job.id]]);
    const keyed = await api
      .with({ 'idempotency-key': 'order 7' })
      .post('/v1/jobs', { type: 'index' });
    assert.deepEqual(await found('order 7'), [['key', keyed.body.id]]);
    assert.deepEqual(await found('4711'), [['text', job.id]]);
    assert.deepEqual(await found('nothing like it'), []);
    const { id, held } = await api.claimed();
    const error = { class: 'ValidationError', message: 'the bridge is closed' };
    await api.post(`/v1/jobs/${id}/fail`, { ...held, error });
    assert.deepEqual(await found('BRIDGE is'), [['text', id]]);
  });

  test('finds types, queues and schedules by a part of their name, and says how far it looked', async () => {
    const api = await openApi();
    after(() => api.close());
    await api.put('/v1/types/re-export', { lifecycle: 'task' });
    await api.post('/v1/jobs', { type: 'export', queue: 'exports' });
    const rule = { kind: 'interval', everyMs: 60_000 };
    await api.put('/v1/schedules/nightly-export', { rule, job: { type: 'export' } });
    const { body } = await api.get('/v1/search?q=EXPORT');
    assert.deepEqual(body.types, ['export', 're-export']);
    assert.deepEqual(body.queues, ['exports']);
    assert.deepEqual(body.schedules, ['nightly-export']);
    assert.deepEqual(body.searched, { jobs: 10_000, isWhole: true });
    assert.equal((await api.get('/v1/search?q=')).status, 400);
  });

  test('[S3] shows nobody what is not theirs, nor more than they may read', async () => {
    const { api, holder } = await openLocked();
    after(() => api.close());
    const { api: owner } = await holder({ tenant: 'acme' });
    const { api: other } = await holder({ tenant: 'rival' });
    const { api: producer } = await holder({ tenant: 'acme', roles: ['producer'] });
    await owner.put('/v1/types/secret-type', { lifecycle: 'task' });
    const wish = { type: 'secret-type', queue: 'secret-queue', documentId: 'secret' };
    const { body: job } = await owner.post('/v1/jobs', wish);
    for (const words of ['secret', job.id]) {
      const { body } = await other.get(`/v1/search?q=${words}`);
      assert.deepEqual([body.jobs, body.types, body.queues], [[], [], []]);
    }
    const { body } = await producer.get('/v1/search?q=secret');
    assert.deepEqual([body.jobs.length, body.types, body.queues], [1, ['secret-type'], []]);
  });
});

describe('GET /v1/me', () => {
  test('says who asks and what they may do, to any credential', async () => {
    const { api, holder } = await openLocked();
    after(() => api.close());
    assert.equal((await api.get('/v1/me')).status, 401);
    const { api: viewer } = await holder({ tenant: 'acme', name: 'looker', roles: ['viewer'] });
    const { body } = await viewer.get('/v1/me');
    assert.deepEqual([body.tenant, body.isHome], ['acme', false]);
    assert.ok(body.scopes.includes('jobs:read') && !body.scopes.includes('jobs:cancel'));
    const { api: worker } = await holder({ roles: ['worker'] });
    assert.equal((await worker.get('/v1/me')).body.isHome, true);
  });
});

describe('GET /v1/usage', () => {
  test('[S3] shows all tenants to those who run the platform, the busiest first, others their own', async () => {
    const { api, holder } = await openLocked();
    after(() => api.close());
    const { api: home } = await holder({});
    const { api: acme } = await holder({ tenant: 'acme' });
    const { api: rival } = await holder({ tenant: 'rival' });
    for (const [one, count] of [
      [acme, 3],
      [rival, 1],
    ] as const) {
      await one.put('/v1/types/own', { lifecycle: 'task' });
      for (let n = 0; n < count; n++) await one.post('/v1/jobs', { type: 'own' });
    }
    await rival.post('/v1/claims', { workerId: 'w1', types: ['own'], max: 1 });
    const seen = async (one: typeof acme) =>
      (await one.get('/v1/usage')).body.items.map(
        ({ tenant, inFlight, phases }: { tenant: string; inFlight: number; phases: object }) => [
          tenant,
          inFlight,
          phases,
        ],
      );
    assert.deepEqual(await seen(home), [
      ['rival', 1, { executing: 1 }],
      ['acme', 0, { ready: 3 }],
    ]);
    assert.deepEqual(await seen(acme), [['acme', 0, { ready: 3 }]]);
  });
});

describe('the history of a schedule', () => {
  test('says how the job of each run ended', async () => {
    const api = await openApi();
    after(() => api.close());
    const rule = { kind: 'interval', everyMs: 60_000 };
    await api.put('/v1/schedules/nightly', { rule, job: { type: 'export' } });
    const { body: fire } = await api.post('/v1/schedules/nightly/run', {});
    const ended = async () => (await api.get('/v1/schedules/nightly/history')).body.items[0].job;
    assert.equal((await ended()).phase, 'ready');
    const asked = { workerId: 'w1', types: ['export'], max: 1 };
    const { body } = await api.post('/v1/claims', asked);
    const held = { workerId: 'w1', epoch: body.jobs[0].epoch };
    await api.post(`/v1/jobs/${fire.jobId}/start`, held);
    const error = { class: 'ValidationError', message: 'the bridge is closed' };
    await api.post(`/v1/jobs/${fire.jobId}/fail`, { ...held, error });
    const { phase, error: message, completedAt } = await ended();
    assert.deepEqual([phase, message], ['failed', 'the bridge is closed']);
    assert.ok(completedAt !== null);
  });
});
