import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from './control/options.ts';
import { reportOf } from './control/report.ts';
import { runAll } from './control/run.ts';

test('the benchmark of limits runs small on SQLite, and tells what it measured', async () => {
  const options = parseOptions(['--smoke']);
  const report = reportOf(await runAll(options, () => undefined), options);
  for (const heading of ['## SQLite', 'jobs of other keys', 'up to 100 at a time']) {
    assert.ok(report.includes(heading), `no ${heading} in\n${report}`);
  }
  assert.doesNotMatch(report, /NaN|undefined|Infinity/);
});

test('the benchmark of limits refuses options that it does not know', () => {
  assert.throws(() => parseOptions(['--store', 'oracle']), /--store must be/);
  assert.throws(() => parseOptions(['--parked', 'many']), /--parked must be/);
});
