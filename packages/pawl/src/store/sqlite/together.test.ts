import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import type { Scene } from '../../../test/store/suite/scene.ts';
import {
  type Fixture,
  insertCall,
  NOW,
  openFixture as openWriter,
} from '../../../../../test/support/sqlite/writer-fixture.ts';
import type { NewJob } from '../insert.ts';
import type { Answer, Call } from './verbs.ts';
import { callsOfText, textOfCalls } from './wire.ts';

interface Jobs {
  readonly free: readonly NewJob[];
  readonly limited: readonly NewJob[];
}

async function makeJobs(scene: Scene): Promise<Jobs> {
  const free = await Promise.all(Array.from({ length: 9 }, () => scene.newJob()));
  const limits = { activePerDocument: false, runningPerKey: { max: 1, key: 'tenant' }, rate: null };
  await scene.type('narrow', 'task', { limits } as never);
  const limited = await Promise.all(
    Array.from({ length: 4 }, () => scene.newJob({ type: 'narrow' })),
  );
  return { free, limited };
}

/** A writer that has met the policies of its jobs: of others it does not know what they limit. */
async function openFixture(t: TestContext): Promise<Omit<Fixture<Jobs>, 'jobs'> & Jobs> {
  const { jobs, ...fixture } = await openWriter(t, makeJobs);
  fixture.writer.run([insertCall(jobs.free[8]!), insertCall(jobs.limited[3]!)]);
  return { ...fixture, ...jobs };
}

function kindsOf(answer: Answer): unknown {
  if ('failure' in answer) return answer.failure.outcome;
  return (answer.value as { kind: string }[]).map(({ kind }) => kind);
}

function entries(db: DatabaseSync): number {
  return Number(db.prepare('SELECT count(*) AS n FROM log').get()!['n']);
}

describe('inserts that share a commit', () => {
  test('are written together, and each call is answered for its own jobs', async (t) => {
    const { writer, outside, free } = await openFixture(t);
    const before = entries(outside);
    const [one, two, three, four] = free as [NewJob, NewJob, NewJob, NewJob];
    const answers = writer.run([
      insertCall(one, two),
      insertCall(),
      insertCall(two),
      insertCall(three, one, four),
    ]);
    assert.deepEqual(answers.map(kindsOf), [
      ['created', 'created'],
      [],
      ['exists'],
      ['created', 'exists', 'created'],
    ]);
    assert.equal(entries(outside), before + 1);
  });

  test('one that is refused is refused alone', async (t) => {
    const { writer, outside, free } = await openFixture(t);
    const [one, two, three] = free as [NewJob, NewJob, NewJob];
    const bad = { ...two, input: 'not JSON' };
    const answers = writer.run([insertCall(one), insertCall(bad, three), insertCall(two)]);
    assert.deepEqual(answers.map(kindsOf), [['created'], 'refused', ['created']]);
    const events = outside.prepare('SELECT count(*) AS n FROM job_events').get()!['n'];
    assert.equal(events, outside.prepare('SELECT sum(version) AS n FROM jobs').get()!['n']);
  });

  test('those that a limit may hold stay calls of their own', async (t) => {
    const { writer, outside, free, limited } = await openFixture(t);
    const before = entries(outside);
    const [one, two, three] = limited as [NewJob, NewJob, NewJob];
    writer.run([insertCall(one), insertCall(two), insertCall(free[0]!), insertCall(three)]);
    assert.equal(entries(outside), before + 4);
  });

  test('travel as one list, and arrive as the calls that they were', async (t) => {
    const { free } = await openFixture(t);
    const [one, two, three, four, five] = free as [NewJob, NewJob, NewJob, NewJob, NewJob];
    const claim: Call = { verb: 'claim', args: [{ owner: 'w' }], now: NOW };
    const calls = [
      insertCall(one),
      insertCall(two, three),
      { ...insertCall(four), now: NOW + 1 },
      claim,
      insertCall(),
      insertCall(five),
    ];
    assert.deepEqual(callsOfText(textOfCalls(calls)), calls);
    assert.deepEqual(callsOfText(textOfCalls([])), []);
  });
});
