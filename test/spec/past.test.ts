import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realStores } from '../support/real-stores.ts';
import { inMemory, openWorld, TENANT, type World } from '../support/world.ts';
import { openApi } from './http-fixture.ts';

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];

const types = { mail: { lifecycle: 'task' }, report: { lifecycle: 'document' } } as const;

interface Snapshot {
  readonly at: number;
  readonly places: readonly string[];
  readonly jobs: readonly object[];
}

/** What of a job only its history says. */
const TOLD = ['state', 'phase', 'epoch', 'version', 'attempts', 'retryCount', 'progress'] as const;

function told(job: Readonly<Record<(typeof TOLD)[number], unknown>>): object {
  return Object.fromEntries(TOLD.map((name) => [name, job[name]]));
}

/** Everything as it is now, read from the rows. */
async function snapshot(world: World, ids: readonly string[]): Promise<Snapshot> {
  const counts = new Map<string, number>();
  for (const { queue, type, state, count } of await world.engine.tally(TENANT)) {
    const place = `${queue} ${type} ${state}`;
    counts.set(place, (counts.get(place) ?? 0) + count);
  }
  const found = await world.engine.find(ids.map((id) => ({ tenant: TENANT, id })));
  const places = [...counts].map(([place, count]) => `${place} ${count}`).toSorted();
  return { at: world.clock.now(), places, jobs: found.map((job) => told(job!)) };
}

/** The same of a moment, read from the log. */
async function pastSnapshot(world: World, at: number, ids: readonly string[]): Promise<Snapshot> {
  const { places } = await world.engine.past({ tenant: TENANT, at });
  const lines = places.map(({ queue, type, state, count }) => `${queue} ${type} ${state} ${count}`);
  const refs = ids.map((id) => ({ tenant: TENANT, id }));
  const jobs = await Promise.all(refs.map((ref) => world.engine.pastJob(ref, at)));
  return { at, places: lines.toSorted(), jobs: jobs.map(told) };
}

for (const { label, open } of stores) {
  test(`on ${label}: a past moment is told as a snapshot showed it then`, async () => {
    const world = await openWorld({ store: open, types });
    const ids: string[] = [];
    const snapshots: [Snapshot, string[]][] = [];
    const step = async (): Promise<void> => {
      snapshots.push([await snapshot(world, ids), [...ids]]);
      world.advance(1_500);
    };
    for (let number = 0; number < 3; number++) {
      ids.push((await world.enqueue('mail')).id, (await world.enqueue('report')).id);
    }
    await step();
    const [mail] = await world.claim('w1', 'mail');
    const [report] = await world.claim('w1', 'report');
    await step();
    await world.renew(mail!, { progress: 40, message: 'almost half' });
    await step();
    await world.fail(report!, 'transient_system_error');
    await world.complete(mail!);
    await step();
    await world.sweep();
    ids.push((await world.enqueue('mail', null, { queue: 'slow' })).id);
    await step();
    await world.cancel(ids[2]!);
    await world.cancel(ids[3]!, 'hard');
    await world.cancel(ids.at(-1)!);
    await step();
    for (const [then, known] of snapshots) {
      assert.deepEqual(await pastSnapshot(world, then.at, known), then);
    }
    await world.close();
  });
}

test('the API tells of a moment who was where, and of a job who had it and how far it was', async () => {
  const api = await openApi();
  await api.world.putType('export', types.mail, 'default');
  const { id } = await api.world.enqueue('export', null, { tenant: 'default' });
  const bornAt = api.world.clock.now();
  api.world.advance(1_000);
  const claim = await api.world.claimOne('w1', 'export');
  await api.world.renew(claim, { progress: 30 });
  const startedAt = api.world.clock.now();
  api.world.advance(1_000);
  await api.world.complete(claim);
  const iso = (at: number): string => new Date(at).toISOString();
  const { status, body } = await api.call('GET', `/v1/past?at=${iso(startedAt)}`);
  assert.equal(status, 200);
  const running = { queue: 'default', type: 'export', state: 'running', count: 1 };
  assert.deepEqual(body.places, [running]);
  assert.equal(body.since, iso(bornAt));
  const then = await api.call('GET', `/v1/jobs/${id}/past?at=${iso(startedAt)}`);
  assert.deepEqual(
    [then.body.state, then.body.worker, then.body.progress, then.body.completedAt],
    ['running', 'w1', 30, null],
  );
  const before = await api.call('GET', `/v1/jobs/${id}/past?at=${iso(bornAt)}`);
  assert.deepEqual([before.body.state, before.body.worker], ['pending', null]);
  await api.close();
});

test('a moment in the future, before the log or before the job is refused by its name', async () => {
  const api = await openApi();
  await api.world.putType('export', types.mail, 'default');
  await api.world.enqueue('export', null, { tenant: 'default' });
  api.world.advance(60_000);
  const { id } = await api.world.enqueue('export', null, { tenant: 'default' });
  const iso = (ms: number): string => new Date(api.world.clock.now() + ms).toISOString();
  const messages = async (path: string): Promise<string> => {
    const { status, body } = await api.call('GET', path);
    return `${status} ${body.errors?.[0]?.message ?? body.detail}`;
  };
  const future = '400 must not lie in the future';
  assert.equal(await messages(`/v1/past?at=${iso(1)}`), future);
  assert.equal(await messages(`/v1/jobs/${id}/past?at=${iso(1)}`), future);
  const early = `400 must not lie before ${iso(-60_000)}, where the log begins`;
  assert.equal(await messages(`/v1/past?at=${iso(-60_001)}`), early);
  const unborn = `404 job ${id} did not exist then: it was created at ${iso(0)}`;
  assert.equal(await messages(`/v1/jobs/${id}/past?at=${iso(-1)}`), unborn);
  await api.close();
});
