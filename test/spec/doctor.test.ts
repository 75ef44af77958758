// The doctor: findings that say what to do, and a check of all history that can fail.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import pg from 'pg';
import { examine, judge } from 'pawl/internal/doctor/checks';
import { type Facts, gatherFacts } from 'pawl/internal/doctor/facts';
import { type Finding, worstOf } from 'pawl/internal/doctor/finding';
import { verify, type VerifyStep } from 'pawl/internal/doctor/verify';
import type { EngineContext } from 'pawl/internal/engine/context';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { forEachStore } from '../support/world-stores.ts';
import { openWorld, type OpenStore, type World } from '../support/world.ts';

/** A server behind a pooler, with all that this needs. */
const POOLED = {
  isPooled: true,
  isDirect: true,
  hearsNews: true,
  user: 'pawl',
  statementMs: 30_000,
  idleMs: 30_000,
};

const TYPES = { mail: { lifecycle: 'task' }, run: { lifecycle: 'distributed' } };

async function stepsOf(context: EngineContext): Promise<VerifyStep[]> {
  const steps: VerifyStep[] = [];
  for await (const step of verify(context)) steps.push(step);
  return steps;
}

async function violationsOf(context: EngineContext): Promise<string[]> {
  return (await stepsOf(context)).flatMap((step) =>
    step.kind === 'violation' ? [`${step.violation.invariant} ${step.violation.message}`] : [],
  );
}

/** Jobs that ended well, ended badly, were retried, and that nobody has begun. */
async function liveALittle(world: World): Promise<void> {
  for (let n = 0; n < 3; n++) await world.enqueue('mail', { n });
  await world.complete(await world.claimOne('w1', 'mail'));
  await world.fail(await world.claimOne('w1', 'mail'), 'network_timeout');
  await world.enqueue('run', {});
  await world.fail(await world.claimOne('w1', 'run'), 'PermanentError');
}

await forEachStore(({ label, open }) => {
  describe(`the doctor on ${label}`, () => {
    test('finds every law kept in a history that was made by the verbs', async () => {
      const world = await openWorld({ store: open, types: TYPES });
      await liveALittle(world);
      const steps = await stepsOf(world.context);
      assert.deepEqual(await violationsOf(world.context), []);
      const last = steps.at(-1)!;
      assert.equal(last.kind, 'done');
      assert.equal(last.kind === 'done' && last.jobs, 4);
      await world.close();
    });

    test('has a finding of every check, and each that is not good says what to do', async () => {
      const world = await openWorld({ store: open, types: TYPES });
      await liveALittle(world);
      const findings = await examine(world.context);
      for (const { level, action, check } of findings) {
        assert.equal(action === null, level === 'good', check);
      }
      const unserved = findings.find(({ check }) => check === 'workers');
      assert.match(unserved?.message ?? '', /jobs of type mail are ready .* no worker takes/);
      await world.close();
    });

    test('speaks of jobs that failed without a dead letter, until they are run again', async () => {
      const world = await openWorld({ store: open, types: TYPES });
      const failed = async (): Promise<Finding[]> => {
        const findings = await examine(world.context);
        return findings.filter(({ check }) => check === 'failures');
      };
      assert.deepEqual(
        (await failed()).map(({ level }) => level),
        ['good'],
      );
      const job = await world.enqueue('mail', {});
      await world.fail(await world.claimOne('w1', 'mail'), 'PermanentError');
      await world.enqueue('run', {});
      await world.fail(await world.claimOne('w1', 'run'), 'PermanentError');
      const letters = await world.engine.deadLetters({ tenant: job.tenant, limit: 9 });
      assert.deepEqual(
        letters.map(({ type }) => type),
        ['run'],
      );
      const [found, ...more] = await failed();
      assert.deepEqual([found!.level, more], ['notice', []]);
      assert.match(found!.message, /^1 jobs of type mail failed without a dead letter/);
      assert.match(found!.action!, /pawl failures --type mail/);
      const caller = { tenant: job.tenant, principal: null };
      await world.engine.rerun({ id: job.id, caller });
      assert.deepEqual(
        (await failed()).map(({ level }) => level),
        ['good'],
      );
      await world.close();
    });
  });
});

const servers = await postgresServers();

describe('a broken history, made by hand behind the guard', () => {
  test('is found on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-doctor-'));
    const path = join(folder, 'pawl.db');
    const open: OpenStore = (ports) => openSqliteStore({ ...ports, path });
    const before = await openWorld({ store: open, types: TYPES });
    await liveALittle(before);
    await before.close();
    const db = new DatabaseSync(path);
    const triggers = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all();
    for (const { name } of triggers) db.exec(`DROP TRIGGER "${String(name)}"`);
    db.exec('UPDATE ended SET state = state + 1 WHERE phase = 5');
    db.close();
    const world = await openWorld({ store: open });
    assert.match((await violationsOf(world.context)).join('\n'), /I8|I2|fold|state/);
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const server of servers) {
    test(`is found on ${server.label}`, async () => {
      const database = await freshDatabase(server);
      const open: OpenStore = (ports) => openPostgresStore({ ...ports, url: database.url });
      const world = await openWorld({ store: open, types: TYPES });
      await liveALittle(world);
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query('SET session_replication_role = replica');
      await client.query('DELETE FROM pawl.log WHERE kind = 3');
      await client.end();
      assert.notDeepEqual(await violationsOf(world.context), []);
      await world.close();
      await database.drop();
    });
  }
});

describe('what the doctor makes of facts', () => {
  async function judged(change: (facts: Facts) => Facts): Promise<readonly Finding[]> {
    const world = await openWorld({ types: TYPES });
    const facts = await gatherFacts(world.context);
    await world.close();
    return judge(change(facts));
  }

  const withFigures = (figures: Partial<Facts['figures']>) => (facts: Facts) => ({
    ...facts,
    figures: { ...facts.figures, engine: 'postgres' as const, version: '17.2', ...figures },
  });

  const rows: [string, (facts: Facts) => Facts, string, string][] = [
    ['an old server', withFigures({ version: '14.9' }), 'version', 'fault'],
    ['fsync switched off', withFigures({ settings: { fsync: 'off' } }), 'durability', 'fault'],
    ['no room for tomorrow', withFigures({ daysAhead: 0 }), 'partitions', 'fault'],
    [
      'dead rows without end',
      withFigures({ tables: [{ name: 'jobs', bytes: 1, rows: 10, deadRows: 1e6 }] }),
      'bloat',
      'warning',
    ],
    [
      'a server without a free place',
      withFigures({ connections: { used: 99, max: 100 } }),
      'connections',
      'warning',
    ],
    [
      'a pooler without limits',
      withFigures({ connection: { ...POOLED, statementMs: 0 } }),
      'pooler',
      'warning',
    ],
    [
      'a pooler and no way around it',
      withFigures({ connection: { ...POOLED, isDirect: false, hearsNews: false } }),
      'pooler',
      'notice',
    ],
    [
      'wake-ups that do not arrive',
      withFigures({ connection: { ...POOLED, hearsNews: false } }),
      'pooler',
      'warning',
    ],
    [
      'a clock that is off',
      (facts) => ({ ...facts, ownNow: facts.now + 60_000 }),
      'clock',
      'warning',
    ],
    ['broken pages', (facts) => ({ ...facts, broken: ['page 3 is bad'] }), 'pages', 'fault'],
    [
      'events without a job',
      (facts) => ({ ...facts, strays: [{ tenant: 'acme', id: 'lost' }] }),
      'orphans',
      'fault',
    ],
    [
      'a failure without a dead letter',
      (facts) => ({ ...facts, failed: [{ type: 'mail', count: 3 }] }),
      'failures',
      'notice',
    ],
    [
      'readers that wait',
      (facts) => ({ ...facts, vitals: { ...facts.vitals, tailLagMs: 120_000 } }),
      'tail',
      'warning',
    ],
  ];
  for (const [what, change, check, level] of rows) {
    test(`${what} is a ${level}`, async () => {
      const finding = (await judged(change)).find((one) => one.check === check);
      assert.equal(finding?.level, level);
    });
  }

  test('a platform at rest is well', async () => {
    assert.equal(worstOf(await judged((facts) => facts)), 'good');
  });
});
