// Revisions over the API: what a claim offers, what a job keeps, what a worker says of itself.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type Api, openApi } from './http-fixture.ts';

const V1 = { export: { name: 'v1', pin: true } };

async function opened(): Promise<Api> {
  const api = await openApi();
  after(() => api.close());
  return api;
}

async function claim(api: Api, revisions?: object): Promise<{ id: string; held: object } | null> {
  const asked = { workerId: 'w1', types: ['export'], max: 1 };
  const { body, status } = await api.post('/v1/claims', {
    ...asked,
    ...(revisions && { revisions }),
  });
  assert.equal(status, 200, JSON.stringify(body));
  const [one] = body.jobs as { job: { id: string }; epoch: number }[];
  return one === undefined ? null : { id: one.job.id, held: { workerId: 'w1', epoch: one.epoch } };
}

test('a claim fixes the revision of a job, which every answer shows', async () => {
  const api = await opened();
  const { body: born } = await api.post('/v1/jobs', { type: 'export' });
  assert.deepEqual([born.revision, born.isPinned], [null, false]);
  const own = await claim(api, V1);
  const { body: taken } = await api.get(`/v1/jobs/${born.id}`);
  assert.deepEqual([taken.revision, taken.isPinned], ['v1', true]);
  const { body: list } = await api.get('/v1/jobs?type=export');
  assert.deepEqual([list.items[0].revision, list.items[0].isPinned], ['v1', true]);
  await api.post(`/v1/jobs/${born.id}/release`, own!.held);
  assert.equal(await claim(api), null);
  assert.equal(await claim(api, { export: { name: 'v2' } }), null);
  assert.equal((await claim(api, { export: { name: 'v1' } }))!.id, born.id);
});

test('a pin is asked for: a revision alone keeps nobody away', async () => {
  const api = await opened();
  const { body: born } = await api.post('/v1/jobs', { type: 'export' });
  const own = await claim(api, { export: { name: 'v1' } });
  await api.post(`/v1/jobs/${born.id}/release`, own!.held);
  assert.equal((await claim(api))!.id, born.id);
  const { body } = await api.get(`/v1/jobs/${born.id}`);
  assert.deepEqual([body.revision, body.isPinned], ['v1', false]);
});

test('a worker is listed with its revisions, whether it tells them or only claims', async () => {
  const api = await opened();
  const revisionsOf = async (id: string): Promise<unknown> => {
    const { items } = (await api.get('/v1/workers')).body as { items: { id: string }[] };
    return (items.find((one) => one.id === id) as { revisions?: unknown } | undefined)?.revisions;
  };
  await api.put('/v1/workers/told', { types: ['export'], revisions: V1 });
  assert.deepEqual(await revisionsOf('told'), V1);
  await claim(api, V1);
  await eventually('the claim to be noted', () => revisionsOf('w1'));
  assert.deepEqual(await revisionsOf('w1'), V1);
  await claim(api, { export: { name: 'v2', pin: false } });
  const isNew = async (): Promise<unknown> =>
    (await revisionsOf('w1'))?.['export' as never]?.['name'] === 'v2' || null;
  await eventually('its next code to be noted', isNew);
});

test('why a pinned job waits is told with the revisions that are there', async () => {
  const api = await opened();
  const { body: born } = await api.post('/v1/jobs', { type: 'export' });
  const own = await claim(api, V1);
  await api.post(`/v1/jobs/${born.id}/release`, own!.held);
  await api.put('/v1/workers/w1', { types: ['export'], revisions: { export: { name: 'v2' } } });
  const { body } = await api.get(`/v1/jobs/${born.id}/why`);
  assert.equal(body.reason, 'no_worker_with_revision');
  assert.deepEqual([body.facts.revision, body.facts.offered], ['v1', ['v2']]);
});

test('an offer that cannot be meant is refused, with the place of the fault', async () => {
  const api = await opened();
  const cases: [object, RegExp][] = [
    [{ export: { name: '' } }, /\/revisions\/export\/name/],
    [{ export: { name: 'v'.repeat(65) } }, /1 to 64 letters/],
    [{ export: { name: 'v1', pin: 'yes' } }, /\/revisions\/export\/pin/],
    [{ export: { name: 'v1', more: 1 } }, /\/revisions\/export/],
    [{ index: { name: 'v1' } }, /\/revisions\/index/],
    [{ 'not a name': { name: 'v1' } }, /\/revisions/],
    [{ export: 'v1' }, /\/revisions\/export/],
  ];
  for (const [revisions, fault] of cases) {
    const asked = { workerId: 'w1', types: ['export'], max: 1, revisions };
    const { status, body } = await api.post('/v1/claims', asked);
    assert.equal(status, 400, JSON.stringify(revisions));
    assert.match(JSON.stringify(body), fault);
  }
});
