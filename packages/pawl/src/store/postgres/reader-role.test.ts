// A second wall between tenants: what a query forgets to ask for, the database does.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import {
  onEveryServer,
  type StoreFixture,
} from '../../../../../test/support/postgres/store-fixture.ts';
import type { Scene } from '../../../test/store/suite/scene.ts';
import { lettersWith } from '../../records/dead-letters.ts';
import { recordsOf } from '../../records/records.ts';
import type { PostgresStore } from './store.ts';

/** A role of the operator, without any right of its own, for as long as the test runs. */
async function withReader(
  fixture: StoreFixture,
  body: (role: string) => Promise<void>,
): Promise<void> {
  const role = `reader_${randomBytes(6).toString('hex')}`;
  const client = await fixture.connect();
  await client.query(`CREATE ROLE ${role} NOLOGIN`);
  try {
    await body(role);
  } finally {
    await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
}

/** Whoever reads through this pool has forgotten which tenant was asked for. */
function forgetful(pool: pg.Pool): pg.Pool {
  const connect = pool.connect.bind(pool);
  pool.connect = (async () => {
    const client = await connect();
    const query = client.query.bind(client) as (config: unknown) => Promise<unknown>;
    client.query = ((config: string | { text: string }) =>
      query(
        typeof config === 'string' ? config : { ...config, text: withoutTenant(config.text) },
      )) as typeof client.query;
    return client;
  }) as typeof pool.connect;
  return pool;
}

function withoutTenant(sql: string): string {
  return /^\s*SELECT/i.test(sql)
    ? sql
        .replaceAll('f.tenant = $1', '$1::int IS NOT NULL')
        .replaceAll('r.tenant = o.tenant', 'true')
        .replaceAll('OR v.tenant = $1', 'OR true')
    : sql;
}

/** A job with a stage, a note and a dead letter, a schedule, a paused queue, an audited key. */
async function furnish(scene: Scene): Promise<void> {
  const { store, tenant } = scene;
  const job = await scene.running({ type: 'platform' });
  await scene.renew(job, { stageResult: { name: 'one', result: '1' } });
  await scene.ask(job, { on: 'fail', error: { class: 'ValidationError', message: 'no' } });
  scene.clock.advance(1);
  await scene.enqueue({ type: 'platform' });
  const schedule = { tenant, name: 'it', expected: null, id: scene.ids.next(), createdBy: null };
  await scene.records.schedules.put({
    ...schedule,
    definition: '{}',
    isPaused: true,
    nextAt: null,
  });
  await store.putDispatchRule({
    tenant,
    scope: 'queue',
    name: 'bulk',
    actor: 'ops',
    isPaused: true,
  });
  const entry = { id: scene.ids.next(), actor: 'ops', action: 'look', subject: 'it' };
  const id = `key-of-${tenant}`;
  const rights = { hash: '', roles: [], scopes: null, queues: null, ttlMs: null };
  const key = { id, tenant, name: 'bot', createdBy: 'ops', ...rights };
  const audit = [{ tenant, ...entry, details: null }];
  await scene.records.accessKeys.write({ add: key, end: null, audit });
}

/** Everything that lists of one tenant say, by the list. */
async function lists(store: PostgresStore, tenant: string): Promise<Record<string, unknown[]>> {
  const { jobs } = await store.list({ tenant, limit: 100 });
  const of = { tenant, id: jobs.at(-1)!.id };
  return {
    list: [...jobs],
    stages: await store.stages(of),
    events: [...(await store.events({ ...of, after: null, limit: 100, notes: true })).events],
    deadLetters: await recordsOf(store).deadLetters.list({ tenant, limit: 100 }),
    lettered: [...(await store.list({ tenant, limit: 9, record: lettersWith('f00d') })).jobs],
    tally: await store.tally(tenant),
    schedules: await recordsOf(store).schedules.list({ tenant, limit: 100 }),
    rules: await store.rules(tenant),
    audit: await recordsOf(store).audit.list({ tenant, limit: 100 }),
    keys: await recordsOf(store).accessKeys.list(tenant, { limit: 100 }),
  };
}

await onEveryServer('behind the wall every list says what it said without', (fixture) =>
  withReader(fixture, async (readerRole) => {
    const plain = await fixture.open();
    const scenes = [fixture.scene(plain), fixture.scene(plain)];
    for (const scene of scenes) await furnish(scene);
    const walled = await fixture.open({ readerRole });
    for (const { tenant } of scenes) {
      const expected = await lists(plain, tenant);
      assert.deepEqual(await lists(walled, tenant), expected);
      const empty = Object.keys(expected).filter((name) => expected[name]!.length === 0);
      assert.deepEqual(empty, [], 'each really has something to say');
    }
    assert.equal((await walled.rules(null)).length, 2, 'who asks for all tenants gets all');
    await fixture.open({ readerRole, migrate: 'check' });
  }),
);

await onEveryServer(
  '[S3] a list that forgets its tenant leaks, and with the wall it does not',
  (fixture) =>
    withReader(fixture, async (readerRole) => {
      const plain = await fixture.open();
      const [ours, theirs] = [fixture.scene(plain), fixture.scene(plain)];
      for (const scene of [ours, theirs]) await furnish(scene);
      const listed = async (store: PostgresStore): Promise<number> =>
        (await store.rules(ours.tenant)).length;
      assert.equal(await listed(await fixture.open({ pool: forgetful(fixture.pool()) })), 2);
      const walled = await fixture.open({ pool: forgetful(fixture.pool()), readerRole });
      assert.deepEqual(await lists(walled, ours.tenant), await lists(plain, ours.tenant));
    }),
);

await onEveryServer(
  '[S19] the reader sees nothing without a tenant, and of others nothing',
  (fixture) =>
    withReader(fixture, async (readerRole) => {
      const store = await fixture.open({ readerRole });
      const scenes = [fixture.scene(store), fixture.scene(store)];
      for (const scene of scenes) await furnish(scene);
      const client = await fixture.connect();
      const { rows: tables } = await client.query<{ name: string }>(
        `SELECT c.relname AS name FROM pg_class c
         WHERE c.relnamespace = 'pawl'::regnamespace AND c.relkind IN ('r', 'p', 'v')`,
      );
      const { rows: accepted } = await client.query<{ name: string; has_tenant: boolean }>(
        `SELECT g.table_name AS name, a.attname IS NOT NULL AS has_tenant
         FROM information_schema.role_table_grants g
         LEFT JOIN pg_attribute a ON a.attrelid = ('pawl.' || g.table_name)::regclass
           AND a.attname = CASE g.table_name WHEN 'tenants' THEN 'number' ELSE 'tenant' END
         WHERE g.grantee = $1 AND g.privilege_type = 'SELECT' ORDER BY 1`,
        [readerRole],
      );
      assert.ok(tables.length > accepted.length && accepted.length > 5);
      const { tenant: name } = scenes[1]!;
      const { rows: found } = await client.query<{ number: number }>(
        'SELECT number FROM pawl.tenants WHERE name = $1',
        [name],
      );
      const { number } = found[0]!;
      await client.query(`SET ROLE ${readerRole}`);
      for (const { name: table } of accepted.filter(({ has_tenant: has }) => has)) {
        const allowed = table === 'records' ? name : number;
        const column = table === 'tenants' ? 'number' : 'tenant';
        const sql = `SELECT DISTINCT ${column} AS tenant FROM pawl.${table}`;
        assert.deepEqual((await client.query(sql)).rows, [], `${table} without a tenant`);
        await client.query(`SET pawl_reader.tenant = '${number}'`);
        const { rows } = await client.query<{ tenant: number | string }>(sql);
        assert.ok(
          rows.every(({ tenant }) => tenant === allowed),
          `${table} of one tenant`,
        );
        if (table === 'records') assert.equal(rows.length, 1, 'the tenant has records');
        await client.query('RESET pawl_reader.tenant');
      }
      for (const { name } of tables) {
        if (accepted.some((one) => one.name === name)) continue;
        await assert.rejects(client.query(`SELECT FROM pawl.${name}`), /permission denied/, name);
      }
      await assert.rejects(client.query('DELETE FROM pawl.live'), /permission denied/);
    }),
);
