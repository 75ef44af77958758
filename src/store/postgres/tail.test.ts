import assert from 'node:assert/strict';
import { SeededRandom } from '../../core/random.ts';
import { onEveryServer, type StoreRoom } from '../../../test/support/postgres/store-room.ts';
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

async function writer(room: StoreRoom, store: PostgresStore, seed: number): Promise<string[]> {
  const scene = room.scene(store);
  const random = new SeededRandom(seed);
  const client = await room.connect();
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

await onEveryServer('the tail skips nothing when 16 writers commit out of order', async (room) => {
  const store = await room.open();
  const scene = room.scene(store);
  const held = await room.connect();
  const late = await scene.newJob();
  await held.query('BEGIN');
  await store.within(held)([late]);
  const state = { isDone: false };
  const writers = Promise.all(Array.from({ length: 16 }, (_, seed) => writer(room, store, seed)));
  const ended = writers.finally(() => (state.isDone = true));
  const seen: string[] = [];
  let cursor: string | null = null;
  while (!state.isDone) {
    const [items, next]: [string[], string] = await follow(store, cursor);
    seen.push(...items);
    cursor = next;
  }
  const written = (await ended).flat();
  assert.equal(seen.length, 0, 'what may be overtaken by the open transaction is held back');
  await held.query('COMMIT');
  while (seen.length < written.length + 1) {
    const [items, next]: [string[], string] = await follow(store, cursor);
    seen.push(...items);
    cursor = next;
  }
  assert.equal(seen[0], `${late.id} 1`);
  assert.deepEqual(seen.toSorted(), [`${late.id} 1`, ...written].toSorted());
});

await onEveryServer('a cursor of another log is answered with a reset', async (room) => {
  const store = await room.open();
  await room.scene(store).enqueue();
  const { cursor } = await store.tail({ tenant: null, from: 'end', limit: 1 });
  const client = await room.connect();
  await client.query('UPDATE pawl.meta SET incarnation = gen_random_uuid()');
  const page = await store.tail({ tenant: null, from: { cursor }, limit: 1 });
  assert.deepEqual([page.isReset, page.items], [true, []]);
  const next = await store.tail({ tenant: null, from: { cursor: page.cursor }, limit: 1 });
  assert.equal(next.isReset, false);
});

await onEveryServer('a feed restored from another cluster hides nothing new', async (room) => {
  const store = await room.open();
  const scene = room.scene(store);
  await scene.enqueue();
  const client = await room.connect();
  await client.query(`UPDATE pawl.feed SET xid = '999999999999'`);
  const reopened = await room.open();
  await scene.enqueue();
  assert.equal((await follow(reopened, null))[0].length, 2);
});

await onEveryServer('a transaction of another database does not hold the tail up', async (room) => {
  const store = await room.open();
  const url = new URL(room.url);
  url.pathname = '/postgres';
  const { default: pg } = await import('pg');
  const stranger = new pg.Client({ connectionString: url.href });
  await stranger.connect();
  await stranger.query('BEGIN');
  await stranger.query('SELECT pg_current_xact_id()');
  await room.scene(store).enqueue();
  assert.equal((await follow(store, null))[0].length, 1);
  await stranger.end();
});
