// The soak of `npm run proof:soak`, for some seconds; and that its verdict can be a bad one.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chartOf, growthOf } from './chart.ts';
import { pageOf } from './run.ts';
import { type Measure, MEASURES, runSoak } from './soak.ts';
import { judge } from './verdict.ts';

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

function looksOf(seen: (name: Measure, index: number) => number): Record<Measure, number>[] {
  return Array.from({ length: 90 }, (_, index) => {
    const entries = MEASURES.map((name) => [name, seen(name, index)] as const);
    return Object.fromEntries(entries) as Record<Measure, number>;
  });
}

test('the verdict is bad for a leak in any one measure, and for a measure not taken', () => {
  const flat = (index: number): number => 100 + (index % 7);
  assert.deepEqual(judge({ looks: looksOf((_, index) => flat(index)) }, 30).violations, []);
  for (const leaking of MEASURES) {
    // Two thirds more by the end of the run.
    const looks = looksOf((name, index) => flat(index) + (name === leaking ? index * 0.75 : 0));
    const { told, violations } = judge({ looks }, 30);
    assert.match(told, /^NOT FLAT/);
    assert.deepEqual(
      violations.map((line) => line.replace(/ by .*/, '')),
      [`${leaking} grew`],
    );
    assert.match(judge({ looks }, 10).told, /^not judged/);
    const untaken = looksOf((name, index) => (name === leaking ? 0 : flat(index)));
    assert.deepEqual(judge({ looks: untaken }, 30).violations, [
      `${leaking} was never seen to be more than 0`,
    ]);
  }
});
