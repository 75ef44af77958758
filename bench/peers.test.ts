import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CONTENDERS } from './peers/contenders.ts';
import { Figures } from './peers/figures.ts';
import { parseOptions } from './peers/options.ts';
import { chartOf, reportOf } from './peers/report.ts';
import { type Outcome, type Reading, runPeers } from './peers/run.ts';
import { reached, TARGETS } from './peers/targets.ts';

const signal = new AbortController().signal;
const say = (): void => undefined;

function reading(contender: string, measure: string, value: number): Reading {
  return { contender, row: 'drain', measure, repeat: 0, value, isCapped: false };
}

describe('the benchmark beside other queues', () => {
  test('runs small with Pawl alone, and tells what it measured', async () => {
    const words = '--quick --jobs 100 --only pawl-sqlite:best --rows drain,latency,ceiling';
    const options = parseOptions(words.split(' '));
    const outcome = await runPeers(options, { say, signal });
    assert.deepEqual(outcome.absences, []);
    assert.equal(outcome.isComplete, true);
    const report = reportOf(outcome, options, []);
    for (const measure of ['full life', 'worker CPU', 'latency at idle, p50', 'raw SQL, drain']) {
      assert.ok(report.includes(measure), `no ${measure} in\n${report}`);
    }
    assert.doesNotMatch(report, /NaN|undefined|Infinity/);
    assert.match(chartOf(outcome, options), /pawl-sqlite:best/);
  });

  test('drains PostgreSQL by plain statements, and finds every job ended', async () => {
    const options = parseOptions(
      '--quick --jobs 700 --only pawl-pg:best --rows ceiling'.split(' '),
    );
    const { readings, absences } = await runPeers(options, { say, signal });
    assert.deepEqual(absences, []);
    assert.deepEqual(
      readings.map(({ measure, value }) => [measure, value > 0]),
      [['raw SQL, drain', true]],
    );
  });

  test('names who was left out, and why', () => {
    const outcome: Outcome = {
      readings: [],
      absences: [{ contender: 'bullmq:c50', row: null, reason: 'no Redis was found' }],
      conditions: [],
      isComplete: true,
    };
    const report = reportOf(outcome, parseOptions(['--only', 'bullmq:c50']), []);
    assert.match(report, /bullmq:c50, everything: no Redis was found/);
  });

  test('holds Pawl to the best of its peers, and says which line was reached', () => {
    const target = TARGETS.find(({ words }) => words.startsWith('PostgreSQL batch enqueue'))!;
    const figures = (own: number): Figures =>
      new Figures([
        reading('pawl-pg:best', 'enqueue by 1,000', own),
        reading('graphile:best', 'enqueue by 1,000', 100),
        reading('pgboss:best', 'enqueue by 1,000', 50),
      ]);
    const lines = [109, 110, 150].map((own) => reached(target, target.measured(figures(own))!));
    assert.deepEqual(lines, ['**no**', 'floor', 'aim']);
    assert.equal(target.measured(figures(1))!.against, 'graphile:best');
    assert.equal(target.measured(new Figures([])), null);
  });

  test('holds a latency to the smallest of its peers', () => {
    const target = TARGETS.find(({ words }) =>
      words.startsWith('latency at idle p50, PostgreSQL'),
    )!;
    const measure = 'latency at idle, p50';
    const figures = new Figures([
      reading('pawl-pg:best', measure, 3),
      reading('graphile:best', measure, 4),
      reading('pgboss:best', measure, 20),
    ]);
    const measured = target.measured(figures)!;
    assert.equal(measured.against, 'graphile:best');
    assert.equal(reached(target, measured), 'aim');
  });

  test('compares only with contenders that there are', () => {
    const names = new Set(CONTENDERS.map(({ name }) => name));
    const all = new Figures(
      [...names].flatMap((name) =>
        [
          'drain, 1 process',
          'drain, 2 processes',
          'enqueue by 1,000',
          'enqueue, 64 callers',
          'latency at idle, p50',
          'raw SQL, drain',
          'worker RSS',
        ].map((measure) => reading(name, measure, 1)),
      ),
    );
    for (const target of TARGETS) assert.notEqual(target.measured(all), null, target.words);
  });

  test('refuses options that it does not know', () => {
    assert.throws(() => parseOptions(['--only', 'oracle']), /oracle names none of pawl-pg:default/);
    assert.throws(() => parseOptions(['--rows', 'drains']), /drains names none of enqueue/);
    assert.throws(() => parseOptions(['--jobs', 'many']), /--jobs must be/);
  });
});
