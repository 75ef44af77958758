import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressWithin } from './policy.ts';

const stages = [
  { name: 'preparing', min: 0, max: 10 },
  { name: 'rendering_slides', min: 10, max: 70 },
];

test('[T16] progress within a stage lies in its range', () => {
  const within = (progress: number): number => progressWithin(stages[1]!, progress);
  assert.deepEqual([0, 10, 33.9, 70, 99].map(within), [10, 10, 33, 70, 70]);
});

test('without a stage it lies between 0 and 100', () => {
  const anywhere = (progress: number): number => progressWithin(null, progress);
  assert.deepEqual([-1, 0, 99.9, 101].map(anywhere), [0, 0, 99, 100]);
});
