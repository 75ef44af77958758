import assert from 'node:assert/strict';
import { ManualClock } from '../../core/clock.ts';
import { onEveryServer, type StoreRoom } from '../../../test/support/postgres/store-room.ts';

async function days(room: StoreRoom, table: string): Promise<string[]> {
  const client = await room.connect();
  const { rows } = await client.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits
     WHERE inhparent = $1::regclass ORDER BY 1`,
    [`pawl.${table}`],
  );
  return rows.map(({ name }) => name.replace(`pawl.${table}_`, ''));
}

await onEveryServer(
  'the days of a week ahead are made at opening, and none by default',
  async (room) => {
    await room.open({ clock: new ManualClock(Date.UTC(2026, 1, 26)) });
    const expected = ['25', '26', '27', '28'].map((day) => `202602${day}`);
    expected.push(...['01', '02', '03', '04', '05'].map((day) => `202603${day}`));
    assert.deepEqual(await days(room, 'events'), expected);
    assert.deepEqual(await days(room, 'notes'), expected);
  },
);

await onEveryServer('a day that nobody made is made when it is needed', async (room) => {
  const store = await room.open();
  const scene = room.scene(store);
  room.clock.advance(400 * 86_400_000);
  const job = await scene.running();
  const client = await room.connect();
  room.clock.advance(100 * 86_400_000);
  await client.query('BEGIN');
  const other = await scene.newJob();
  await store.within(client)([other]);
  await client.query('COMMIT');
  assert.equal((await scene.events(job)).length, 2);
  assert.equal((await scene.events(other)).length, 1);
});

await onEveryServer('a heartbeat on a day that nobody made is kept', async (room) => {
  const store = await room.open();
  const scene = room.scene(store);
  const heartbeatMs = 40 * 86_400_000;
  await scene.type('slow', 'task', { lease: { ttlMs: 2 * heartbeatMs, heartbeatMs } });
  const job = await scene.running({ type: 'slow' });
  room.clock.advance(heartbeatMs);
  assert.equal((await scene.renew(job, { progress: 5 })).kind, 'renewed');
  assert.equal((await scene.events(job, true)).at(-1)!.type, 'job_lease_renewed');
});

await onEveryServer(
  'any id will do: events lie in the day of the birth, not of the id',
  async (room) => {
    const scene = room.scene(await room.open());
    const id = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
    await scene.enqueue({ id });
    assert.equal((await scene.events({ id })).length, 1);
  },
);

await onEveryServer('making days holds neither readers nor writers up', async (room) => {
  const store = await room.open();
  const scene = room.scene(store);
  const client = await room.connect();
  await client.query('BEGIN');
  await client.query(`SELECT pawl.ensure_days_v1('2031-01-01', '2031-01-03')`);
  const job = await scene.running();
  assert.equal((await scene.events(job)).length, 2);
  await client.query('COMMIT');
});

await onEveryServer('[R19] rare events are found by type and time, on every day', async (room) => {
  await room.open();
  const client = await room.connect();
  await client.query('SET enable_seqscan = off');
  const { rows } = await client.query<Record<string, string>>(
    `EXPLAIN SELECT * FROM pawl.events WHERE type = 'job_failed' AND ts > now()`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  assert.match(plan, /Index Cond: \(\(type = 'job_failed'::text\) AND \(ts > now\(\)\)\)/);
  assert.doesNotMatch(plan, /Seq Scan/);
});
