// How the verbs find their rows, whatever the statistics say: by an index, and in few partitions.
import assert from 'node:assert/strict';
import type { Client, Pool, PoolClient } from 'pg';
import {
  onEveryServer,
  type StoreFixture,
} from '../../../../../test/support/postgres/store-fixture.ts';
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

/** One job's life through every verb of the hot path, and what is read of it. */
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
  await store.untilDue();
  await store.read(jobs);
  await scene.events(jobs[1]!);
  await store.tail({ tenant: scene.tenant, from: 'start', limit: 10 });
}

/** Tables that grow; what lies beside them is small. */
const GROWING = /^(facts|live|keys|details|stages|ended|annotations|log|log_texts|notes|positions)/;

/** The sequence, and what functions and other parts of a plan hand on. */
const ASIDE = /log_n$|^(Function|CTE|Subquery) Scan/;

interface Scan {
  readonly how: string;
  readonly table: string;
  readonly condition: string | null;
}

function scansOf(plans: readonly string[]): Scan[] {
  return plans.flatMap((plan) => {
    const lines = plan.split('\n').map((line) => line.trim());
    return lines.flatMap((line, index): Scan[] => {
      const found = /(\w+ (?:Only )?Scan)(?: Backward)?(?: using (\w+))? on (\w+)/.exec(line);
      if (found === null || !GROWING.test(found[3]!) || ASIDE.test(`${found[1]} ${found[3]}`)) {
        return [];
      }
      const next = lines[index + 1] ?? '';
      const condition = /^(Index|TID) Cond/.test(next) ? next : null;
      return [{ how: `${found[1]} ${found[2] ?? ''}`, table: found[3]!, condition }];
    });
  });
}

/** A look at the first of an index, and the owned, whose leases are in no index. */
const UNCONDITIONAL = /live_(timer|owned|claim)|_pkey|keys_/;

function checkPlans(plans: string[], when: string): void {
  const scans = scansOf(plans.splice(0));
  assert.ok(scans.length > 20, `${when}: ${scans.length} scans`);
  for (const { how, table, condition } of scans) {
    const text = `${when}: ${how} on ${table} ${condition ?? 'everything'}`;
    assert.doesNotMatch(how, /^Seq Scan|^Bitmap/, text);
    if (condition === null) assert.match(how, UNCONDITIONAL, text);
  }
}

async function setUp(fixture: StoreFixture): Promise<{
  store: PostgresStore;
  scene: Scene;
  client: Client;
  plans: string[];
}> {
  const pool = fixture.pool(1);
  const plans = explaining(pool);
  const store = await fixture.open({ pool });
  const client = await fixture.connect();
  await client.query(`SET pawl.verb = 'on'`);
  await client.query('ALTER TABLE pawl.live SET (autovacuum_enabled = false)');
  const scene = fixture.scene(store);
  await scene.enqueue();
  plans.splice(0);
  return { store, scene, client, plans };
}

/** The one that waits, so many times more: claimable, or parked at one key. */
async function crowd(client: Client, gate: number): Promise<void> {
  await client.query(
    `WITH one AS (SELECT * FROM pawl.live LIMIT 1)
     INSERT INTO pawl.live SELECT (r).* FROM (
       SELECT jsonb_populate_record(NULL::pawl.live, to_jsonb(one) || jsonb_build_object(
         'id', gen_random_uuid(), 'seq', n, 'lane', 7, 'gate', $1::int, 'phase', 1,
         'owner', NULL, 'token', NULL, 'lease_expiry', NULL)) AS r
       FROM one, generate_series(1, 20000) n) x`,
    [gate],
  );
}

for (const [name, gate] of Object.entries({ queued: 0, parked: 3, delayed: 1 })) {
  await onEveryServer(
    `plans made for an empty table stay right with ${name} jobs`,
    async (fixture) => {
      const { store, scene, client, plans } = await setUp(fixture);
      await liveOnce(store, scene);
      checkPlans(plans, 'never analysed');
      await client.query('ANALYZE');
      await liveOnce(store, scene);
      checkPlans(plans, 'analysed while nearly empty');
      await scene.enqueue();
      await crowd(client, gate);
      await liveOnce(store, scene);
      checkPlans(plans, `filled with ${name} jobs behind the statistics' back`);
      await client.query('ANALYZE');
      await liveOnce(store, scene);
      checkPlans(plans, `analysed with ${name} jobs`);
    },
  );
}

await onEveryServer(
  'a claim and a read open the partitions of their ids and no other',
  async (fixture) => {
    const { store, scene, client, plans } = await setUp(fixture);
    await client.query('SET auto_explain.log_analyze = on');
    const job = await scene.enqueue();
    const { rows } = await client.query<{ name: string }>(
      'SELECT tableoid::regclass::text AS name FROM pawl.facts WHERE id = $1',
      [job.id],
    );
    plans.splice(0);
    await store.claim(scene.claimRequest({ max: 5 }));
    await store.read([job]);
    const own = rows[0]!.name.replace('pawl.', '').replace('facts_', '');
    const partitions = plans
      .join('\n')
      .matchAll(/Scan(?: Backward)?(?: using \w+)? on (?:facts|ended)_(\d\w+)/g);
    for (const [, partition] of partitions) assert.equal(partition, own);
  },
);

/** The tables that plans look into by an id, a partition by the name of its parent. */
function tablesOf(plans: string[]): string[] {
  const tables = scansOf(plans.splice(0)).map(({ table, condition }) => {
    assert.match(condition ?? '', /id = /, `${table} ${condition}`);
    return table.replace(/_\d\w+$/, ' (one)');
  });
  return tables.toSorted();
}

await onEveryServer(
  'a read looks for a job among the live, then among the ended of its partition',
  async (fixture) => {
    const { store, scene, plans } = await setUp(fixture);
    const job = await scene.enqueue();
    plans.splice(0);
    await store.read([job]);
    assert.deepEqual(tablesOf(plans), ['details', 'facts (one)', 'live', 'live']);
    const [claimed] = await store.claim(scene.claimRequest({ max: 5 }));
    await scene.ask(claimed!.job, { on: 'succeed' });
    plans.splice(0);
    await store.read([claimed!.job]);
    const ended = ['annotations', 'details', 'ended (one)', 'facts (one)', 'live'];
    assert.deepEqual(tablesOf(plans), ended);
  },
);

await onEveryServer('[R19] rare events are found by kind and time', async (fixture) => {
  await fixture.open();
  const client = await fixture.connect();
  await client.query('SET enable_seqscan = off');
  const { rows } = await client.query<Record<string, string>>(
    'EXPLAIN SELECT * FROM pawl.log WHERE kind = 11 AND ts > now()',
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  assert.match(plan, /Index Cond: \(\(kind = 11\) AND \(ts > now\(\)\)\)/);
  assert.doesNotMatch(plan, /Seq Scan/);
});
