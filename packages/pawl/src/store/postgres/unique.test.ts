import assert from 'node:assert/strict';
import type { Client } from 'pg';
import { eventually } from '../../../../../test/support/eventually.ts';
import {
  onEveryServer,
  type StoreFixture,
} from '../../../../../test/support/postgres/store-fixture.ts';
import type { UniqueClaim } from '../unique.ts';

const THROTTLE: UniqueClaim = { key: 'k', mode: 'throttle', windowMs: 1_000, waitMaxMs: 0 };
const REPLACE: UniqueClaim = { key: 'k', mode: 'replace', windowMs: 0, waitMaxMs: 0 };

/** A lock that somebody waits for is seen in the server only. */
async function somebodyWaits(fixture: StoreFixture): Promise<void> {
  const client = await fixture.connect();
  await eventually('somebody waits for a lock', async () => {
    const { rows } = await client.query('SELECT FROM pg_locks WHERE NOT granted LIMIT 1');
    return rows.length > 0;
  });
}

async function begin(fixture: StoreFixture): Promise<Client> {
  const client = await fixture.connect();
  await client.query('BEGIN');
  return client;
}

await onEveryServer('two racers on a key that is free again make one job', async (fixture) => {
  const store = await fixture.open();
  const scene = fixture.scene(store);
  await scene.insert({ unique: THROTTLE });
  fixture.clock.advance(1_000);
  const client = await begin(fixture);
  // The winner is as far as its first look at the key: whoever comes now has to wait there.
  await client.query('SELECT FROM pawl.unique_keys FOR UPDATE');
  const [winner, loser] = [
    await scene.newJob({ unique: THROTTLE }),
    await scene.newJob({ unique: THROTTLE }),
  ];
  const other = await begin(fixture);
  const late = store.within(other)([loser]);
  await somebodyWaits(fixture);
  const [won] = await store.within(client)([winner]);
  assert.equal(won!.kind, 'created');
  await client.query('COMMIT');
  assert.deepEqual(await late, [{ kind: 'throttled', id: winner.id }]);
  await other.query('COMMIT');
});

await onEveryServer('a racer takes the key over from one that gave up', async (fixture) => {
  const store = await fixture.open();
  const scene = fixture.scene(store);
  const client = await begin(fixture);
  await store.within(client)([await scene.newJob({ unique: THROTTLE })]);
  const next = scene.insert({ unique: THROTTLE });
  await somebodyWaits(fixture);
  await client.query('ROLLBACK');
  assert.equal((await next).kind, 'created');
});

await onEveryServer('a job that is being claimed is not replaced any more', async (fixture) => {
  const store = await fixture.open();
  const scene = fixture.scene(store);
  const first = await scene.enqueue({ unique: REPLACE, input: '1' });
  const client = await begin(fixture);
  // A claim's transaction, still open: the row is locked and about to be somebody's.
  const claim = `UPDATE pawl.live SET state = 2, phase = 3, gate = NULL, version = 2, owner = 1,
    token = 1, lease_expiry = now() + interval '1 day', lease_end = now(), attempts = 1
    WHERE id = $1`;
  await client.query(`SET LOCAL pawl.verb = 'on'`);
  await client.query(claim, [first.id]);
  const second = scene.insert({ unique: REPLACE, input: '2' });
  await somebodyWaits(fixture);
  await client.query('COMMIT');
  assert.equal((await second).kind, 'created');
  const { input, version } = await scene.read(first);
  assert.deepEqual([input, version], ['1', 2]);
});
