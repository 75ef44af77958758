import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseOptions } from './core/options.ts';
import { runBenchmark } from './core/run.ts';
import { median } from './harness/statistics.ts';

describe('the benchmark of the hot path', () => {
  test('runs small on the stores that need no server, and tells what it measured', async () => {
    const report = await runBenchmark(parseOptions(['--smoke']), () => undefined);
    for (const heading of ['## Memory', '## SQLite', '### Latency at idle', '### Growth']) {
      assert.ok(report.includes(heading), `no ${heading} in\n${report}`);
    }
    assert.match(report, /\| bare loop, no guard \| [\d,]+ \|/);
    assert.doesNotMatch(report, /NaN|undefined|Infinity/);
  });

  test('refuses options that it does not know', () => {
    assert.throws(() => parseOptions(['--store', 'oracle']), /--store must be/);
    assert.throws(() => parseOptions(['--jobs', 'many']), /--jobs must be/);
  });

  test('takes the middle of the repeats', () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 3, 2]), 2.5);
  });
});
