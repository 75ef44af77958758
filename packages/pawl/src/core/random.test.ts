import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededRandom } from './random.ts';

function some(seed: number): number[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: 1_000 }, () => random.next());
}

test('one seed gives one sequence', () => {
  assert.deepEqual(some(42), some(42));
  assert.notDeepEqual(some(42), some(43));
});

test('numbers lie in [0, 1) and are spread over it', () => {
  const counts = Array.from({ length: 10 }, () => 0);
  for (const value of some(7)) {
    assert.ok(value >= 0 && value < 1);
    counts[Math.floor(value * 10)]! += 1;
  }
  for (const count of counts) assert.ok(count > 60 && count < 140, String(counts));
});

test('whole numbers stay below their bound, and every item can be picked', () => {
  const random = new SeededRandom(1);
  const picked = new Set(Array.from({ length: 200 }, () => random.pick(['a', 'b', 'c'])));
  assert.deepEqual([...picked].toSorted(), ['a', 'b', 'c']);
  for (let n = 0; n < 100; n++) assert.ok(random.below(3) < 3);
  assert.throws(() => random.pick([]), RangeError);
});
