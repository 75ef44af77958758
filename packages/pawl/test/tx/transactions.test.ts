// Jobs that come to be with a transaction of the caller's own: on a client of `pg`, and through
// each library that `pawl/tx` knows, the real one, on a real server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { z } from 'zod';
import { defineJob, openPawl, type Pawl } from '../../src/index.ts';
import { freshFile, freshPostgres } from '../../../../test/support/databases.ts';
import { libraries, type Opened } from './libraries.ts';

const confirm = defineJob('confirm', {
  input: z.object({ order: z.number() }),
  run: ({ input }) => `order ${input.order} is confirmed`,
});

const { database: url } = await freshPostgres();
const { database: elsewhere } = await freshPostgres();
for (const one of [url, elsewhere]) await query(one, 'CREATE TABLE orders (id int PRIMARY KEY)');
const pool = new pg.Pool({ connectionString: url, max: 2 });

async function query(where: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: where });
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function ordersWith(id: number): Promise<number> {
  const { rowCount } = await pool.query('SELECT FROM orders WHERE id = $1', [id]);
  return rowCount!;
}

async function jobsWith(pawl: Pawl, order: number): Promise<number> {
  const { items } = await pawl.jobs({ type: confirm, limit: 200 });
  return items.filter(({ input }) => input.order === order).length;
}

describe('in a transaction of the caller', () => {
  let pawl: Pawl;
  before(async () => {
    pawl = await openPawl({ database: url, jobs: [confirm], log: false });
    pawl.work();
  });
  after(async () => {
    await pawl.close();
    await pool.end();
  });

  for (const [number, { name, open, remedy, translate }] of libraries.entries()) {
    describe(name, () => {
      const first = 1_000 * (number + 1);
      let opened: Opened;
      before(async () => void (opened = await open(url)));
      after(() => opened.close());

      test('the commit of the transaction brings its jobs, which run', async () => {
        const results: string[] = [];
        for (const order of [first, first + 1]) {
          const made: { result?: () => Promise<string> } = {};
          await opened.transact(order, async (tx) => {
            const job = await pawl.enqueue(confirm, { order }, { tx, key: `${order}` });
            assert.equal(await jobsWith(pawl, order), 0);
            made.result = () => job.result();
          });
          results.push(await made.result!());
        }
        assert.deepEqual(results, [
          `order ${first} is confirmed`,
          `order ${first + 1} is confirmed`,
        ]);
      });

      test('its rollback leaves neither row nor job, and the key is free', async () => {
        const order = first + 2;
        const key = `k-${order}`;
        const left = opened.transact(order, async (tx) => {
          await pawl.enqueueMany(confirm, [{ order }, { order }], { tx });
          await pawl.enqueue(confirm, { order }, { tx, key });
          throw new Error('no order after all');
        });
        await assert.rejects(left, /no order after all/);
        assert.deepEqual([await ordersWith(order), await jobsWith(pawl, order)], [0, 0]);
        await opened.transact(order, async (tx) => {
          await pawl.enqueue(confirm, { order }, { tx, key });
        });
        assert.deepEqual([await ordersWith(order), await jobsWith(pawl, order)], [1, 1]);
      });

      test('an input that does not fit is refused before anything is sent', async () => {
        const order = first + 3;
        await opened.transact(order, async (tx) => {
          // @ts-expect-error the type of the input is checked as always
          const refused = pawl.enqueue(confirm, { order: 'one' }, { tx });
          await assert.rejects(refused, { code: 'VALIDATION_ERROR', message: /\/input\/order/ });
          await pawl.enqueue(confirm, { order }, { tx });
        });
        assert.deepEqual([await ordersWith(order), await jobsWith(pawl, order)], [1, 1]);
      });

      test('what is no transaction is refused, and so is one that was not translated', async () => {
        assert.throws(() => opened.outside(), { code: 'VALIDATION_ERROR', message: remedy });
        await opened.untranslated(async (tx) => {
          const refused = pawl.enqueue(confirm, { order: 0 }, { tx: tx as never });
          await assert.rejects(refused, {
            code: 'VALIDATION_ERROR',
            message: new RegExp(`^/tx: must be given as \`${translate}\\(tx\\)\``),
          });
        });
      });

      test('a transaction of another database is refused, and says so', async (context) => {
        const other = await open(elsewhere);
        context.after(() => other.close());
        const refused = other.transact(0, async (tx) => {
          await pawl.enqueue(confirm, { order: 0 }, { tx });
        });
        await assert.rejects(refused, {
          code: 'VALIDATION_ERROR',
          message: /^\/tx: must be a transaction of the database that this Pawl has open/,
        });
      });
    });
  }

  describe('a client of pg', () => {
    test('a pool is refused, and SQLite, each with what to do instead', async () => {
      const { database } = freshFile();
      await using file = await openPawl({ database, jobs: [confirm], log: false });
      const client = await pool.connect();
      const within = (tx: unknown, where: Pawl): Promise<unknown> =>
        where.enqueue(confirm, { order: 0 }, { tx: tx as never });
      const code = 'VALIDATION_ERROR';
      try {
        const aPool = {
          code,
          message: /^\/tx: must be one client, not a pool.*`pool\.connect\(\)`/,
        };
        await assert.rejects(within(pool, pawl), aPool);
        const nothing = { code, message: /^\/tx: must be a `pg` client in a transaction, or/ };
        for (const tx of [null, 'BEGIN', {}]) await assert.rejects(within(tx, pawl), nothing);
        const message = /^\/tx: .*SQLite.*enqueue after the commit, with a `key`/;
        await assert.rejects(within(client, file), { code, message });
      } finally {
        client.release();
      }
    });
  });
});
