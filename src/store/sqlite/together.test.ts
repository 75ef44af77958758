import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, type TestContext, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import type { NewJob } from '../insert.ts';
import { openSqliteStore } from './store.ts';
import type { Answer, Call } from './verbs.ts';
import { callsOfText, textOfCalls } from './wire.ts';
import { Writer } from './writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-together-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const NOW = 1_000;

interface Desk {
  readonly writer: Writer;
  readonly outside: DatabaseSync;
  readonly jobs: readonly NewJob[];
  readonly limited: readonly NewJob[];
}

let desks = 0;

/** A writer that has met the policies of its jobs: of others it does not know what they limit. */
async function openDesk(t: TestContext): Promise<Desk> {
  const path = join(folder, `${++desks}.sqlite`);
  const clock = new ManualClock();
  const store = await openSqliteStore({ path, lifecycles, clock, mode: 'inline' });
  const scene = new Scene({ store, clock, lifecycles });
  const jobs = await Promise.all(Array.from({ length: 9 }, () => scene.newJob()));
  const limits = { activePerDocument: false, runningPerKey: { max: 1, key: 'tenant' }, rate: null };
  await scene.type('narrow', 'task', { limits } as never);
  const limited = await Promise.all(
    Array.from({ length: 4 }, () => scene.newJob({ type: 'narrow' })),
  );
  await store.close();
  const writer = new Writer({ path, lifecycles, synchronous: 'full' });
  writer.run([insertCall(jobs[8]!), insertCall(limited[3]!)]);
  const outside = new DatabaseSync(path);
  t.after(() => {
    outside.close();
    writer.close();
  });
  return { writer, outside, jobs, limited };
}

function insertCall(...jobs: readonly NewJob[]): Call {
  return { verb: 'insert', args: [jobs], now: NOW };
}

function kindsOf(answer: Answer): unknown {
  if ('failure' in answer) return answer.failure.outcome;
  return (answer.value as { kind: string }[]).map(({ kind }) => kind);
}

function feedLines(db: DatabaseSync): number {
  return Number(db.prepare('SELECT count(*) AS n FROM feed').get()!['n']);
}

describe('inserts that share a commit', () => {
  test('are written together, and each call is answered for its own jobs', async (t) => {
    const { writer, outside, jobs } = await openDesk(t);
    const before = feedLines(outside);
    const [one, two, three, four] = jobs as [NewJob, NewJob, NewJob, NewJob];
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
    assert.equal(feedLines(outside), before + 1);
  });

  test('one that is refused is refused alone', async (t) => {
    const { writer, outside, jobs } = await openDesk(t);
    const [one, two, three] = jobs as [NewJob, NewJob, NewJob];
    const bad = { ...two, input: 'not JSON' };
    const answers = writer.run([insertCall(one), insertCall(bad, three), insertCall(two)]);
    assert.deepEqual(answers.map(kindsOf), [['created'], 'refused', ['created']]);
    const events = outside.prepare('SELECT count(*) AS n FROM events').get()!['n'];
    assert.equal(events, outside.prepare('SELECT sum(version) AS n FROM jobs').get()!['n']);
  });

  test('those that a limit may hold stay calls of their own', async (t) => {
    const { writer, outside, jobs, limited } = await openDesk(t);
    const before = feedLines(outside);
    const [one, two, three] = limited as [NewJob, NewJob, NewJob];
    writer.run([insertCall(one), insertCall(two), insertCall(jobs[0]!), insertCall(three)]);
    assert.equal(feedLines(outside), before + 4);
  });

  test('travel as one list, and arrive as the calls that they were', async (t) => {
    const { jobs } = await openDesk(t);
    const [one, two, three, four, five] = jobs as [NewJob, NewJob, NewJob, NewJob, NewJob];
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
