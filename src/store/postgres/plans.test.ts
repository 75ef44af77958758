import assert from 'node:assert/strict';
import type { Client, Pool, PoolClient } from 'pg';
import { onEveryServer, type StoreRoom } from '../../../test/support/postgres/store-room.ts';
import { limitPolicyOf } from '../../core/limits.ts';
import type { Scene } from '../../../test/store/suite/scene.ts';
import type { PostgresStore } from './store.ts';

/** The server tells this session how it ran each statement, those inside functions too. */
const EXPLAIN = `LOAD 'auto_explain';
  SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
  SET auto_explain.log_level = notice;`;

function explaining(pool: Pool): string[] {
  const plans: string[] = [];
  pool.on('connect', (client: PoolClient) => {
    client.on('notice', ({ message }) => plans.push(message ?? ''));
    void client.query(EXPLAIN);
  });
  return plans;
}

const RATE = { max: 1_000, perMs: 1 };
const LIMITS = limitPolicyOf({
  runningPerKey: 1,
  rate: { perUser: RATE, perOrganisation: RATE },
})!;

/** One after the other of three jobs of a full key. */
async function limitOnce(store: PostgresStore, scene: Scene): Promise<void> {
  await scene.type('single', 'task', { limits: LIMITS });
  for (let n = 0; n < 3; n++) {
    await scene.enqueue({ type: 'single', documentId: 'd', requestedBy: 'u' });
  }
  for (let n = 0; n < 3; n++) {
    const claimed = await store.claim(scene.claimRequest({ types: ['single'] }));
    assert.equal(claimed.length, 1);
    await scene.ask(claimed[0]!.job, { on: 'succeed' });
  }
}

/** One job's life through every verb of the hot path. */
async function liveOnce(store: PostgresStore, scene: Scene): Promise<void> {
  await limitOnce(store, scene);
  const jobs = await Promise.all(Array.from({ length: 20 }, () => scene.newJob()));
  await store.insert(jobs);
  const claimed = await store.claim(scene.claimRequest({ max: 20, requestId: 'r' }));
  assert.equal(claimed.length, 20);
  const owned = claimed.map(({ job }) => job);
  await store.renew(owned.map(({ tenant, id, epoch }) => ({ tenant, id, epoch, owner: 'w1' })));
  const done = owned.slice(1).map((job) => scene.move(job, { on: 'succeed' }));
  const failed = scene.move(owned[0]!, {
    on: 'fail',
    error: { class: 'network_timeout', message: '' },
  });
  for (const moves of [[failed, done[0]!], done.slice(1)]) {
    const outcomes = await store.apply(moves);
    assert.ok(outcomes.every(({ kind }) => kind === 'moved'));
  }
  await store.due(100);
  await store.expired(100);
  await store.read(jobs);
}

/** What of a plan touches the jobs: the scan and the condition by which it finds its rows. */
function scansOfJobs(plans: readonly string[]): string[] {
  return plans.flatMap((plan) => {
    const lines = plan.split('\n').map((line) => line.trim());
    return lines.flatMap((line, index) => {
      const scan = /(\w+ (?:Only )?Scan(?: Backward)?(?: using \w+)?) on jobs/.exec(line)?.[1];
      if (scan === undefined) return [];
      const condition = /^(Index|TID) Cond/.test(lines[index + 1]!)
        ? lines[index + 1]!
        : 'everything';
      return [`${scan}: ${condition}`];
    });
  });
}

const ALLOWED: readonly RegExp[] = [
  /^Tid Scan: TID Cond: \((ctid = c\w*\.tid|c\w*\.tid = ctid)\)/,
  /^Index Scan using jobs_pkey: Index Cond: \(id = ANY/,
  /^Index (?:Only )?Scan using jobs_claim: Index Cond: \(\(tenant_id = .* \(queue = .* \(type = /,
  // Parked jobs are found by their key alone, so that those of other keys cost a claim nothing.
  /^Index (?:Only )?Scan using jobs_parked: Index Cond: \(\(?limit_key [=>]/,
  /^Index (?:Only )?Scan using jobs_admitted: Index Cond: \(limit_key = /,
  /^Index (?:Only )?Scan using jobs_user_line: Index Cond: \(\(?user_key [=>]/,
  /^Index (?:Only )?Scan using jobs_user_open: Index Cond: \(user_key = /,
  /^Index (?:Only )?Scan using jobs_organisation_line: Index Cond: \(\(?organisation_key [=>]/,
  /^Index (?:Only )?Scan using jobs_organisation_open: Index Cond: \(organisation_key = /,
  /^Index Scan using jobs_timer: Index Cond: \(\(gate = \d\) AND \(run_at <= /,
  // The sweep of expired leases looks at all that are owned: their deadlines are in no index.
  /^Index Scan using jobs_claims: everything/,
  // A claim that is asked again finds what it won, whatever else its owner holds.
  /^Index (?:Only )?Scan using jobs_claims: Index Cond: \(\(lease_owner = .* \(claim_request = /,
];

function checkPlans(plans: string[], when: string): void {
  const scans = new Set(scansOfJobs(plans.splice(0)));
  for (const scan of scans) {
    assert.ok(
      ALLOWED.some((allowed) => allowed.test(scan)),
      `${when}: ${scan}`,
    );
  }
  for (const [index, allowed] of ALLOWED.entries()) {
    assert.ok(
      [...scans].some((scan) => allowed.test(scan)),
      `${when}: no plan like ${index}`,
    );
  }
}

async function fill(
  client: Client,
  [phase, gate]: readonly [phase: number, gate: number | null],
): Promise<void> {
  await client.query(
    `INSERT INTO pawl.jobs (tenant_id, id, born, type, queue, lifecycle, policy, state, phase, gate,
       limit_key, epoch, version, notes, priority, run_at, attempts, max_attempts, retry_count,
       progress,
       created_at, updated_at, input)
     SELECT 1, gen_random_uuid(), current_date, 'task', 'other', 1, 1, 's', $1::smallint,
       $2::smallint, CASE $2 WHEN 3 THEN '3 1 task documentId d' END, 1, 1, 0, 0,
       now(), 0, 3, 0, 0, now(), now(), '{}'
     FROM generate_series(1, 20000)`,
    [phase, gate],
  );
}

async function setUp(room: StoreRoom): Promise<{
  store: PostgresStore;
  scene: Scene;
  client: Client;
  plans: string[];
}> {
  const pool = room.pool(1);
  const plans = explaining(pool);
  const store = await room.open({ pool });
  const client = await room.connect();
  await client.query('ALTER TABLE pawl.jobs SET (autovacuum_enabled = false)');
  const scene = room.scene(store);
  await scene.newJob();
  plans.splice(0);
  return { store, scene, client, plans };
}

/** Phase and gate of those that fill the table; parked ones are all of one key. */
const CROWDS = { queued: [1, 0], parked: [1, 3], finished: [5, null] } as const;

for (const [name, crowd] of Object.entries(CROWDS)) {
  await onEveryServer(
    `plans made for an empty table stay right with ${name} jobs`,
    async (room) => {
      const { store, scene, client, plans } = await setUp(room);
      await liveOnce(store, scene);
      checkPlans(plans, 'never analysed');
      await client.query('ANALYZE');
      await liveOnce(store, scene);
      checkPlans(plans, 'analysed while nearly empty');
      await fill(client, crowd);
      await liveOnce(store, scene);
      checkPlans(plans, `filled with ${name} jobs behind the statistics' back`);
      await client.query('ANALYZE');
      await liveOnce(store, scene);
      checkPlans(plans, `analysed with ${name} jobs`);
    },
  );
}

await onEveryServer(
  'a tally walks from line to line and never through the table, whatever is known of it',
  async (room) => {
    const { store, scene, client, plans } = await setUp(room);
    for (const crowd of [...Object.values(CROWDS), [0, null] as const]) await fill(client, crowd);
    await scene.enqueue();
    for (const when of ['never analysed', 'analysed']) {
      for (const tenant of [scene.tenant, null]) {
        plans.splice(0);
        await store.tally(tenant, 100);
        const scans = scansOfJobs(plans.splice(0));
        assert.equal(scans.length, 7, when);
        const isOfLines = /^Index (?:Only )?Scan using jobs_(claim|aside|claims): /;
        for (const scan of scans) assert.match(scan, isOfLines, when);
      }
      await client.query('ANALYZE');
    }
  },
);

await onEveryServer('the tail finds an event in the day of its job and no other', async (room) => {
  const { store, scene, client, plans } = await setUp(room);
  await client.query(`SELECT pawl.ensure_days_v1(current_date - 20, current_date)`);
  await fill(client, CROWDS.finished);
  await client.query(
    `INSERT INTO pawl.events (tenant_id, job_id, version, born, ts, type, to_state, phase, epoch,
       attempt, retry_count, progress, actor)
     SELECT 1, gen_random_uuid(), 1, current_date - n % 20, now(), 'job_created', 's', 1, 1, 0, 0,
       0, 'a' FROM generate_series(1, 20000) n`,
  );
  await client.query('ANALYZE');
  await scene.enqueue();
  await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0;
    SET auto_explain.log_nested_statements = on; SET auto_explain.log_level = notice;
    SET auto_explain.log_analyze = on`);
  client.on('notice', ({ message }) => plans.push(message ?? ''));
  const { items } = await store.tail({ tenant: scene.tenant, from: 'start', limit: 9 });
  const { jobId, version } = items[0]!.event;
  plans.splice(0);
  const { rowCount } = await client.query(`SELECT * FROM pawl.logged_v2($1, $2, $3, $4, $5)`, [
    [1],
    [jobId],
    [version],
    [0],
    ['2026-01-01'],
  ]);
  assert.equal(rowCount, 1);
  const scans = plans.join('\n').matchAll(/ on (events_\d+) .*$/gm);
  const used = new Set<string>();
  for (const [line, day] of scans) if (!line.includes('never executed')) used.add(day!);
  assert.equal(used.size, 1, [...used].join());
});

const SEARCH = { createdFrom: 1, text: 't', error: 'e', fingerprint: 'f', window: 1_000 };

await onEveryServer(
  'a search walks the key of the jobs and never their table, whatever is known of it',
  async (room) => {
    const { store, scene, client, plans } = await setUp(room);
    await fill(client, CROWDS.finished);
    await scene.enqueue({ documentId: 'd' });
    for (const when of ['never analysed', 'analysed']) {
      plans.splice(0);
      await store.list({ tenant: scene.tenant, limit: 50, ...SEARCH });
      await store.list({ tenant: scene.tenant, limit: 50, documentId: 'd', ...SEARCH });
      const scans = scansOfJobs(plans.splice(0)).filter((scan) => !scan.includes('= ANY'));
      assert.equal(scans.length, 4, when);
      for (const scan of scans) assert.match(scan, /^Index (?:Only )?Scan/, when);
      await client.query('ANALYZE');
    }
  },
);
