import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededRandom } from '../../core/random.ts';
import { Heap } from './heap.ts';

test('a heap gives its items in order, whatever order they came in', () => {
  const random = new SeededRandom(1);
  const heap = new Heap<number>((one, other) => one - other);
  const kept: number[] = [];
  for (let round = 0; round < 2_000; round++) {
    if (random.below(3) === 0 && kept.length > 0) {
      kept.sort((one, other) => one - other);
      assert.equal(heap.first, kept[0]);
      assert.equal(heap.pop(), kept.shift());
    } else {
      const item = random.below(500);
      heap.push(item);
      kept.push(item);
    }
    assert.equal(heap.size, kept.length);
  }
  assert.equal(new Heap<number>(() => 0).pop(), undefined);
});
