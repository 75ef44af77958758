import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runFullSpeed } from './long-run/full-speed.ts';
import { chartsOf, fullSpeedReport } from './long-run/full-speed-report.ts';
import { Load } from './long-run/load.ts';
import { parseOptions } from './long-run/options.ts';
import { openPostgresSite } from './long-run/postgres-site.ts';
import { reportOf } from './long-run/report.ts';
import { runAll } from './long-run/run.ts';
import { shortDays } from './long-run/short-days.ts';
import { Watch } from './long-run/watch.ts';

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

  test('reads on PostgreSQL all sizes that it charts', async () => {
    const clock = shortDays(60_000);
    const site = await openPostgresSite(clock);
    try {
      const load = await Load.open(site.store, clock);
      await load.runAtPace(50, 1_000);
      const watch = new Watch(site, load, 10);
      await watch.during('full speed', load.runAtPace(50, 1_000));
      const { name, conditions } = site;
      const run = { name, conditions, lines: watch.lines, jobs: load.ended };
      const [chart] = chartsOf([{ ...run, summary: await site.summary() }]);
      assert.doesNotMatch(chart!.svg, /NaN|undefined|Infinity/);
      for (const [what, value] of Object.entries(watch.lines[0]!.reading)) {
        assert.ok(Number.isFinite(value), what);
      }
      assert.ok(watch.lines[0]!.reading['jobs MB']! > 0);
    } finally {
      await site.close();
    }
  });

  test('refuses options that it does not know', () => {
    assert.throws(() => parseOptions(['--store', 'oracle']), /--store must be/);
    assert.throws(() => parseOptions(['--rate', '0']), /--rate must be/);
  });
});
