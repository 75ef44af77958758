// A transaction may have an earlier xid than one whose work it continues: the tail puts that right.
import assert from 'node:assert/strict';
import type pg from 'pg';
import { onEveryServer, type StoreRoom } from '../../../test/support/postgres/store-room.ts';
import type { Scene } from '../../../test/store/suite/scene.ts';
import type { PostgresStore } from './store.ts';

/** A transaction that has its xid, and with it its place in the feed, before anyone else. */
async function early(room: StoreRoom): Promise<pg.Client> {
  const client = await room.connect();
  await client.query('BEGIN');
  await client.query('SELECT pg_current_xact_id()');
  return client;
}

async function claimOn(client: pg.Client, scene: Scene, owner: string): Promise<void> {
  await client.query(`SELECT FROM pawl.claim_v1($1, $1, '{task}', 9, NULL, NULL, NULL, 0, $2)`, [
    owner,
    scene.clock.now(),
  ]);
}

/** What a reader gets who asks for so many at a time, from the start to the end. */
async function read(store: PostgresStore, limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = null; ;) {
    const from: 'start' | { cursor: string } = cursor === null ? 'start' : { cursor };
    const page = await store.tail({ tenant: null, from, limit });
    seen.push(...page.items.map(({ event }) => `${event.jobId} ${event.version}`));
    if (page.items.length === 0 && page.cursor === cursor) return seen;
    ({ cursor } = page);
  }
}

await onEveryServer(
  'a job claimed by a transaction that began before it was made is created first',
  async (room) => {
    const store = await room.open();
    const scene = room.scene(store);
    const first = await scene.enqueue();
    const claimer = await early(room);
    const second = await scene.enqueue();
    await claimOn(claimer, scene, 'w1');
    await claimer.query('COMMIT');
    for (const limit of [1, 2, 3, 100]) {
      const seen = await read(store, limit);
      for (const { id } of [first, second]) {
        const versions = seen.filter((one) => one.startsWith(id)).map((one) => one.slice(-1));
        assert.deepEqual(versions, ['1', '2'], `${limit} at a time`);
      }
    }
  },
);

await onEveryServer(
  'what a job did before comes first, even while its own transaction is held back',
  async (room) => {
    const store = await room.open();
    const scene = room.scene(store);
    await scene.newJob();
    const claimer = await early(room);
    const stranger = await early(room);
    const { id } = await scene.enqueue();
    await claimOn(claimer, scene, 'w1');
    await claimer.query('COMMIT');
    assert.deepEqual(await read(store, 10), [`${id} 1`, `${id} 2`]);
    const { cursor } = await store.tail({ tenant: null, from: 'end', limit: 1 });
    await stranger.query('COMMIT');
    const { items } = await store.tail({ tenant: null, from: { cursor }, limit: 10 });
    assert.deepEqual(items, [], 'and not a second time');
  },
);
