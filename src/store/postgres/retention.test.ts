import assert from 'node:assert/strict';
import { onEveryServer, type StoreRoom } from '../../../test/support/postgres/store-room.ts';
import type { Purge, Purged } from '../retention.ts';
import type { PostgresStore } from './store.ts';

const DAY = 86_400_000;
const NOTHING: Purge = {
  jobs: null,
  notes: null,
  feed: null,
  keys: null,
  limit: 2,
};

async function purge(store: PostgresStore, cuts: Partial<Purge>): Promise<Purged[]> {
  const slices: Purged[] = [];
  do slices.push(await store.purge({ ...NOTHING, ...cuts }));
  while (slices.at(-1)!.hasMore);
  return slices;
}

function sumOf(slices: readonly Purged[], name: 'jobs' | 'days'): number {
  return slices.reduce((sum, slice) => sum + slice[name], 0);
}

async function hasTable(room: StoreRoom, name: string): Promise<boolean> {
  const client = await room.connect();
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('pawl.${name}') IS NOT NULL AS found`,
  );
  return rows[0]!.found;
}

await onEveryServer('a day of events is dropped once no job born on it is left', async (room) => {
  const store = await room.open();
  const scene = room.scene(store);
  const stamp = new Date(room.clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
  const jobs = [];
  for (let made = 0; made < 5; made++) jobs.push(await scene.running());
  for (const job of jobs.slice(1)) await scene.ask(job, { on: 'succeed' });
  const last = jobs[0]!;
  room.clock.advance(3 * DAY);
  assert.equal(sumOf(await purge(store, { jobs: room.clock.now() - DAY }), 'jobs'), 4);
  assert.ok(await hasTable(room, `events_${stamp}`));
  const [lost] = await store.expired(1);
  await scene.ask(lost!, { on: 'lose' }, { fence: { kind: 'expired' } });
  const again = await scene.claimOne();
  assert.equal(again.id, last.id);
  await scene.ask(again, { on: 'succeed' });
  room.clock.advance(3 * DAY);
  const slices = await purge(store, { jobs: room.clock.now() - DAY });
  assert.deepEqual([sumOf(slices, 'jobs'), sumOf(slices, 'days') > 0], [1, true]);
  assert.equal(await hasTable(room, `events_${stamp}`), false);
  assert.ok(await scene.running());
});

await onEveryServer('a day that somebody still reads is dropped another time', async (room) => {
  const store = await room.open();
  const scene = room.scene(store);
  await scene.ask(await scene.running(), { on: 'succeed' });
  const stamp = new Date(room.clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
  const client = await room.connect();
  await client.query('BEGIN');
  await client.query('SELECT count(*) FROM pawl.events');
  room.clock.advance(3 * DAY);
  const cuts = { jobs: room.clock.now() - DAY, notes: room.clock.now() - DAY };
  const slices = await purge(store, cuts);
  assert.equal(sumOf(slices, 'jobs'), 1);
  assert.ok(await hasTable(room, `events_${stamp}`));
  await client.query('COMMIT');
  room.clock.advance(DAY);
  await purge(store, { jobs: room.clock.now() - DAY });
  assert.equal(await hasTable(room, `events_${stamp}`), false);
});

await onEveryServer('while one process purges, another leaves it to it', async (room) => {
  const store = await room.open();
  const client = await room.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM pawl.retention FOR UPDATE');
  const cuts = { ...NOTHING, jobs: room.clock.now(), feed: room.clock.now() };
  assert.equal((await store.purge(cuts)).hasMore, false);
  await client.query('COMMIT');
});

await onEveryServer(
  '[R5] an erasure by hand can take texts away and nothing else',
  async (room) => {
    const store = await room.open();
    const scene = room.scene(store);
    const open = await scene.running();
    const client = await room.connect();
    const change = (set: string): Promise<unknown> =>
      client.query(`UPDATE pawl.events SET ${set} WHERE version = 1`);
    await assert.rejects(change('message = NULL'), { code: 'PW004' });
    await scene.ask(open, { on: 'succeed' });
    await change('message = NULL');
    for (const set of [
      `message = 'x'`,
      `payload = '{"delayMs":1}'`,
      `actor = 'me'`,
      'ts = now()',
    ]) {
      await assert.rejects(change(set), { code: 'PW004' }, set);
    }
  },
);
