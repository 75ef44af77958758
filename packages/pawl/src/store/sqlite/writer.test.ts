import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import { databasePath } from '../../../../../test/support/sqlite/threaded-scene.ts';
import { insertCall, openFixture } from '../../../../../test/support/sqlite/writer-fixture.ts';
import type { Failure } from './failure.ts';
import type { NewJob } from '../insert.ts';
import { openSqliteStore } from './store.ts';
import type { Answer, Call } from './verbs.ts';

const threeJobs = (scene: Scene): Promise<NewJob[]> =>
  Promise.all(Array.from({ length: 3 }, () => scene.newJob()));

function countJobs(db: DatabaseSync): number {
  return Number(db.prepare('SELECT count(*) AS n FROM jobs').get()!['n']);
}

function kindOf(answer: Answer): unknown {
  if ('failure' in answer) return answer.failure.outcome;
  return (answer.value as { kind: string }[])[0]!.kind;
}

describe('group commit', () => {
  test('one call that fails is taken back alone and as a whole', async (t) => {
    const { writer, outside, jobs } = await openFixture(t, threeJobs);
    const [one, two, three] = jobs as [NewJob, NewJob, NewJob];
    const answers = writer.run([
      insertCall(one),
      insertCall(two, { ...three, input: 'not JSON' }),
      insertCall(three),
    ]);
    assert.deepEqual(answers.map(kindOf), ['created', 'refused', 'created']);
    assert.equal(countJobs(outside), 2);
    assert.equal(outside.prepare('SELECT count(*) AS n FROM log').get()!['n'], 2);
    assert.deepEqual(writer.run([insertCall(two)]).map(kindOf), ['created']);
  });

  test('a tenant that a failed call made is not remembered', async (t) => {
    const { writer, jobs } = await openFixture(t, threeJobs);
    const stranger = { ...jobs[0]!, tenant: 'stranger' };
    const answers = writer.run([insertCall({ ...stranger, policy: 99 }), insertCall(stranger)]);
    assert.deepEqual(answers.map(kindOf), ['refused', 'created']);
  });

  test('nobody sees a call before the commit that it shares', async (t) => {
    const { writer, outside, jobs } = await openFixture(t, threeJobs);
    const seen: number[] = [];
    const look = { map: () => (seen.push(countJobs(outside)), []) };
    const calls = [insertCall(jobs[0]!), { verb: 'insert', args: [look], now: 1 } as const];
    writer.run(calls);
    assert.deepEqual([...seen, countJobs(outside)], [0, 1]);
  });

  test('a resolved call is committed, in a thread as well', async (t) => {
    const path = databasePath(t);
    const clock = new ManualClock();
    const store = await openSqliteStore({ path, lifecycles, clock });
    t.after(() => store.close());
    const scene = new Scene({ store, clock, lifecycles });
    await scene.type('task', 'task');
    const outside = new DatabaseSync(path);
    const counts = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const isBad = n === 25;
        const call = scene.insert(isBad ? { input: 'not JSON' } : {});
        const outcome = await call.catch((error: { outcome: string }) => error.outcome);
        assert.equal(
          isBad ? outcome : (outcome as { kind: string }).kind,
          isBad ? 'refused' : 'created',
        );
        return countJobs(outside);
      }),
    );
    outside.close();
    assert.equal(counts.at(-1), 49);
  });
});

describe('a failing disk', () => {
  test('a full disk before the commit leaves everything unchanged', async (t) => {
    const { writer, outside, jobs } = await openFixture(t, threeJobs);
    const { db } = writer.tools.connection;
    const { page_count: pages } = db.prepare('PRAGMA page_count').get()!;
    db.exec(`PRAGMA max_page_count = ${Number(pages)}`);
    const large = { ...jobs[0]!, input: JSON.stringify('x'.repeat(100_000)) };
    const [answer] = writer.run([insertCall(large)]);
    const { failure } = answer as { failure: Failure };
    assert.deepEqual([failure.outcome, failure.trouble], ['unchanged', 'full']);
    assert.match(failure.message, /^the disk of the database is full: /);
    assert.equal(countJobs(outside), 0);
    db.exec('PRAGMA max_page_count = 1000000');
    assert.deepEqual(writer.run([insertCall(large)]).map(kindOf), ['created']);
  });

  test('a failed commit is taken back for all who shared it; a new connection follows', async (t) => {
    const { writer, outside, jobs } = await openFixture(t, threeJobs);
    const { connection } = writer.tools;
    outside.exec(`CREATE TABLE debts (
        id INTEGER REFERENCES tenants (number) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER owe AFTER INSERT ON log BEGIN INSERT INTO debts VALUES (99); END`);
    connection.db.exec('PRAGMA foreign_keys = ON');
    const answers = writer.run([insertCall(jobs[0]!), insertCall(jobs[1]!)]);
    assert.deepEqual(answers.map(kindOf), ['refused', 'refused']);
    assert.equal(connection.db.isOpen, false);
    assert.equal(countJobs(outside), 0);
    outside.exec('DROP TRIGGER owe');
    assert.deepEqual(writer.run([insertCall(jobs[0]!)]).map(kindOf), ['created']);
  });

  test('a connection lost in the middle of a group leaves everything unchanged', async (t) => {
    const { writer, outside, jobs } = await openFixture(t, threeJobs);
    const fail = (): never => {
      throw Object.assign(new Error('disk I/O error'), { errcode: 1_034 });
    };
    const broken: Call = { verb: 'insert', args: [{ map: fail }], now: 1 };
    const answers = writer.run([insertCall(jobs[0]!), broken, insertCall(jobs[1]!)]);
    assert.deepEqual(answers.map(kindOf), ['unchanged', 'unchanged', 'unchanged']);
    assert.equal(countJobs(outside), 0);
    assert.deepEqual(writer.run([insertCall(jobs[0]!)]).map(kindOf), ['created']);
  });
});

describe('the write-ahead log', () => {
  test('is moved into the database when it has grown, and starts again', async (t) => {
    const { writer, jobs } = await openFixture(t, threeJobs);
    const input = JSON.stringify('x'.repeat(6_000_000));
    const pages = (): unknown[] => {
      const state = writer.tools.connection.text('PRAGMA wal_checkpoint(NOOP)').get()!;
      return [Number(state['log']) > 1_000, state['log'] === state['checkpointed']];
    };
    writer.run([insertCall({ ...jobs[0]!, input })]);
    assert.deepEqual(pages(), [true, false]);
    writer.checkpoint(false);
    assert.deepEqual(pages(), [true, false], 'a busy writer waits longer');
    writer.checkpoint(true);
    assert.deepEqual(pages(), [true, true]);
    writer.run([insertCall(jobs[1]!)]);
    assert.deepEqual(pages(), [false, false]);
  });
});
