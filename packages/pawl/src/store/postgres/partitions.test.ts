import assert from 'node:assert/strict';
import type { Client } from 'pg';
import {
  onEveryServer,
  type StoreFixture,
} from '../../../../../test/support/postgres/store-fixture.ts';
import { eventually } from '../../../../../test/support/eventually.ts';
import { SeededRandom } from '../../core/random.ts';
import type { Purge, Purged } from '../retention.ts';
import { Database } from './database.ts';
import { migrate } from './migrations-runner.ts';
import type { PostgresStore } from './store.ts';

const DAY = 86_400_000;
const NOTHING: Purge = { jobs: null, notes: null, feed: null, keys: null, limit: 100 };

async function partitionsOf(client: Client, parent: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = $1::regclass ORDER BY 1`,
    [`pawl.${parent}`],
  );
  return rows.map(({ name }) => name);
}

async function purge(store: PostgresStore, cuts: Partial<Purge>): Promise<Purged[]> {
  const slices: Purged[] = [];
  do slices.push(await store.purge({ ...NOTHING, ...cuts }));
  while (slices.at(-1)!.hasMore);
  return slices;
}

/** Where the facts of a job lie. */
async function tableOf(client: Client, id: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT tableoid::regclass::text AS name FROM pawl.facts WHERE id = $1
     UNION ALL SELECT 'pawl.facts_other' FROM pawl.facts_other WHERE id = $1`,
    [id],
  );
  return rows[0]!.name;
}

await onEveryServer(
  'partitions are made ahead of time, twelve at most, and none by default',
  async (fixture) => {
    const store = await fixture.open();
    const client = await fixture.connect();
    for (let week = 0; week < 30; week++) {
      fixture.clock.advance(7 * DAY);
      await purge(store, {
        jobs: fixture.clock.now() - 30 * DAY,
        notes: fixture.clock.now() - 7 * DAY,
      });
      for (const parent of ['facts', 'ended', 'log', 'notes']) {
        const names = await partitionsOf(client, parent);
        assert.ok(names.length >= 4 && names.length <= 12, `${parent}: ${names.length}`);
      }
    }
    const { rows } = await client.query(
      `SELECT FROM pg_class WHERE pg_get_expr(relpartbound, oid) = 'DEFAULT'`,
    );
    assert.equal(rows.length, 0);
  },
);

await onEveryServer(
  'an id of now lies in a partition, one of any other time or kind beside them',
  async (fixture) => {
    const scene = fixture.scene(await fixture.open());
    const client = await fixture.connect();
    const { id } = await scene.enqueue();
    assert.match(await tableOf(client, id), /facts_\d/);
    const others = [
      'ffffffff-ffff-4fff-bfff-ffffffffffff',
      '00000000-0000-4000-8000-000000000001',
      '01000000-0000-7000-8000-000000000001',
      'f1000000-0000-7000-8000-000000000001',
    ];
    for (const other of others) {
      await scene.insert({ id: other });
      const job = (await scene.claim()).find((one) => one.job.id === other)!.job;
      assert.equal(await tableOf(client, other), 'pawl.facts_other');
      const ended = await scene.ask(job, { on: 'succeed' });
      assert.deepEqual([ended.phase, (await scene.events(job)).length], ['succeeded', 3]);
    }
  },
);

await onEveryServer('jobs go on where no partition was made for their time', async (fixture) => {
  const store = await fixture.open();
  const scene = fixture.scene(store);
  fixture.clock.advance(400 * DAY);
  const job = await scene.running();
  const client = await fixture.connect();
  await client.query('BEGIN');
  const other = await scene.newJob();
  await store.within(client)([other]);
  await client.query('COMMIT');
  assert.equal((await scene.events(job)).length, 2);
  assert.equal((await scene.events(other)).length, 1);
});

/** A job that has ended, one that has not, and the log's entries of both. */
async function two(fixture: StoreFixture, store: PostgresStore) {
  const scene = fixture.scene(store);
  const ended = await scene.ask(await scene.running(), { on: 'succeed' });
  const open = await scene.enqueue({ metadata: '{"a":1}' });
  return { scene, ended, open, history: await scene.events(open) };
}

await onEveryServer(
  'a partition goes when its time is over, and jobs that have not ended are carried on',
  async (fixture) => {
    const store = await fixture.open();
    const { scene, ended, open, history } = await two(fixture, store);
    const client = await fixture.connect();
    const partition = await tableOf(client, open.id);
    for (let month = 0; month < 4; month++) {
      fixture.clock.advance(30 * DAY);
      await purge(store, {
        jobs: fixture.clock.now() - 30 * DAY,
        notes: fixture.clock.now() - DAY,
      });
    }
    assert.deepEqual(await store.read([ended]), [null]);
    const [kept] = await store.read([open]);
    assert.deepEqual([kept!.input, kept!.metadata], [open.input, open.metadata]);
    assert.deepEqual(await scene.events(open), history);
    assert.equal(await tableOf(client, open.id), 'pawl.facts_other');
    const { rows } = await client.query('SELECT to_regclass($1) IS NULL AS gone', [partition]);
    assert.deepEqual(rows, [{ gone: true }]);
    await scene.ask(await scene.claimOne(), { on: 'succeed' });
    for (const table of ['details', 'stages', 'annotations', 'positions']) {
      const { rowCount } = await client.query(`SELECT FROM pawl.${table}`);
      assert.equal(rowCount, 0, table);
    }
  },
);

await onEveryServer(
  'a partition that somebody still reads is dropped another time, and keeps nobody waiting',
  async (fixture) => {
    const store = await fixture.open();
    const { scene, open } = await two(fixture, store);
    const reader = await fixture.connect();
    const partition = await tableOf(reader, open.id);
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pawl.facts');
    fixture.clock.advance(60 * DAY);
    const slices = purge(store, { jobs: fixture.clock.now() - 30 * DAY });
    await scene.enqueue();
    const watcher = await fixture.connect();
    await slices;
    const { rows } = await watcher.query('SELECT to_regclass($1) IS NULL AS gone', [partition]);
    assert.deepEqual(rows, [{ gone: false }]);
    await reader.query('COMMIT');
    await purge(store, { jobs: fixture.clock.now() - 30 * DAY });
    await eventually('the partition is gone', async () => {
      const found = await watcher.query('SELECT to_regclass($1) IS NULL AS gone', [partition]);
      return found.rows[0].gone === true;
    });
  },
);

await onEveryServer(
  'what a purge had closed before it died is dropped by the next one',
  async (fixture) => {
    const store = await fixture.open();
    await two(fixture, store);
    const client = await fixture.connect();
    fixture.clock.advance(60 * DAY);
    const before = await partitionsOf(client, 'facts');
    await client.query('SELECT pawl_verbs_1.close_partition($1, 100)', [fixture.clock.now() - DAY]);
    assert.deepEqual(await partitionsOf(client, 'facts'), before, 'closed, and still there');
    await purge(store, { jobs: fixture.clock.now() - 30 * DAY });
    assert.ok(!(await partitionsOf(client, 'facts')).includes(before[0]!));
  },
);

await onEveryServer(
  'a partition is frozen once, when its time has been over for a day',
  async (fixture) => {
    const store = await fixture.open();
    const client = await fixture.connect();
    const frozen = async (): Promise<{ name: string; at: Date; age: number }[]> => {
      const { rows } = await client.query<{ name: string; at: Date; age: number }>(
        `SELECT p.name, p.frozen_at AS at, age(c.relfrozenxid) AS age FROM pawl.partitions p
       JOIN pg_class c ON c.relname = p.name
       WHERE p.frozen_at IS NOT NULL AND p.parent <> 'notes' ORDER BY 1`,
      );
      return rows;
    };
    const [first] = await partitionsOf(client, 'facts');
    const { id } = await fixture.scene(store).enqueue();
    assert.equal(await tableOf(client, id), `pawl.${first}`);
    await purge(store, {});
    assert.deepEqual(await frozen(), []);
    fixture.clock.advance(7 * DAY);
    for (let n = 0; n < 3; n++) await purge(store, {});
    const [ended, facts, ...more] = await frozen();
    assert.deepEqual(
      [facts?.name, ended?.name, more],
      [first, first!.replace('facts', 'ended'), []],
    );
    assert.ok(facts!.age < 20, `${facts!.age} transactions ago`);
    fixture.clock.advance(60_000);
    await purge(store, {});
    assert.deepEqual(
      (await frozen()).map(({ at }) => at),
      [ended!.at, facts!.at],
    );
  },
);

await onEveryServer(
  'tables and partitions have settings of their own for vacuum',
  async (fixture) => {
    await fixture.open();
    const client = await fixture.connect();
    const { rows } = await client.query<{ name: string; options: string }>(
      `SELECT c.relname AS name, array_to_string(c.reloptions, ' ') AS options FROM pg_class c
     WHERE c.relnamespace = 'pawl'::regnamespace AND c.relkind = 'r'
       AND (c.relispartition OR c.relname IN ('live', 'keys', 'details', 'log_late'))`,
    );
    assert.ok(rows.length > 15);
    for (const { name, options } of rows) {
      const wanted = /_(?:\d|moved)/.test(name)
        ? /autovacuum_freeze_min_age=0/
        : /autovacuum_vacuum_threshold/;
      assert.match(options ?? '', wanted, name);
    }
  },
);

await onEveryServer(
  'a job whose id is of a time to come keeps its history for as long as it is kept itself',
  async (fixture) => {
    const store = await fixture.open();
    const scene = fixture.scene(store);
    await purge(store, { jobs: fixture.clock.now() - 30 * DAY });
    const jobs = [];
    for (const days of [0.9, 3, 12, 20]) {
      const hex = (fixture.clock.now() + days * DAY).toString(16).padStart(12, '0');
      await scene.insert({ id: `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001` });
      jobs.push(await scene.ask(await scene.claimOne(), { on: 'succeed' }));
    }
    for (let day = 0; day < 70; day += 2) {
      fixture.clock.advance(2 * DAY);
      await purge(store, { jobs: fixture.clock.now() - 30 * DAY });
      for (const job of jobs) {
        const [found] = await store.read([job]);
        if (found) assert.equal((await scene.events(job)).length, 3, `${job.id}, day ${day}`);
      }
    }
    assert.deepEqual(await store.read(jobs), [null, null, null, null]);
  },
);

/** When whoever waits for a lock began to. */
async function waitingSince(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ since: string }>(
    `SELECT query_start::text AS since FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event = 'advisory'`,
  );
  return rows[0]?.since ?? null;
}

await onEveryServer(
  'a store that is opened while another makes the first partitions waits for them',
  async (fixture) => {
    const pool = fixture.pool();
    const random = new SeededRandom(1);
    await migrate(new Database({ pool, isOwn: false, schema: 'pawl', random }));
    const [other, client] = [await fixture.connect(), await fixture.connect()];
    await other.query(
      'SET search_path = pawl; BEGIN; SELECT pg_advisory_xact_lock(partitions_lock())',
    );
    let isOpen = false;
    const opened = fixture.open().then((store) => {
      isOpen = true;
      return store;
    });
    const first = await eventually('it waits', () => waitingSince(client));
    await eventually('it has given up, and waits again or goes on without', async () => {
      const since = await waitingSince(client);
      return isOpen || (since !== null && since !== first);
    });
    await other.query('COMMIT');
    const scene = fixture.scene(await opened);
    const { id } = await scene.enqueue();
    assert.match(await tableOf(other, id), /facts_\d/);
  },
);
