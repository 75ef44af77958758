import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import { importPeer } from '../../../scripts/peers/install.ts';
import { EXIT } from 'pawl/internal/cli/exit-code';
import {
  type FreshDatabase,
  freshDatabase,
} from '../../../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../../../test/support/postgres/servers.ts';
import { factsOf, type KillAt, type MoveFixture, openMoveFixture, originOf } from './fixture.ts';

type Task = (payload: unknown) => Promise<void>;

interface Graphile {
  makeWorkerUtils(options: object): Promise<{
    migrate(): Promise<void>;
    addJob(task: string, payload: object, spec?: object): Promise<{ id: string }>;
    release(): Promise<void>;
  }>;
  run(options: object): Promise<{ stop(): Promise<void> }>;
  runOnce(options: object): Promise<void>;
  Logger: new (factory: () => () => void) => object;
}

interface KindFact {
  readonly moved: number;
  readonly found: number;
  readonly released: number;
  readonly active: number;
}

const MAP = ['--type-map', 'invoice=print-invoice'];
const LATER = '2999-01-02T03:04:05.678Z';

let graphile: Graphile;
let utils: Awaited<ReturnType<Graphile['makeWorkerUtils']>>;
let database: FreshDatabase;
let sql: pg.Client;
let fixture: MoveFixture;
let from: string[];

/** Jobs that are still there, by who has locked them. */
async function left(): Promise<[string | null, number][]> {
  const { rows } = await sql.query<{ by: string | null; count: number }>(
    `SELECT CASE WHEN locked_by IS NULL OR locked_by = 'pawl move' THEN locked_by
       ELSE 'a worker' END AS by, count(*)::int AS count
     FROM graphile_worker.jobs GROUP BY 1 ORDER BY 1`,
  );
  return rows.map(({ by, count }) => [by, count]);
}

/** What a worker of theirs would run now. */
async function runThere(): Promise<unknown[]> {
  const ran: unknown[] = [];
  const invoice: Task = (payload) => Promise.resolve(void ran.push(payload));
  const logger = new graphile.Logger(() => () => undefined);
  const connectionString = database.url;
  await graphile.runOnce({ connectionString, taskList: { invoice }, logger });
  return ran;
}

before(async () => {
  graphile = await importPeer<Graphile>('graphile-worker');
  database = await freshDatabase((await postgresServers()).at(-1)!);
  sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  const logger = new graphile.Logger(() => () => undefined);
  utils = await graphile.makeWorkerUtils({ connectionString: database.url, logger });
  await utils.migrate();
  fixture = await openMoveFixture();
  from = ['graphile-worker', '--from', database.url];
});
beforeEach(async () => {
  await sql.query('DELETE FROM graphile_worker._private_jobs');
  await fixture.begin();
});
after(async () => {
  await utils.release();
  await fixture.close();
  await sql.end();
  await database.drop();
  await Promise.all((await postgresServers()).map((server) => server.stop()));
});

describe('jobs of Graphile Worker', () => {
  test('are each run once here, with payload, time, priority and queue of their own', async () => {
    const urgent = await utils.addJob(
      'invoice',
      { order: 1 },
      { priority: -5, queueName: 'shop 1' },
    );
    const lazy = await utils.addJob('invoice', { order: 'ü "2"' }, { priority: 9, maxAttempts: 2 });
    const late = await utils.addJob('invoice', { order: 3 }, { runAt: new Date(LATER) });
    const { code, stdout, stderr } = await fixture.move([...from, ...MAP]);
    assert.equal(code, EXIT.done, stderr);
    assert.match(stdout, /invoice +print-invoice +25 → 3 +2 +1 +3$/m);
    const jobs = new Map((await fixture.moved()).map((job) => [originOf(job).id, job]));
    assert.equal(jobs.size, 3);
    const [one, two, three] = [urgent, lazy, late].map(({ id }) => jobs.get(id)!);
    assert.deepEqual(await fixture.client.result(one!.id), { order: 1 });
    assert.deepEqual(await fixture.client.result(two!.id), { order: 'ü "2"' });
    assert.deepEqual([one!.priority, two!.priority, three!.priority], [5, -9, 0]);
    assert.deepEqual([one!.documentId, two!.documentId], ['shop 1', null]);
    assert.deepEqual([three!.phase, three!.runAt], ['ready', LATER]);
    assert.equal(originOf(two!).attemptsMax, 2);
    assert.deepEqual(await left(), []);
  });

  test('that a worker has are reported and left', async () => {
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const invoice: Task = () => {
      begun.resolve();
      return end.promise;
    };
    await utils.addJob('invoice', { order: 'active' });
    const logger = new graphile.Logger(() => () => undefined);
    const connectionString = database.url;
    const options = { connectionString, taskList: { invoice }, logger, noHandleSignals: true };
    const runner = await graphile.run({ ...options, concurrency: 1 });
    await begun.promise;
    await utils.addJob('invoice', { order: 'waiting' });
    const run = await fixture.move([...from, ...MAP, '--json']);
    const [kind] = factsOf<KindFact>(run, 'kind');
    assert.deepEqual([kind!.moved, kind!.active], [1, 1]);
    assert.deepEqual(await left(), [['a worker', 1]]);
    end.resolve();
    await runner.stop();
  });

  test('keep the key by which the next wish replaces them', async () => {
    await utils.addJob('invoice', { order: 1 }, { jobKey: 'order 1', runAt: new Date(LATER) });
    await fixture.move([...from, ...MAP]);
    const [job] = await fixture.moved();
    const unique = { mode: 'replace', key: 'order 1' } as const;
    const next = await fixture.client.accept({ type: 'print-invoice', input: {}, unique });
    assert.deepEqual([next.outcome, next.job.id], ['replaced', job!.id]);
    await utils.addJob('invoice', { order: 2 }, { jobKey: 'order 1', runAt: new Date(LATER) });
    const run = await fixture.move([...from, ...MAP, '--json']);
    const [kind] = factsOf<KindFact & { joined: number }>(run, 'kind');
    assert.deepEqual(
      [kind!.moved, kind!.joined],
      [0, 1],
      'one job stands for both, and it is said',
    );
  });

  test('with a number that a double cannot hold stay there, and its place is named', async () => {
    const { id } = await utils.addJob('invoice', { order: 1 });
    await utils.addJob('invoice', { order: 2 });
    const exact = '{"n":{"a":1e400}}';
    const change = 'UPDATE graphile_worker._private_jobs SET payload = $2::json WHERE id = $1';
    await sql.query(change, [id, exact]);
    const run = await fixture.move([...from, ...MAP, '--json']);
    assert.equal(run.code, EXIT.failed);
    const [refusal] = factsOf<{ id: string; message: string }>(run, 'refusal');
    assert.equal(refusal!.id, id);
    assert.match(refusal!.message, /^\/input\/n\/a: 1e400 .* send it as a string/);
    assert.equal(factsOf<KindFact>(run, 'kind')[0]!.moved, 1);
    const { rows } = await sql.query(
      'SELECT payload::text, locked_by FROM graphile_worker._private_jobs',
    );
    assert.deepEqual(rows, [{ payload: exact, locked_by: null }]);
  });

  for (const killAt of ['before acceptance', 'before the answer'] as const satisfies KillAt[]) {
    test(`are neither lost nor doubled when the move is killed ${killAt}`, async () => {
      for (const order of [1, 2, 3]) await utils.addJob('invoice', { order });
      await fixture.moveKilled([...from, ...MAP, '--batch', '2'], killAt);
      assert.deepEqual(
        await left(),
        [
          ['pawl move', 2],
          [null, 1],
        ],
        'held, and not lost',
      );
      assert.deepEqual(await runThere(), [{ order: 3 }], 'no worker there begins them');
      const isHere = killAt === 'before the answer';
      const run = await fixture.move([...from, ...MAP, '--json']);
      const [kind] = factsOf<KindFact>(run, 'kind');
      assert.deepEqual([kind!.found, kind!.moved], isHere ? [2, 0] : [0, 2]);
      const jobs = await fixture.moved();
      const orders = await Promise.all(jobs.map(({ id }) => fixture.client.result(id)));
      const numbers = new Set(orders.map((one) => (one as { order: number }).order));
      assert.deepEqual([numbers, jobs.length], [new Set([1, 2]), 2]);
      assert.deepEqual(await left(), []);
    });
  }

  test('are given back where the move was killed before they were accepted', async () => {
    await utils.addJob('invoice', { order: 1 });
    await fixture.moveKilled([...from, ...MAP], 'before acceptance');
    const run = await fixture.move([...from, '--give-back', '--json']);
    assert.equal(factsOf<KindFact>(run, 'kind')[0]!.released, 1);
    assert.deepEqual(await runThere(), [{ order: 1 }]);
  });
});

describe('the crontab of Graphile Worker', () => {
  test('is read from its file, and its rules become schedules', async () => {
    const file = join(fixture.folder, 'crontab');
    writeFileSync(file, '# nightly\n0 4 * * 1 invoice ?id=week&max=3 {"all":true}\n');
    const listed = await fixture.move([...from, ...MAP, '--crontab', file]);
    assert.match(listed.stdout, /pawl schedules put invoice\.week -d/);
    const run = await fixture.move([...from, ...MAP, '--crontab', file, '--schedules']);
    assert.equal(run.code, EXIT.done, run.stderr);
    assert.match(run.stderr, /out of your crontab/);
    const { rule, job } = await fixture.client.schedules.get('invoice.week');
    assert.deepEqual(rule, { kind: 'cron', expression: '0 4 * * 1', timeZone: 'UTC' });
    assert.deepEqual([job.type, job.input], ['print-invoice', { all: true }]);
  });
});

test('a database without Graphile Worker, and one of another version, are told apart', async () => {
  const none = await fixture.move([...from, '--schema', 'elsewhere']);
  assert.equal(none.code, EXIT.notFound);
  assert.match(none.stderr, /no Graphile Worker in the schema "elsewhere".*SOURCE_EMPTY/);
  await sql.query('ALTER TABLE graphile_worker._private_tasks RENAME COLUMN identifier TO name');
  const other = await fixture.move(from);
  assert.equal(other.code, EXIT.failed);
  assert.match(other.stderr, /version 20 of Graphile Worker, without _private_tasks\.identifier/);
  await sql.query('ALTER TABLE graphile_worker._private_tasks RENAME COLUMN name TO identifier');
});
