import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handlerStarts } from './handler-starts.ts';
import type { RecordedAttempt } from './stretch.ts';

function attempt(startedAt: number, endedAt: number | null): RecordedAttempt {
  return { dueAt: 0, startedAt, endedAt, worker: 'w1' };
}

test('jobs that were claimed ahead began when a slot was free, in the order of their claims', () => {
  const attempts = [attempt(0, 10), attempt(0, 30), attempt(0, 25), attempt(5, 40)];
  assert.deepEqual(handlerStarts(attempts, 2), { startedAt: [0, 0, 10, 25], aheads: [1, 2] });
  assert.deepEqual(handlerStarts(attempts, 4), { startedAt: [0, 0, 0, 5], aheads: [0] });
});

test('a job that was given back before a slot was free never began', () => {
  const attempts = [attempt(0, 50), attempt(0, 20), attempt(10, null)];
  assert.deepEqual(handlerStarts(attempts, 1).startedAt, [0, null, 50]);
});

test('an attempt that took no time is over when the next one begins', () => {
  assert.deepEqual(handlerStarts([attempt(5, 5), attempt(5, 9)], 1).startedAt, [5, 5]);
});
