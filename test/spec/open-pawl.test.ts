// What openPawl can be told about PostgreSQL, and what it needs around it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { defineJob, type EnqueueOptions, openPawl, type Pawl, typed } from 'pawl';
import { sourcePaths } from '../../scripts/run/own-sources.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { freshPostgres } from '../support/databases.ts';

const echo = defineJob('echo', {
  input: typed<{ text: string }>(),
  run: ({ input }) => input.text,
});
const jobs = [echo];
const input = { text: 'x' };

async function resultOf(pawl: Pawl): Promise<string> {
  pawl.work();
  return (await pawl.enqueue(echo, input)).result({ timeout: '30s' });
}

const pooled = await freshPostgres();

describe('a pool of the program', () => {
  const pool = new pg.Pool({ connectionString: pooled.database, max: 1 });
  after(() => pool.end());

  test('is used, also one of a single connection, and left as it was', async () => {
    const listeners = (): number[] =>
      ['error', 'connect', 'remove'].map((name) => pool.listenerCount(name));
    const before = listeners();
    {
      await using pawl = await openPawl({ pool, jobs, log: false });
      assert.equal(await resultOf(pawl), 'x');
      assert.ok(pool.totalCount === 1);
    }
    assert.deepEqual(listeners(), before);
    const { rows } = await pool.query('SELECT 1 AS one');
    assert.deepEqual(rows, [{ one: 1 }]);
  });

  test('may be held as a whole by the transaction in which a job is enqueued', async () => {
    await using pawl = await openPawl({ pool, jobs, log: false });
    const client = await pool.connect();
    const options: EnqueueOptions[] = [
      {},
      { queue: 'another' },
      { delay: '1h' },
      { maxAttempts: 2 },
      { tenant: 'other' },
    ];
    await client.query('BEGIN');
    const made = [];
    for (const more of options) made.push(await pawl.enqueue(echo, input, { tx: client, ...more }));
    await client.query('COMMIT');
    client.release();
    const ids = made.map(({ id }) => id);
    const { rows } = await pool.query('SELECT id FROM pawl.jobs WHERE id = ANY ($1)', [ids]);
    assert.equal(rows.length, options.length);
  });

  test('is refused where it is none', async () => {
    const none = openPawl({ pool: { connect: () => null } as never, jobs });
    await assert.rejects(none, { message: '/pool: must be a `pg.Pool`' });
  });
});

describe('a transaction', () => {
  test('goes on after a job was refused for its key', async (context) => {
    const { database } = await freshPostgres();
    await using pawl = await openPawl({ database, jobs, log: false });
    await pawl.enqueue(echo, input, { key: 'k' });
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    context.after(() => client.end());
    await client.query('BEGIN');
    const other = { text: 'y' };
    const code = 'IDEMPOTENCY_CONFLICT';
    await assert.rejects(pawl.enqueue(echo, other, { tx: client, key: 'k' }), { code });
    await assert.rejects(pawl.enqueueMany(echo, [other, other], { tx: client, key: 'k' }), {
      code,
    });
    const made = await pawl.enqueue(echo, other, { tx: client, key: 'l' });
    await client.query('COMMIT');
    assert.deepEqual((await made.snapshot()).input, other);
    const { items } = await pawl.jobs({ type: echo });
    assert.equal(items.length, 2);
  });
});

describe('a schema', () => {
  test('of another name is another Pawl in the same database', async () => {
    const { database } = await freshPostgres();
    await using mine = await openPawl({ database, schema: 'mine', jobs, log: false });
    await using theirs = await openPawl({ database, schema: 'theirs', jobs, log: false });
    const job = await mine.enqueue(echo, input);
    assert.equal(await resultOf(theirs), 'x');
    assert.equal((await job.snapshot()).phase, 'ready');
    await assert.rejects(theirs.job(echo, job.id).snapshot(), { name: 'JobGone' });
    const wrong = openPawl({ database, schema: 'No Such', jobs });
    await assert.rejects(
      wrong,
      /"No Such" cannot be the name of a schema or role: use a–z, 0–9 and _/,
    );
  });

  test('that would have to be changed is refused by `check`, which says how to', async () => {
    const { database } = await freshPostgres();
    const check = (): Promise<Pawl> => openPawl({ database, migrate: 'check', jobs, log: false });
    await assert.rejects(
      check(),
      /schema "pawl" is at version 0, and pending are .*: start one Pawl/,
    );
    const auto = await openPawl({ database, migrate: 'auto', jobs, log: false });
    await auto.close();
    await using pawl = await check();
    assert.equal(await resultOf(pawl), 'x');
  });
});

describe('await using', () => {
  test('closes at the end of the block', async () => {
    let left: Pawl;
    {
      await using pawl = await openPawl({ database: ':memory:', jobs, log: false });
      left = pawl;
    }
    await assert.rejects(left.enqueue(echo, input), /closed/);
  });
});

describe('surroundings', () => {
  const run = promisify(execFile);
  const library = JSON.stringify(import.meta.resolve('../../packages/pawl/src/index.ts'));

  async function printed(program: string, first: string): Promise<string> {
    const imported = `data:text/javascript,${encodeURIComponent(first)}`;
    const args = ['--import', imported, '--input-type=module', '--eval', program];
    return (await run(process.execPath, args)).stdout.trim();
  }

  /** What a small program prints, or says when it ends badly, under what is imported first. */
  const said = (first: string, database: string): Promise<string> =>
    printed(
      `import { defineJob, openPawl } from ${library};
      const job = defineJob('job', { run: () => 'done' });
      const options = { database: ${JSON.stringify(database)}, jobs: [job], log: false };
      const pawl = await openPawl(options).catch(({ message }) => console.log(message));
      if (pawl !== undefined) {
        pawl.work();
        console.log(await (await pawl.enqueue(job)).result());
        await pawl.close();
      }`,
      first,
    );

  /** As if the module were not there, for whoever asks for it in any thread. */
  const without = (name: string, code: string): string =>
    `process.getBuiltinModule('node:module').registerHooks({ resolve: (name, context, next) => {
      if (name !== '${name}') return next(name, context);
      throw Object.assign(new Error('No such module: ' + name), { code: '${code}' });
    } });`;
  const withoutSqlite = without('node:sqlite', 'ERR_UNKNOWN_BUILTIN_MODULE');
  const withoutPg = without('pg', 'ERR_MODULE_NOT_FOUND');

  test('without `node:sqlite` a file is refused with what to do, and PostgreSQL will do', async () => {
    const sentence =
      'this Node has no node:sqlite, in which jobs are kept by default: use a Node that has it, ' +
      'or name a PostgreSQL database';
    assert.equal(await said(withoutSqlite, ':memory:'), sentence);
    const { database } = await freshPostgres();
    assert.equal(await said(withoutSqlite, database), 'done');
  });

  test('without `pg` a URL is refused with what to install, and SQLite will do', async () => {
    const sentence = 'the PostgreSQL store needs the package "pg": npm install pg';
    assert.equal(await said(withoutPg, 'postgres://localhost/none'), sentence);
    assert.equal(await said(withoutPg, ':memory:'), 'done');
  });

  test('an old Node is told which one is needed', async () => {
    const old = `Object.defineProperty(process, 'versions',
      { value: { ...process.versions, node: '20.20.2' } });`;
    const sentence = /^Node 24\.16 or newer is needed, and this is 20\.20\.2\. Update it, or/;
    assert.match(await said(old + withoutSqlite, ':memory:'), sentence);
  });

  test('every path of the package but those of the stores loads without either', async () => {
    const paths = [...sourcePaths]
      .filter(([name]) => name.startsWith('pawl'))
      .map(([, path]) => path);
    const modules = [
      ...paths,
      'packages/pawl/src/settings/open-store.ts',
      'packages/pawl/src/cli/program.ts',
    ].map((path) => JSON.stringify(pathToFileURL(inRepository(path)).href));
    const program = `for (const path of [${modules.join(', ')}]) await import(path);
      console.log('loaded');`;
    assert.equal(await printed(program, withoutSqlite + withoutPg), 'loaded');
  });
});
