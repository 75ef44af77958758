import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staleFlowChanges } from './flows.ts';
import { barrenRows, staleChanges } from './rows.ts';

test('every change that is planted for a requirement can still be made', () => {
  assert.deepEqual(staleChanges(), []);
});

test('every requirement has a change that is planted for it', () => {
  assert.deepEqual(barrenRows(), []);
});

test('every change that is planted in how jobs wait can still be made', () => {
  assert.deepEqual(staleFlowChanges(), []);
});
