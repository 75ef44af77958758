import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from './dashboard/options.ts';
import { reportOf } from './dashboard/report.ts';
import { runDashboard } from './dashboard/run.ts';

test('the benchmark of the dashboard runs small, and tells frame times of each page', async () => {
  const options = parseOptions(['--smoke']);
  const report = reportOf(await runDashboard(options, () => undefined), options);
  for (const page of ['list of jobs', 'list of jobs, held', 'overview', 'job that logs as much']) {
    assert.match(report, new RegExp(`\\| ${page} \\| \\d+ \\| \\d+\\.\\d ms \\|`));
  }
  assert.doesNotMatch(report, /NaN|undefined|Infinity/);
});

test('the benchmark of the dashboard refuses options that it does not know', () => {
  assert.throws(() => parseOptions(['--jobs', 'many']), /--jobs must be/);
});
