import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseOptions } from './growth/options.ts';
import { reportOf } from './growth/report.ts';
import { runGrowth } from './growth/run.ts';

describe('the benchmark of growth', () => {
  test('runs small on SQLite, and compares every verb with the empty database', async () => {
    const options = parseOptions(['--smoke']);
    const report = reportOf(await runGrowth(options, () => undefined), options);
    assert.match(report, /\| {2}\| 300 finished \| 200 waiting \|/);
    for (const verb of ['enqueue', 'claim', 'complete', 'cancel', 'read', 'list, newest page']) {
      assert.match(report, new RegExp(`\\n\\| ${verb} \\| \\**\\d+\\.\\d\\d\\** \\| \\d`));
    }
    assert.doesNotMatch(report, /NaN|undefined|Infinity/);
  });

  test('refuses options that it does not know', () => {
    assert.throws(() => parseOptions(['--store', 'oracle']), /--store must be/);
    assert.throws(() => parseOptions(['--finished', '1,many']), /--finished must be/);
  });
});
