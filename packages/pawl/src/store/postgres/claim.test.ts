import assert from 'node:assert/strict';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';

await onEveryServer('[R21] 64 claimers at once never claim a job twice', async (fixture) => {
  const stores = await Promise.all(Array.from({ length: 8 }, () => fixture.open({ poolSize: 8 })));
  const scene = fixture.scene(stores[0]!);
  const jobs = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) =>
      scene.newJob({ queue: `q${index % 3}`, priority: index % 5 }),
    ),
  );
  await stores[0]!.insert(jobs);
  const claims = await Promise.all(
    Array.from({ length: 64 }, async (_, index) => {
      const won: string[] = [];
      const store = stores[index % 8]!;
      for (;;) {
        const request = scene.claimRequest({ owner: `w${index}`, max: 7 });
        const claimed = await store.claim(request);
        assert.ok(claimed.length <= 7);
        if (claimed.length === 0) return won;
        won.push(...claimed.map(({ job }) => job.id));
      }
    }),
  );
  const ids = claims.flat();
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids.sort(), jobs.map(({ id }) => id).sort());
});

await onEveryServer(
  'a claim repeated while the first is under way wins the same jobs',
  async (fixture) => {
    const stores = [await fixture.open(), await fixture.open()];
    const scene = fixture.scene(stores[0]!);
    await stores[0]!.insert(await Promise.all(Array.from({ length: 20 }, () => scene.newJob())));
    const request = scene.claimRequest({ max: 5, requestId: 'r1' });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => stores[index % 2]!.claim(request)),
    );
    for (const answer of answers) {
      assert.deepEqual(
        answer.map(({ job }) => job.id),
        answers[0]!.map(({ job }) => job.id),
      );
    }
  },
);

await onEveryServer('renewals and progress leave every index alone', async (fixture) => {
  const scene = fixture.scene(await fixture.open());
  const job = await scene.running();
  const client = await fixture.connect();
  const updates = `SELECT n_tup_upd - n_tup_hot_upd AS cold, n_tup_hot_upd AS hot
    FROM pg_stat_xact_user_tables WHERE relname = 'live'`;
  await client.query(`SET pawl.verb = 'on'`);
  await client.query('BEGIN');
  await client.query(
    `UPDATE pawl.live SET lease_expiry = lease_expiry, lease_end = lease_end,
    progress = 5, notes = notes + 1, updated_at = now(), flags = flags | 4 WHERE id = $1`,
    [job.id],
  );
  const { rows } = await client.query(updates);
  await client.query('ROLLBACK');
  assert.deepEqual(rows, [{ cold: '0', hot: '1' }]);
});

await onEveryServer(
  'a job that came while a claim waited is taken after it came',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const job = await scene.enqueue();
    const early = { now: () => job.createdAt - 7 };
    const slow = await fixture.open({ clock: early });
    const [claimed] = await slow.claim(scene.claimRequest({ owner: 'w1', max: 1 }));
    const events = await scene.events(job);
    assert.deepEqual(
      events.map(({ type, at }) => [type, at]),
      [
        ['job_created', job.createdAt],
        ['job_claimed', job.createdAt],
      ],
    );
    assert.equal(claimed!.job.updatedAt, job.createdAt);
  },
);
