// Pawl behind PgBouncer as Debian packages it, in transaction mode.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { openPawl } from 'pawl';
import { judge } from 'pawl/internal/doctor/checks';
import { gatherFacts } from 'pawl/internal/doctor/facts';
import { systemRandom } from 'pawl/internal/core/random';
import { partsOf } from 'pawl/internal/pawl/parts';
import type { Pawl } from 'pawl/internal/pawl/pawl';
import { Database } from 'pawl/internal/store/postgres/database';
import { openPool, transactionLimits } from 'pawl/internal/store/postgres/open-pool';
import { defineJob, typed } from 'pawl/define';
import { type FreshDatabase, freshDatabase } from '../support/postgres/fresh-database.ts';
import { findPgbouncer, startPgbouncer } from '../support/postgres/pgbouncer.ts';
import { postgresServers } from '../support/postgres/servers.ts';

const add = defineJob('add', {
  input: typed<{ a: number; b: number }>(),
  run: ({ input, stage }) => stage('add', () => input.a + input.b),
});

const path = await findPgbouncer();
const skip = path === null ? 'there is no PgBouncer, and none may be installed' : false;

async function levelsOf(pawl: Pawl): Promise<string[]> {
  const findings = judge(await gatherFacts(partsOf(pawl).context));
  return findings.filter(({ check }) => check === 'pooler').map(({ level }) => level);
}

async function run(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** What sessions that Pawl has used would give to others who share the pooler. */
const TIMEOUTS = `SELECT DISTINCT current_setting('statement_timeout') AS statement,
  current_setting('lock_timeout') AS lock, pg_sleep(0.01)::text AS slept`;

for (const server of await postgresServers()) {
  void describe(`behind PgBouncer in transaction mode (${server.label})`, { skip }, async () => {
    const pooler = skip === false ? await startPgbouncer(path!, server.url) : null;
    const closers: (() => Promise<void>)[] = [];
    after(async () => {
      for (const close of closers.reverse()) await close();
      await pooler?.stop();
    });

    const database = async (): Promise<FreshDatabase & { pooled: string }> => {
      const fresh = await freshDatabase(server);
      closers.push(() => fresh.drop());
      return { ...fresh, pooled: pooler!.urlOf(fresh.url) };
    };
    const open = async (options: Partial<Parameters<typeof openPawl>[0]>): Promise<Pawl> => {
      const pawl = await openPawl({ jobs: [add], artifacts: 'data/none', log: false, ...options });
      closers.push(() => pawl.close());
      return pawl;
    };

    await test('jobs are accepted, worked on and answered by several processes', async () => {
      const { pooled } = await database();
      const [one, other] = [await open({ database: pooled }), await open({ database: pooled })];
      const jobs = await Promise.all(
        Array.from({ length: 40 }, (_, n) => one.enqueue(add, { a: n, b: 1 })),
      );
      one.work();
      other.work();
      const results = await Promise.all(jobs.map((job) => job.result()));
      assert.deepEqual(
        results,
        jobs.map((_, n) => n + 1),
      );
    });

    await test('no setting of a session stays with the pooler for others', async () => {
      const { pooled } = await database();
      const pawl = await open({ database: pooled });
      await pawl.enqueue(add, { a: 1, b: 1 });
      await partsOf(pawl).context.store.purge({
        jobs: 0,
        keys: 0,
        notes: 0,
        feed: null,
        limit: 100,
      });
      const looks = await Promise.all(Array.from({ length: 12 }, () => run(pooled, TIMEOUTS)));
      for (const [row] of looks) {
        assert.equal(row!['statement'], '0');
        assert.equal(row!['lock'], '0');
      }
    });

    await test('transactions are bounded by settings of their own', async () => {
      const { pooled } = await database();
      const options = { url: pooled, statementTimeoutMs: 50 };
      const pool = await openPool(options);
      const limits = transactionLimits(options);
      const behind = new Database({
        pool,
        isOwn: true,
        schema: 'pawl',
        random: systemRandom,
        limits,
      });
      closers.push(() => behind.close());
      await behind.findPooler();
      await assert.rejects(
        behind.transact((query) => query('SELECT pg_sleep(60)')),
        /due to statement timeout/,
      );
    });

    await test('it says once that no wake-ups come, and jobs are found by polling', async () => {
      const { pooled } = await database();
      const said: string[] = [];
      const warn = (...words: unknown[]): void => void said.push(words.map(String).join(' '));
      const log = { warn, error: warn, info: () => undefined, debug: () => undefined };
      const worker = await open({ database: pooled, log });
      const caller = await open({ database: pooled });
      worker.work();
      const job = await caller.enqueue(add, { a: 2, b: 2 });
      assert.equal(await job.result(), 4);
      const silent = said.filter((line) => line.includes('wake-ups of other processes'));
      assert.equal(silent.length, 1, said.join('\n'));
      assert.match(silent[0]!, /DATABASE_DIRECT_URL/);
      assert.ok((await levelsOf(worker)).includes('notice'));
    });

    await test('with an address of the server itself wake-ups arrive', async () => {
      const { pooled, url } = await database();
      const listening = await open({ database: pooled, directUrl: url });
      const caller = await open({ database: pooled });
      const heard = new Promise<void>((resolve) => {
        closers.push(
          partsOf(listening).engine.onWork((types) => {
            if (types?.includes('add') === true) resolve();
            else void caller.enqueue(add, { a: 1, b: 1 });
          }),
        );
      });
      await heard;
    });

    await test('the doctor asks for limits of the role, and finds them', async () => {
      // Ends after the databases that it owns things in.
      closers.push(async () => {
        await run(server.url, 'DROP ROLE IF EXISTS pawl_behind');
      });
      const { pooled, url } = await database();
      const asRole = (address: string): string => address.replace('//postgres@', '//pawl_behind@');
      await run(
        url,
        `DO $$ BEGIN CREATE ROLE pawl_behind LOGIN SUPERUSER;
         EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
      );
      const bare = await open({ database: asRole(pooled), directUrl: asRole(url) });
      assert.deepEqual(await levelsOf(bare), ['warning', 'warning']);
      await run(
        url,
        `ALTER ROLE pawl_behind SET statement_timeout = '30s';
         ALTER ROLE pawl_behind SET idle_in_transaction_session_timeout = '30s'`,
      );
      const again = await freshDatabase(server);
      closers.push(() => again.drop());
      const bounded = await open({
        database: asRole(pooler!.urlOf(again.url)),
        directUrl: asRole(again.url),
      });
      assert.deepEqual(await levelsOf(bounded), ['good']);
    });
  });
}
