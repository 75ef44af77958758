import assert from 'node:assert/strict';
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

interface Boss {
  on(event: 'error', listener: () => void): void;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<void>;
  createQueue(name: string, options?: object): Promise<unknown>;
  send(name: string, data: object, options?: object): Promise<string | null>;
  fetch(name: string): Promise<{ id: string; data: unknown }[]>;
  fail(name: string, id: string): Promise<unknown>;
  schedule(name: string, cron: string, data: object, options?: object): Promise<unknown>;
  getSchedules(): Promise<unknown[]>;
}

interface KindFact {
  readonly kind: string;
  readonly moved: number;
  readonly found: number;
  readonly refused: number;
  readonly released: number;
  readonly active: number;
  readonly isKnown: boolean;
}

const MAP = ['--type-map', 'invoice=print-invoice'];
/** Four of these are a request, and two of them too long for one text. */
const PAGE_LENGTH = 250_000;
const LATER = '2999-01-02T03:04:05.678Z';

let database: FreshDatabase;
let sql: pg.Client;
let boss: Boss;
let fixture: MoveFixture;
let from: string[];

async function states(): Promise<Record<string, number>> {
  const { rows } = await sql.query<{ state: string; count: number }>(
    'SELECT state::text, count(*)::int AS count FROM pgboss.job GROUP BY 1',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

before(async () => {
  const { PgBoss } = await importPeer<{ PgBoss: new (url: string) => Boss }>('pg-boss');
  database = await freshDatabase((await postgresServers()).at(-1)!);
  sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  boss = new PgBoss(database.url);
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue('invoice');
  fixture = await openMoveFixture();
  from = ['pg-boss', '--from', database.url];
});
beforeEach(async () => {
  await sql.query('DELETE FROM pgboss.job');
  await fixture.begin();
});
after(async () => {
  await boss.stop({ graceful: false });
  await fixture.close();
  await sql.end();
  await database.drop();
  await Promise.all((await postgresServers()).map((server) => server.stop()));
});

describe('jobs of pg-boss', () => {
  test('are each run once here, with payload, time, priority and history', async () => {
    const urgent = await boss.send('invoice', { order: 1 }, { priority: 7, retryLimit: 4 });
    const plain = await boss.send('invoice', { order: 'ü "2"' });
    const late = await boss.send('invoice', { order: 3 }, { startAfter: new Date(LATER) });
    const { code, stdout, stderr } = await fixture.move([...from, ...MAP]);
    assert.equal(code, EXIT.done, stderr);
    assert.match(stdout, /invoice +print-invoice +5 → 3 +2 +1 +3$/m);
    const jobs = new Map((await fixture.moved()).map((job) => [originOf(job).id, job]));
    assert.equal(jobs.size, 3);
    const [one, two, three] = [urgent, plain, late].map((id) => jobs.get(id!)!);
    assert.deepEqual(await fixture.client.result(one!.id), { order: 1 });
    assert.deepEqual(await fixture.client.result(two!.id), { order: 'ü "2"' });
    assert.deepEqual([one!.priority, two!.priority, one!.attempts], [7, 0, 1]);
    assert.deepEqual([three!.phase, three!.runAt], ['ready', LATER]);
    assert.equal(one!.correlationId, `pg-boss:invoice:${urgent}`);
    assert.deepEqual([originOf(one!).attemptsMade, originOf(one!).attemptsMax], [0, 5]);
    assert.deepEqual(await states(), {});
  });

  test('that were moved are not moved again, and those that come later are', async () => {
    await boss.send('invoice', { order: 1 });
    await fixture.move([...from, ...MAP]);
    const again = await fixture.move([...from, ...MAP, '--json']);
    assert.deepEqual(factsOf(again, 'kind'), []);
    await boss.send('invoice', { order: 2 });
    const third = await fixture.move([...from, ...MAP, '--json']);
    assert.equal(factsOf<KindFact>(third, 'kind')[0]!.moved, 1);
    assert.equal((await fixture.moved()).length, 2);
  });

  test('are left while a worker has them, and when they have failed for good', async () => {
    await boss.send('invoice', { order: 'active' }, { priority: 2 });
    await boss.send('invoice', { order: 'failed' }, { priority: 1, retryLimit: 0 });
    await boss.send('invoice', { order: 'waiting' });
    await boss.fetch('invoice');
    const [failing] = await boss.fetch('invoice');
    await boss.fail('invoice', failing!.id);
    const run = await fixture.move([...from, ...MAP, '--json']);
    const [kind] = factsOf<KindFact & { failed: number }>(run, 'kind');
    assert.deepEqual([kind!.moved, kind!.active, kind!.failed], [1, 1, 1]);
    assert.deepEqual(await states(), { active: 1, failed: 1 });
  });

  test('bring how often they were tried, and the key that they were alone with', async () => {
    await boss.createQueue('remind', { policy: 'short' });
    await boss.send('remind', { who: 'Ada' }, { singletonKey: 'ada', startAfter: new Date(LATER) });
    await boss.send('invoice', { order: 1 }, { retryLimit: 3, retryDelay: 900 });
    const [tried] = await boss.fetch('invoice');
    await boss.fail('invoice', tried!.id);
    await fixture.move([...from, ...MAP]);
    const jobs = await fixture.moved();
    const retried = originOf(jobs.find(({ type }) => type === 'print-invoice')!);
    assert.deepEqual([retried.attemptsMade, retried.attemptsMax], [1, 4]);
    const alone = jobs.find(({ type }) => type === 'remind')!;
    assert.equal(originOf(alone).key, 'ada');
    const unique = { mode: 'replace', key: 'ada' } as const;
    const next = await fixture.client.accept({ type: 'remind', input: { who: 'Bob' }, unique });
    assert.deepEqual([next.outcome, next.job.id], ['replaced', alone.id]);
  });

  test('that are together too large for one request go in parts', async () => {
    const page = 'x'.repeat(PAGE_LENGTH);
    for (const order of [1, 2, 3]) await boss.send('invoice', { order, pages: [page, page] });
    await boss.send('invoice', { pages: `${page}${page}` });
    const run = await fixture.move([...from, ...MAP, '--json']);
    assert.equal(run.code, EXIT.failed);
    assert.equal(factsOf<KindFact>(run, 'kind')[0]!.moved, 3);
    const [refusal] = factsOf<{ code: string }>(run, 'refusal');
    assert.equal(refusal!.code, 'PAYLOAD_TOO_LARGE');
    assert.deepEqual(await states(), { created: 1 });
  });

  test('of a type that is unknown here stay, and the exit code says so', async () => {
    await boss.send('invoice', { order: 1 });
    const run = await fixture.move([...from, '--json']);
    assert.equal(run.code, EXIT.failed);
    assert.match(run.stderr, /no type here for invoice: .*--type-map/s);
    assert.equal(factsOf<KindFact>(run, 'kind')[0]!.isKnown, false);
    assert.deepEqual(await states(), { created: 1 });
  });

  test('that are refused here wait there again, as if nothing had been', async () => {
    const id = await boss.send('invoice', { order: 1 }, { priority: 40_000 });
    const group = 'g'.repeat(20);
    await boss.send('invoice', { order: 2 }, { group: { id: group } });
    await fixture.client.putType('strict', { lifecycle: 'task', limits: { activePerDocument: 1 } });
    const first = { type: 'strict', documentId: group, runAt: LATER };
    await fixture.client.enqueue(first);
    const run = await fixture.move([...from, '--type-map', 'invoice=strict', '--json']);
    assert.equal(run.code, EXIT.failed);
    const [refusal] = factsOf<{ code: string }>(run, 'refusal');
    assert.equal(refusal!.code, 'CONCURRENCY_CONFLICT');
    assert.deepEqual(await states(), { created: 1 });
    assert.deepEqual((await boss.fetch('invoice'))[0]!.data, { order: 2 });
    const [clamped] = (await fixture.client.jobs({ type: 'strict' })).items.filter(
      ({ correlationId }) => correlationId === `pg-boss:invoice:${id}`,
    );
    assert.equal(clamped!.priority, 32_767);
  });

  test('with a number that a double cannot hold stay there, and its place is named', async () => {
    const id = await boss.send('invoice', { order: 1 });
    await boss.send('invoice', { order: 2 });
    const exact = '{"list": [9007199254740993]}';
    await sql.query('UPDATE pgboss.job SET data = $2::jsonb WHERE id = $1', [id, exact]);
    const run = await fixture.move([...from, ...MAP, '--json']);
    assert.equal(run.code, EXIT.failed);
    const refusals = factsOf<{ id: string; code: string; message: string }>(run, 'refusal');
    const [{ message, ...refusal }] = refusals as [(typeof refusals)[0]];
    assert.partialDeepStrictEqual(refusal, { id, code: 'VALIDATION_ERROR' });
    assert.match(message, /^\/input\/list\/0: 9007199254740993 .* send it as a string/);
    assert.equal(factsOf<KindFact>(run, 'kind')[0]!.moved, 1);
    const { rows } = await sql.query('SELECT state, data::text FROM pgboss.job');
    assert.deepEqual(rows, [{ state: 'created', data: exact }]);
  });

  for (const killAt of ['before acceptance', 'before the answer'] as const satisfies KillAt[]) {
    test(`are neither lost nor doubled when the move is killed ${killAt}`, async () => {
      for (const order of [1, 2, 3]) await boss.send('invoice', { order });
      await fixture.moveKilled([...from, ...MAP, '--batch', '2'], killAt);
      assert.deepEqual(await states(), { cancelled: 2, created: 1 }, 'held, and not lost');
      const { rows } = await sql.query(
        'SELECT FROM pgboss.job WHERE completed_on + make_interval(secs => deletion_seconds) < $1',
        [LATER],
      );
      assert.equal(rows.length, 0, 'and not for their retention to remove');
      const rest = await boss.fetch('invoice');
      assert.deepEqual(
        rest.map(({ data }) => data),
        [{ order: 3 }],
        'no worker there begins them',
      );
      const run = await fixture.move([...from, ...MAP, '--json']);
      const [kind] = factsOf<KindFact>(run, 'kind');
      const isHere = killAt === 'before the answer';
      assert.deepEqual([kind!.found, kind!.moved], isHere ? [2, 0] : [0, 2]);
      const jobs = await fixture.moved();
      const orders = await Promise.all(jobs.map(({ id }) => fixture.client.result(id)));
      const numbers = new Set(orders.map((one) => (one as { order: number }).order));
      assert.deepEqual([numbers, jobs.length], [new Set([1, 2]), 2]);
      assert.deepEqual(await states(), { active: 1 });
    });

    test(`can be given back when the move was killed ${killAt}`, async () => {
      for (const order of [1, 2]) await boss.send('invoice', { order });
      await fixture.moveKilled([...from, ...MAP], killAt);
      const run = await fixture.move([...from, '--give-back', '--json']);
      assert.equal(run.code, EXIT.done, run.stderr);
      const [kind] = factsOf<KindFact>(run, 'kind');
      const isHere = killAt === 'before the answer';
      assert.deepEqual([kind!.found, kind!.released], isHere ? [2, 0] : [0, 2]);
      assert.deepEqual(await states(), isHere ? {} : { created: 2 });
      assert.equal((await fixture.moved()).length, isHere ? 2 : 0);
    });
  }

  test('are counted and left alone by a dry run', async () => {
    await boss.send('invoice', { order: 1 });
    const { code, stderr } = await fixture.move([...from, ...MAP, '--dry-run']);
    assert.equal(code, EXIT.done);
    assert.match(stderr, /Nothing was changed: 1 job would be moved/);
    assert.deepEqual(await states(), { created: 1 });
    assert.deepEqual(await fixture.moved(), []);
  });
});

describe('schedules of pg-boss', () => {
  test('are listed as commands, and moved when that is asked for', async () => {
    await boss.schedule(
      'invoice',
      '0 3 * * *',
      { all: true },
      { tz: 'Europe/Berlin', key: 'night' },
    );
    const listed = await fixture.move([...from, ...MAP]);
    assert.match(listed.stdout, /pawl schedules put invoice\.night -d '\{"rule":\{"kind":"cron"/);
    assert.equal((await boss.getSchedules()).length, 1);
    const moved = await fixture.move([...from, ...MAP, '--schedules']);
    assert.equal(moved.code, EXIT.done, moved.stderr);
    const { rule, job } = await fixture.client.schedules.get('invoice.night');
    assert.deepEqual(rule, { kind: 'cron', expression: '0 3 * * *', timeZone: 'Europe/Berlin' });
    assert.deepEqual([job.type, job.input], ['print-invoice', { all: true }]);
    assert.deepEqual(await boss.getSchedules(), []);
  });

  test('with a number that a double cannot hold stay there, and its place is named', async () => {
    await boss.schedule('invoice', '0 4 * * *', {}, { key: 'exact' });
    await sql.query(`UPDATE pgboss.schedule SET data = '{"n": 12345678901234567890}'`);
    const listed = await fixture.move([...from, ...MAP]);
    assert.match(listed.stdout, /# invoice: .*, \/input\/n: 12345678901234567890 is not the same/);
    assert.doesNotMatch(listed.stdout, /pawl schedules put/);
    await fixture.move([...from, ...MAP, '--schedules']);
    assert.equal((await boss.getSchedules()).length, 1);
    await sql.query('DELETE FROM pgboss.schedule');
  });
});

describe('what is wrong with the source is said', () => {
  test('an address of something else, and one where nobody answers', async () => {
    const wrong = await fixture.move(['pg-boss', '--from', 'redis://localhost']);
    assert.deepEqual([wrong.code, /SOURCE_ADDRESS/.test(wrong.stderr)], [EXIT.usage, true]);
    const silent = await fixture.move([
      'pg-boss',
      '--from',
      'postgres://me:secret@127.0.0.1:1/app',
    ]);
    assert.equal(silent.code, EXIT.failed);
    assert.match(silent.stderr, /127\.0\.0\.1:1\/app cannot be used .*check --from.*UNREACHABLE/);
    assert.doesNotMatch(silent.stderr, /secret/);
  });

  test('a database without it, and one of another version', async () => {
    const none = await fixture.move([...from, '--schema', 'elsewhere']);
    assert.equal(none.code, EXIT.notFound);
    assert.match(none.stderr, /no pg-boss in the schema "elsewhere".*SOURCE_EMPTY/);
    await sql.query('ALTER TABLE pgboss.job RENAME COLUMN start_after TO startafter');
    const old = await fixture.move(from);
    assert.equal(old.code, EXIT.failed);
    assert.match(old.stderr, /version 46 of pg-boss, without job\.start_after.*UNKNOWN_SHAPE/);
    await sql.query('ALTER TABLE pgboss.job RENAME COLUMN startafter TO start_after');
  });
});
