import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareOut } from './share.ts';

/** What each lane gave, by `tenant/lane` with so many jobs in it. */
function given(
  lanes: Readonly<Record<string, number>>,
  request: { max: number; turn: number },
): Record<string, number> {
  const left = new Map(Object.entries(lanes));
  const counts: Record<string, number> = {};
  const list = Object.keys(lanes).map((name) => ({ tenant: name.split('/')[0]!, name }));
  shareOut(list, request, ({ name }, count) => {
    const got = Math.min(count, left.get(name)!);
    left.set(name, left.get(name)! - got);
    if (got > 0) counts[name] = (counts[name] ?? 0) + got;
    return got;
  });
  return counts;
}

test('tenants share equally, and then their lanes', () => {
  const lanes = { 'a/1': 9, 'a/2': 9, 'b/1': 9 };
  assert.deepEqual(given(lanes, { max: 8, turn: 0 }), { 'a/1': 2, 'a/2': 2, 'b/1': 4 });
});

test('[F56] with one job wanted, each tenant is the first in turn', () => {
  const lanes = { 'a/1': 9, 'b/1': 9, 'c/1': 9 };
  const first = [0, 1, 2, 3].map((turn) => Object.keys(given(lanes, { max: 1, turn }))[0]);
  assert.deepEqual(first, ['a/1', 'b/1', 'c/1', 'a/1']);
});

test('what one cannot give, the others do', () => {
  const lanes = { 'a/1': 1, 'a/2': 5, 'b/1': 0 };
  assert.deepEqual(given(lanes, { max: 10, turn: 0 }), { 'a/1': 1, 'a/2': 5 });
  assert.deepEqual(given({}, { max: 10, turn: 3 }), {});
});
