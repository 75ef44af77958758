// Readers of the log wait for writers of the log and for nobody else, and skip nothing.
import assert from 'node:assert/strict';
import { SeededRandom } from '../../core/random.ts';
import {
  onEveryServer,
  type StoreFixture,
} from '../../../../../test/support/postgres/store-fixture.ts';
import { eventually } from '../../../../../test/support/eventually.ts';
import type { PostgresStore } from './store.ts';

/** Reads on from a cursor until nothing more comes. */
async function follow(store: PostgresStore, start: string | null): Promise<[string[], string]> {
  const seen: string[] = [];
  let cursor = start;
  for (;;) {
    const from = cursor === null ? 'start' : { cursor };
    const page = await store.tail({ tenant: null, from, limit: 5 });
    assert.equal(page.isReset, false);
    seen.push(...page.items.map(({ event }) => `${event.jobId} ${event.version}`));
    if (page.items.length === 0) return [seen, page.cursor];
    cursor = page.cursor;
  }
}

/** Enqueues in transactions of its own, some of which it takes back. */
async function caller(
  fixture: StoreFixture,
  store: PostgresStore,
  seed: number,
): Promise<string[]> {
  const scene = fixture.scene(store);
  const random = new SeededRandom(seed);
  const client = await fixture.connect();
  const written: string[] = [];
  for (let round = 0; round < 8; round++) {
    await client.query('BEGIN');
    const jobs = [await scene.newJob(), await scene.newJob()];
    await store.within(client)(jobs);
    await client.query('SELECT pg_sleep($1)', [random.next() * 0.01]);
    const isKept = random.next() < 0.8;
    await client.query(isKept ? 'COMMIT' : 'ROLLBACK');
    if (isKept) written.push(...jobs.map(({ id }) => `${id} 1`));
  }
  return written;
}

/** The same by the store itself, in calls of several. */
async function writer(fixture: StoreFixture, store: PostgresStore): Promise<string[]> {
  const scene = fixture.scene(store);
  const written: string[] = [];
  for (let round = 0; round < 20; round++) {
    const jobs = [await scene.newJob(), await scene.newJob(), await scene.newJob()];
    await store.insert(jobs);
    written.push(...jobs.map(({ id }) => `${id} 1`));
  }
  return written;
}

await onEveryServer(
  'the tail skips nothing and repeats nothing while 16 writers commit out of order',
  async (fixture) => {
    const store = await fixture.open();
    const stranger = await fixture.connect();
    await stranger.query('BEGIN; SELECT pg_current_xact_id(); CREATE TABLE strange (id int)');
    const state = { isDone: false };
    const writers = Promise.all([
      ...Array.from({ length: 12 }, (_, seed) => caller(fixture, store, seed)),
      ...Array.from({ length: 4 }, () => writer(fixture, store)),
    ]).finally(() => (state.isDone = true));
    const seen: string[] = [];
    let cursor: string | null = null;
    const readOn = async (): Promise<void> => {
      const [items, next]: [string[], string] = await follow(store, cursor);
      seen.push(...items);
      cursor = next;
    };
    while (!state.isDone) await readOn();
    const written = (await writers).flat();
    await readOn();
    assert.deepEqual(seen.toSorted(), written.toSorted());
    await stranger.query('ROLLBACK');
  },
);

await onEveryServer(
  "a caller's open transaction delays nobody, and its jobs are told of when it commits",
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const late = await scene.newJob();
    const held = await fixture.connect();
    await held.query('BEGIN');
    await store.within(held)([late]);
    const { id } = await scene.enqueue();
    const [before, cursor] = await follow(store, null);
    assert.deepEqual(before, [`${id} 1`]);
    await held.query('COMMIT');
    assert.deepEqual((await follow(store, cursor))[0], [`${late.id} 1`]);
  },
);

await onEveryServer(
  'a writer of the log who has not committed holds readers back, and is named by a mark',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    await scene.newJob();
    const slow = await fixture.connect();
    await slow.query('BEGIN');
    await slow.query('SET LOCAL search_path = pawl; SELECT draw()');
    const { id } = await scene.enqueue();
    assert.deepEqual((await follow(store, null))[0], []);
    const { rows } = await slow.query<{ own: boolean }>(
      'SELECT pid = pg_backend_pid() AS own FROM pawl.marks()',
    );
    assert.deepEqual(rows, [{ own: true }]);
    assert.ok((await store.maintenance.vitals()).tailLagMs >= 0);
    await slow.query('ROLLBACK');
    await eventually('the reader goes on', async () => {
      const [seen] = await follow(store, null);
      return seen.length === 1 && seen[0] === `${id} 1`;
    });
  },
);

await onEveryServer(
  'what a job did is told in the order in which it did it, whoever began first',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const early = await fixture.connect();
    await early.query('BEGIN; SELECT pg_current_xact_id()');
    const { id } = await scene.enqueue();
    const other = await fixture.open({ pool: fixture.pool(1) });
    await other.claim(scene.claimRequest({ owner: 'w1', max: 9 }));
    await early.query('COMMIT');
    assert.deepEqual((await follow(store, null))[0], [`${id} 1`, `${id} 2`]);
  },
);

await onEveryServer('a cursor of another log is answered with a reset', async (fixture) => {
  const store = await fixture.open();
  await fixture.scene(store).enqueue();
  const { cursor } = await store.tail({ tenant: null, from: 'end', limit: 1 });
  const foreign = cursor.replace(/^\w+/, '0123456789ab');
  const page = await store.tail({ tenant: null, from: { cursor: foreign }, limit: 1 });
  assert.deepEqual([page.isReset, page.items], [true, []]);
  const next = await store.tail({ tenant: null, from: { cursor: page.cursor }, limit: 1 });
  assert.equal(next.isReset, false);
});

await onEveryServer(
  'a copy of the log has another name, and cursors are good as far as it goes',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    await scene.enqueue();
    const name = await store.incarnation();
    const { cursor } = await store.tail({ tenant: null, from: 'end', limit: 1 });
    const client = await fixture.connect();
    await client.query('UPDATE pawl.meta SET incarnation = gen_random_uuid()');
    assert.notEqual(await store.incarnation(), name);
    const { id } = await scene.enqueue();
    const { items, isReset } = await store.tail({ tenant: null, from: { cursor }, limit: 9 });
    const told = items.map(({ event }) => event.jobId);
    assert.deepEqual([isReset, new Set(told)], [false, new Set([id])]);
  },
);

await onEveryServer(
  'marks of another installation in the same database hold nobody back',
  async (fixture) => {
    const store = await fixture.open();
    await fixture.open({ schema: 'second' });
    const other = await fixture.connect();
    await other.query('BEGIN');
    await other.query('SET LOCAL search_path = second; SELECT draw()');
    await fixture.scene(store).enqueue();
    assert.equal((await follow(store, null))[0].length, 1);
    await other.query('ROLLBACK');
  },
);
