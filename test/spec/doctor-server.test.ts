// What the doctor and the metrics say of a PostgreSQL server that is in trouble for real.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { judge } from 'pawl/internal/doctor/checks';
import { type Facts, gatherFacts } from 'pawl/internal/doctor/facts';
import type { Finding } from 'pawl/internal/doctor/finding';
import type { Holder } from 'pawl/internal/store/maintenance';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { type Cluster, startCluster } from '../support/postgres/cluster.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { findInstallations } from '../support/postgres/installations.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { openWorld, type World } from '../support/world.ts';

const HOUR_MS = 3_600_000;

interface Place {
  readonly world: World;
  /** Somebody else, who may do anything. */
  readonly client: pg.Client;
  readonly pid: number;
}

async function inDatabase(server: { url: string }, show: (place: Place) => Promise<void>) {
  const database = await freshDatabase(server);
  const client = new pg.Client({ connectionString: database.url, application_name: 'stranger' });
  await client.connect();
  const world = await openWorld({
    // Partitions are made by the same clock that the doctor looks at.
    store: (ports) => openPostgresStore({ ...ports, clock: undefined, url: database.url }),
    types: { mail: { lifecycle: 'task' } },
  });
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await show({ world, client, pid: rows[0]!.pid });
  } finally {
    await world.close();
    await client.query('ROLLBACK');
    const { rows } = await client.query<{ gid: string }>('SELECT gid FROM pg_prepared_xacts');
    for (const { gid } of rows) await client.query(`ROLLBACK PREPARED '${gid}'`);
    await client.end();
    await database.drop();
  }
}

function findingsOf(facts: Facts, check: string): string[] {
  const found = judge(facts).filter((one: Finding) => one.check === check);
  return found.map(({ level, message }) => `${level}: ${message}`);
}

/** The facts as they would be if whoever holds something had held it for an hour more. */
function later(facts: Facts): Facts {
  const { server } = facts.figures;
  const older = (one: Holder): Holder => ({
    ...one,
    ms: one.ms === null ? null : one.ms + HOUR_MS,
  });
  const holders = server!.holders.map(older);
  return {
    ...facts,
    figures: { ...facts.figures, server: { ...server!, holders } },
    vitals: { ...facts.vitals, tailLagMs: facts.vitals.tailLagMs + HOUR_MS },
  };
}

const ONLY_TODAY = `SET search_path = pawl; UPDATE partitions SET is_closed = true
  WHERE parent = 'facts' AND low > id_at(now())::text;
  UPDATE partitions SET high = id_at(now() + interval '1 day')::text WHERE NOT is_closed`;

for (const server of await postgresServers()) {
  test(`a guard that is missing or switched off is named (${server.label})`, () =>
    inDatabase(server, async ({ world: { context }, client }) => {
      const facts = await gatherFacts(context);
      assert.deepEqual(findingsOf(facts, 'guards'), ['good: every table has its guards']);
      const { rows } = await client.query<{ name: string }>(
        `SELECT name FROM pawl.partitions WHERE parent = 'facts' ORDER BY low LIMIT 1`,
      );
      const { name } = rows[0]!;
      await client.query(`ALTER TABLE pawl.${name} DISABLE TRIGGER only_verbs`);
      await client.query('DROP TRIGGER guard_move ON pawl.live');
      assert.deepEqual(findingsOf(await gatherFacts(context), 'guards'), [
        `fault: the guard only_verbs of the table ${name} is switched off`,
        'fault: the guard guard_move of the table live is missing',
      ]);
    }));

  test(`too few partitions ahead are a fault (${server.label})`, () =>
    inDatabase(server, async ({ world: { context }, client }) => {
      const [enough] = findingsOf(await gatherFacts(context), 'partitions');
      assert.match(enough!, /^good: jobs have partitions for \d+ days ahead$/);
      await client.query(ONLY_TODAY);
      const [few] = findingsOf(await gatherFacts(context), 'partitions');
      assert.match(few!, /^fault: jobs have partitions for [01] days ahead only$/);
    }));

  test(`who keeps readers of the log waiting is named (${server.label})`, () =>
    inDatabase(server, async ({ world, client, pid }) => {
      const { store } = world.context;
      await client.query('BEGIN; SET LOCAL search_path = pawl; SELECT draw()');
      await world.enqueue('mail', {});
      const facts = await gatherFacts(world.context);
      assert.match(facts.figures.server!.markHolder!.name, new RegExp(`^process ${pid} of`));
      const [waits] = findingsOf(later(facts), 'tail');
      assert.match(waits!, new RegExp(`^warning: .* behind process ${pid} .*stranger, idle in`));
      assert.ok((await store.maintenance.vitals()).gauges['postgres_log_mark_seconds']! > 0);
      await client.query('ROLLBACK');
      assert.equal((await store.maintenance.vitals()).gauges['postgres_log_mark_seconds'], 0);
    }));

  test(`dead rows and the size of the claim's index are metrics (${server.label})`, () =>
    inDatabase(server, async ({ world, client }) => {
      await world.enqueue('mail', {});
      await client.query(`SET pawl.verb = 'on'`);
      await client.query('UPDATE pawl.live SET progress = 1');
      await client.query('SELECT pg_stat_force_next_flush()');
      const { gauges } = await world.store.maintenance.vitals();
      assert.equal(gauges['postgres_live_dead_rows'], 1);
      assert.equal(gauges['postgres_keys_dead_rows'], 0);
      assert.ok(gauges['postgres_claim_index_bytes']! > 0);
    }));
}

const newest = findInstallations().at(-1);

/** The server freezes by force as early as it can be told to. */
const SETTINGS = {
  max_prepared_transactions: '5',
  wal_level: 'logical',
  autovacuum: 'off',
  autovacuum_freeze_max_age: '100000',
};

const BURN = `DO $$ BEGIN
  FOR i IN 1..160000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP;
END $$`;

describe('who keeps dead rows', { skip: newest === undefined }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster(newest!.binFolder, SETTINGS);
  });
  after(() => cluster.stop());

  test('a session, a prepared transaction and a slot are named, with their age', () =>
    inDatabase(cluster, async ({ world: { context }, client, pid }) => {
      assert.deepEqual(findingsOf(later(await gatherFacts(context)), 'horizon'), [
        'good: no old transaction keeps dead rows',
      ]);
      await client.query('CREATE TABLE other (n int)');
      await client.query(`BEGIN; INSERT INTO other VALUES (1); PREPARE TRANSACTION 'forgotten'`);
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM other');
      const facts = later(await gatherFacts(context));
      const [session, prepared] = findingsOf(facts, 'horizon');
      const named = new RegExp(
        `^warning: the session process ${pid} of postgres \\(stranger, idle`,
      );
      assert.match(session!, named);
      assert.match(session!, /has kept dead rows for 60 minutes$/);
      assert.equal(
        prepared,
        'warning: the prepared transaction forgotten has kept dead rows for 60 minutes',
      );
      const { gauges } = await context.store.maintenance.vitals();
      assert.ok(gauges['postgres_horizon_seconds']! > 0);
      assert.ok(gauges['postgres_horizon_transactions']! > 0);
      await client.query('COMMIT');
      await client.query(`ROLLBACK PREPARED 'forgotten'`);
      await client.query(`SELECT pg_create_logical_replication_slot('left_behind', 'pgoutput')`);
      const { server } = (await gatherFacts(context)).figures;
      assert.deepEqual(
        server!.holders.map(({ kind, name }) => `${kind} ${name}`),
        ['replication slot left_behind'],
      );
      await client.query(`SELECT pg_drop_replication_slot('left_behind')`);
    }));

  test('rows that cannot be frozen in time are a warning', () =>
    inDatabase(cluster, async ({ world: { context }, client }) => {
      const [good] = findingsOf(await gatherFacts(context), 'wraparound');
      assert.equal(good, 'good: old rows are frozen early enough');
      await client.query('CREATE TABLE other (n int)');
      await client.query(`BEGIN; INSERT INTO other VALUES (1); PREPARE TRANSACTION 'forgotten'`);
      await client.query(BURN);
      const [old] = findingsOf(await gatherFacts(context), 'wraparound');
      assert.match(
        old!,
        /^warning: the oldest transaction number .* is 1\d{5} back, though .* 100000 on$/,
      );
      const { gauges } = await context.store.maintenance.vitals();
      assert.ok(gauges['postgres_transaction_age']! > 150_000);
      assert.ok(gauges['postgres_multixact_age']! >= 0);
    }));
});
