import assert from 'node:assert/strict';
import { test } from 'node:test';
import { task } from '../lifecycles/task.ts';
import { policyOf } from '../../test/support/lifecycle-table.ts';
import { progressFloor } from './policy.ts';

const stages = [
  { name: 'preparing', min: 0, max: 10 },
  { name: 'rendering_slides', min: 10, max: 70 },
];
const policy = policyOf(task, { stages });

test('[T16] entering a stage lifts progress to its minimum', () => {
  assert.equal(progressFloor(policy, 'rendering_slides'), 10);
  assert.equal(progressFloor(policy, 'preparing'), 0);
});

test('no stage, or one that the type does not name, lifts nothing', () => {
  assert.equal(progressFloor(policy, null), 0);
  assert.equal(progressFloor(policy, 'other'), 0);
});
