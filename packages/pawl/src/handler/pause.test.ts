import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Duration } from '../core/duration.ts';
import { Pause, pause } from './pause.ts';

function delayOf(delay: Duration): number {
  try {
    return pause('snooze', delay);
  } catch (error) {
    if (error instanceof Pause) return error.delayMs;
    throw error;
  }
}

test('a pause lasts for any duration; one that lies in the past is over at once', () => {
  assert.equal(delayOf('1.5s'), 1_500);
  assert.equal(delayOf(20.4), 20);
  assert.equal(delayOf(-5), 0);
});

test('a pause of no duration at all is refused rather than endless', () => {
  assert.throws(() => delayOf(NaN), { code: 'VALIDATION_ERROR' });
  assert.throws(() => delayOf('5 minutes' as Duration), { code: 'VALIDATION_ERROR' });
});
