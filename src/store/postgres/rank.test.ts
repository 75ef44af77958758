import assert from 'node:assert/strict';
import { AGING_MS } from '../../core/rank.ts';
import { onEveryServer } from '../../../test/support/postgres/store-room.ts';

const RANK = `SELECT (extract(epoch FROM rank_at) * 1000)::int8 AS rank,
  (extract(epoch FROM run_at) * 1000)::int8 AS run_at, priority FROM pawl.jobs WHERE id = $1`;

await onEveryServer('a place in line follows what is changed by hand', async (room) => {
  const store = await room.open();
  const { id } = await room.scene(store).enqueue();
  const client = await room.connect();
  const stands = async (): Promise<void> => {
    const { rank, run_at: runAt, priority } = (await client.query(RANK, [id])).rows[0]!;
    assert.equal(Number(rank), Number(runAt) - priority * AGING_MS);
  };
  await stands();
  for (const change of [
    'priority = 7',
    `run_at = run_at + interval '1 hour'`,
    `rank_at = rank_at - interval '1 day'`,
  ]) {
    await client.query(`UPDATE pawl.jobs SET ${change} WHERE id = $1`, [id]);
    await stands();
  }
});
