import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inRepository } from '../../../scripts/run/repository.ts';
import { GOALS, LANES } from './lanes.ts';
import { Ledger, type LaneTotals } from './ledger.ts';
import { pageOf, standingOf, withPart } from './page.ts';

const lane: LaneTotals = {
  next: 10,
  slices: 2,
  seconds: 7_200,
  counts: { cuts: 100, jobs: 4_000 },
  violations: 0,
  found: '',
  trees: { abc: { commit: 'def', slices: 2, seconds: 7_200 } },
};

test('the page tells totals, rates and how far away a goal is', () => {
  const lines = pageOf({ power: lane }).split('\n');
  assert.ok(
    lines.includes('| power cuts | 100 | 500 | 20.0 % | 2.0 | 50 | 8.0 |'),
    lines.join('\n'),
  );
  assert.ok(lines.some((line) => line.startsWith('| simulated steps | 0 | 1,000,000,000 | 0.0 %')));
  assert.match(
    lines.at(-1)!,
    /^\| power \| .* \| 2 \| 2\.0 \| cuts 100, jobs 4,000 \| 0 \| abc \(def\) \|$/,
  );
});

test('every goal is counted by lanes that there are', () => {
  for (const goal of GOALS) {
    assert.deepEqual(standingOf(goal, {}), { total: 0, seconds: 0 });
    for (const name of goal.lanes)
      assert.ok(
        LANES.some((one) => one.name === name),
        name,
      );
  }
});

test('docs/proof.md has the totals of the ledger', () => {
  const page = readFileSync(inRepository('docs', 'proof.md'), 'utf8');
  const { lanes } = new Ledger(inRepository('docs', 'proof-totals.json'));
  assert.equal(page, withPart(page, pageOf(lanes)));
});
