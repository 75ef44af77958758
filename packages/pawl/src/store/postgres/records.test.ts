// How records are found where there are many, and what those find who had to wait for one.
import assert from 'node:assert/strict';
import type { Client, Pool, PoolClient } from 'pg';
import { eventually } from '../../../../../test/support/eventually.ts';
import {
  onEveryServer,
  type StoreFixture,
} from '../../../../../test/support/postgres/store-fixture.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import type { PutOp, RecordKind, RecordQuery } from '../records.ts';
import { openPostgresStore, type PostgresStore } from './store.ts';

const page: RecordKind = { name: 'page', tags: ['colour', 'shape', 'size', 'state'] };

/** The server tells this session how it ran each statement. */
const EXPLAIN = `LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0;
  SET auto_explain.log_nested_statements = on; SET auto_explain.log_level = notice;`;

function explaining(pool: Pool): string[] {
  const plans: string[] = [];
  pool.on('connect', (client: PoolClient) => {
    client.on('notice', ({ message }) => plans.push(message ?? ''));
    void client.query(EXPLAIN);
  });
  return plans;
}

/** The index of each scan of records, with the condition by which it finds its rows. */
function scansOf(plans: readonly string[]): string[] {
  return plans.flatMap((plan) => {
    const lines = plan.split('\n').map((line) => line.trim());
    return lines.flatMap((line, index) => {
      const isWhole = /Seq Scan on records/.test(line);
      const [, plain, bitmap] =
        /using (records_\w+) on records|Bitmap Index Scan on (records_\w+)/.exec(line) ?? [];
      const name = isWhole ? 'none' : (plain ?? bitmap);
      return name === undefined ? [] : [`${name}: ${lines[index + 1]!}`];
    });
  });
}

const FILL = `INSERT INTO pawl.records (kind, tenant, id, version, tag_1, tag_2, tag_3, tag_4,
    due_at, job_id, created_at, updated_at, body)
  SELECT CASE n % 2 WHEN 0 THEN 'page' ELSE 'leaf' END, 'tenant ' || n % 20,
    lpad(n::text, 9, '0'), 1, 'colour ' || n % 1000, 'shape ' || n % 3000, 'size ' || n % 7000,
    CASE n % 500 WHEN 0 THEN 'open' ELSE 'done' END, n, 'job ' || n / 3, 0, 0, '{}'
  FROM generate_series(1, $1::int) n`;

type Look = (store: PostgresStore) => Promise<unknown>;

function list(query: Partial<RecordQuery>): Look {
  return (store) => store.records.list({ kind: page, tenants: ['tenant 2'], limit: 20, ...query });
}

const LOOKS: Readonly<Record<string, [look: Look, index: string]>> = {
  'by id': [list({ after: '000000500' }), 'records_pkey'],
  'by id, the last first': [list({ order: 'descending', before: '000000500' }), 'records_pkey'],
  'of several tenants': [list({ tenants: ['tenant 2', 'tenant 4'] }), 'records_pkey'],
  'by a tag': [list({ tags: { size: 'size 12' } }), 'records_tag_3'],
  'by a tag, of all tenants': [list({ tenants: null, tags: { size: 'size 12' } }), 'records_tag_3'],
  'of a job': [list({ jobId: 'job 20' }), 'records_job'],
  'what is due': [list({ tenants: null, order: 'due', due: { to: 'now' } }), 'records_due'],
  'what is due in a time': [
    list({ tenants: null, due: { from: 100, to: 120 }, order: 'due' }),
    'records_due',
  ],
  'a count of what is open': [
    ({ records }) => records.count({ kind: page, tenants: null, tags: { state: 'open' } }, 'shape'),
    'records_tag_4',
  ],
  'some by their keys': [
    ({ records }) =>
      records.read(
        ['000000002', '000000022'].map((id) => ({ kind: page, tenant: 'tenant 2', id })),
      ),
    'records_pkey',
  ],
  'a write': [
    ({ records }) =>
      records.write([
        { op: 'put', kind: page, tenant: 'tenant 2', id: '000000002', body: '{}' },
        { op: 'remove', kind: page, tenant: 'tenant 2', id: '000000022' },
        { op: 'add', kind: { name: 'sum' }, tenant: 'tenant 2', id: 'a', members: { n: 1 } },
      ]),
    'records_pkey',
  ],
};

async function checkPlans(store: PostgresStore, plans: string[], when: string): Promise<void> {
  for (const [title, [look, index]] of Object.entries(LOOKS)) {
    plans.length = 0;
    await look(store);
    const scans = scansOf(plans);
    const isFound = (scan: string): boolean => scan.startsWith(`${index}: Index Cond: (`);
    assert.ok(scans.length > 0 && scans.every(isFound), `${when}, ${title}: ${scans.join('; ')}`);
  }
}

async function filled(fixture: StoreFixture): Promise<{ store: PostgresStore; plans: string[] }> {
  const pool = fixture.pool();
  const plans = explaining(pool);
  const store = await fixture.open({ pool });
  const client = await fixture.connect();
  await client.query(`SET pawl.verb = 'on'`);
  await client.query(FILL, [60_000]);
  return { store, plans };
}

await onEveryServer('records are found by an index, whatever there is', async (fixture) => {
  const { store, plans } = await filled(fixture);
  await checkPlans(store, plans, 'just filled');
  const client = await fixture.connect();
  await client.query('ANALYZE pawl.records');
  await checkPlans(store, plans, 'with statistics');
});

function lease(owner: string): PutOp {
  const held = { owner, forMs: 500 };
  return { op: 'put', kind: page, tenant: 'acme', id: 'held', body: '{}', lease: held };
}

/** Somebody who keeps the record from everyone until told otherwise. */
async function holder(fixture: StoreFixture): Promise<Client> {
  const client = await fixture.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM pawl.records FOR UPDATE');
  return client;
}

async function seen(client: Client, what: string, sql: string): Promise<void> {
  await eventually(what, async () => (await client.query(sql)).rowCount === 1);
}

const WAITING = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
  AND query LIKE '%lock_records%' AND datname = current_database()`;
const RUN_OUT = `SELECT FROM pawl.records
  WHERE leased_until < extract(epoch FROM clock_timestamp()) * 1000`;

await onEveryServer(
  'who waited for a record judges its lease by the time then',
  async (fixture) => {
    const store = await openPostgresStore({ url: fixture.url, lifecycles });
    try {
      await store.records.write([lease('a')]);
      const [other, watcher] = [await holder(fixture), await fixture.connect()];
      const waiting = store.records.write([lease('b')]);
      await seen(watcher, 'the writer waits', WAITING);
      await seen(watcher, 'the lease has run out', RUN_OUT);
      await other.query('COMMIT');
      assert.equal((await waiting).kind, 'written');
    } finally {
      await store.close();
    }
  },
);

await onEveryServer('who waited for a record finds what was written meanwhile', async (fixture) => {
  const store = await fixture.open();
  await store.records.write([lease('a')]);
  const [other, watcher] = [await holder(fixture), await fixture.connect()];
  const expected = { version: 1 };
  const waiting = store.records.write([{ ...lease('a'), expected }]);
  await seen(watcher, 'the writer waits', WAITING);
  await other.query(`SET LOCAL pawl.verb = 'on'; UPDATE pawl.records SET version = 7`);
  await other.query('COMMIT');
  const outcome = await waiting;
  assert.ok(outcome.kind === 'refused');
  assert.deepEqual([outcome.reason, outcome.found!.version], ['version', 7]);
});
