// The soak of `npm run proof:soak`, for some seconds; and that its verdict can be a bad one.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chartOf, growthOf } from './chart.ts';
import { pageOf } from './run.ts';
import { runSoak } from './soak.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-soak-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a platform under steady work leaves nothing lying, and is charted', async () => {
  const options = { minutes: 0.05, perSecond: 20, everyMs: 500, folder, say: () => undefined };
  const report = await runSoak(options);
  assert.deepEqual(report.violations, []);
  assert.ok(report.made > 0 && report.looks.length > 0);
  const page = pageOf(report, { minutes: 0.05, perSecond: 20 });
  assert.match(page, /memory MiB; last third[\s\S]*database bytes a job; last third/);
  assert.doesNotMatch(page, /NaN|undefined|Infinity/);
});

test('what grows is seen to grow, what is flat is not', () => {
  const leak = Array.from({ length: 90 }, (_, index) => 100 + 5 * index);
  const flat = Array.from({ length: 90 }, (_, index) => 100 + (index % 7));
  assert.ok(growthOf(leak) > 1.25);
  assert.ok(Math.abs(growthOf(flat) - 1) < 0.05);
  assert.equal(growthOf([]), 1);
  const chart = chartOf('memory', leak).split('\n');
  assert.equal(chart.length, 10);
  assert.ok(chart[1]!.length > 60 && chart.at(-2)!.includes('█'));
});
