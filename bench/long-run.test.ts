import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runFullSpeed } from './long-run/full-speed.ts';
import { chartsOf, fullSpeedReport } from './long-run/full-speed-report.ts';
import { parseOptions } from './long-run/options.ts';
import { reportOf } from './long-run/report.ts';
import { runAll } from './long-run/run.ts';

describe('the long run', () => {
  test('runs small on SQLite, and tells what it saw', async () => {
    const options = parseOptions(['--smoke']);
    const runs = await runAll(options, () => undefined);
    assert.deepEqual(
      runs.map(({ name }) => name),
      ['SQLite'],
    );
    assert.ok(runs[0]!.jobs >= options.jobs);
    const report = reportOf(runs, options);
    for (const heading of ['## SQLite', '### By time', '### What the purge costs']) {
      assert.ok(report.includes(heading), `no ${heading} in\n${report}`);
    }
    assert.doesNotMatch(report, /NaN|undefined|Infinity/);
  });

  test('runs at full speed for a moment, and charts what it left behind', async () => {
    const options = parseOptions(['--smoke', '--full-speed']);
    const runs = await runFullSpeed(options, options.fullSpeedMs!, () => undefined);
    const report = fullSpeedReport(runs, options);
    const [chart] = chartsOf(runs);
    assert.ok(report.includes(`(${chart!.file})`), `no chart in\n${report}`);
    assert.match(report, /\| file MB \|/);
    assert.match(chart!.svg, /<polyline points="[\d., ]+"/);
    assert.doesNotMatch(report + chart!.svg, /NaN|undefined|Infinity/);
  });

  test('refuses options that it does not know', () => {
    assert.throws(() => parseOptions(['--store', 'oracle']), /--store must be/);
    assert.throws(() => parseOptions(['--rate', '0']), /--rate must be/);
  });
});
