import assert from 'node:assert/strict';
import type pg from 'pg';
import { onEveryServer } from '../../../../../test/support/postgres/store-fixture.ts';

await onEveryServer('[R21] 64 claimers at once never claim a job twice', async (fixture) => {
  const stores = await Promise.all(Array.from({ length: 8 }, () => fixture.open({ poolSize: 8 })));
  const scene = fixture.scene(stores[0]!);
  // Makes the type known, for all others.
  await scene.newJob();
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

interface Standing {
  readonly id: string;
  readonly lane: number;
  readonly rank: string;
  readonly seq: string;
}

/** The claim as a process makes it, with what it knows of the line. */
async function claimFrom(
  client: pg.Client,
  { type, max, hints }: { type: string; max: number; hints: string | null },
): Promise<{ ids: string[]; line: readonly [number, string, string][] | null }> {
  const { rows } = await client.query<{ head: { groups: { ids: string[] }[]; line: [] | null } }>(
    `SELECT head FROM pawl_verbs_1.claim(7, 'worker:w', ARRAY[$1], $2, NULL, NULL, NULL, 1, 0, $3,
       NULL, NULL) WHERE head IS NOT NULL`,
    [type, max, hints],
  );
  const [row] = rows;
  if (row === undefined) return { ids: [], line: null };
  return { ids: row.head.groups.flatMap(({ ids }) => ids), line: row.head.line };
}

await onEveryServer(
  'a claim begins where its process says, and a whole look finds what stands further ahead',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const jobs = await Promise.all(Array.from({ length: 3 }, () => scene.newJob()));
    await store.insert(jobs);
    const client = await fixture.connect();
    const { rows } = await client.query<Standing>(
      `SELECT id, lane, rank_at::text AS rank, seq::text AS seq FROM pawl.live
       ORDER BY rank_at, live.seq`,
    );
    const [first, second, third] = rows as [Standing, Standing, Standing];
    const { type } = jobs[0]!;
    const hints = JSON.stringify({ [second.lane]: [second.rank, second.seq] });
    const hinted = await claimFrom(client, { type, max: 5, hints });
    assert.deepEqual(hinted.ids.toSorted(), [second.id, third.id].toSorted());
    assert.deepEqual(hinted.line, [[third.lane, third.rank, third.seq]]);
    assert.deepEqual(await claimFrom(client, { type, max: 5, hints: null }), {
      ids: [first.id],
      line: null,
    });
  },
);

await onEveryServer(
  'a claim says where it ended once it has walked over much that was taken before',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    const holder = await fixture.connect();
    // The first makes the type known, for all others.
    const first = await scene.newJob();
    const jobs = await Promise.all(Array.from({ length: 2_199 }, () => scene.newJob()));
    await store.insert([first, ...jobs]);
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await holder.query('SELECT count(*) FROM pawl.live');
    const last = await scene.newJob();
    await store.insert([last]);
    const client = await fixture.connect();
    const all = await claimFrom(client, { type: last.type, max: 2_200, hints: null });
    assert.deepEqual([all.ids.length, all.line], [2_200, null]);
    const { ids, line } = await claimFrom(client, { type: last.type, max: 1, hints: null });
    assert.deepEqual([ids, line?.length], [[last.id], 1]);
    await holder.query('ROLLBACK');
  },
);
