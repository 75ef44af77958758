import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseOptions } from './http/options.ts';
import { reportOf } from './http/report.ts';
import { runHttp } from './http/run.ts';

describe('the benchmark of the API', () => {
  test('runs small on SQLite: verbs, streams and remote jobs of a real server', async () => {
    const options = parseOptions(['--smoke']);
    const report = reportOf(await runHttp(options, () => undefined), options);
    for (const heading of ['## Verbs', '## 5 streams on one server', '## 10 remote jobs']) {
      assert.ok(report.includes(heading), `no ${heading} in\n${report}`);
    }
    assert.match(report, /\| SQLite, HTTP \| [\d,]+ \|/);
    assert.match(report, /\| SQLite, in process \| [\d,]+ \|/);
    assert.doesNotMatch(report, /NaN|undefined|Infinity/);
  });

  test('refuses options that it does not know', () => {
    assert.throws(() => parseOptions(['--store', 'oracle']), /--store must be/);
    assert.throws(() => parseOptions(['--part', 'all']), /--part must be/);
  });
});
