import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../core/clock.ts';
import { Foresight } from './foresight.ts';

/** As many jobs as end in each of so many equal spans. */
function after(ends: readonly number[], spanMs: number): number {
  const clock = new ManualClock(0);
  const foresight = new Foresight('auto', clock);
  foresight.jobs();
  for (const count of ends) {
    for (let n = 0; n < count; n++) foresight.ended();
    clock.advance(spanMs);
    foresight.jobs();
  }
  return foresight.jobs();
}

describe('claiming ahead', () => {
  test('is not done for jobs that take their time', () => {
    assert.equal(after([16, 16, 16], 1_000), 0);
  });

  test('is done for what ends within a moment, and no more when jobs become slow', () => {
    assert.ok(after([1_000, 1_000, 1_000, 1_000], 100) > 400);
    assert.ok(after([1_000, 1_000, 1_000, 1_000], 100) <= 500);
    assert.equal(after([1_000, 1_000, 0, 0, 0, 0, 0, 0, 0, 0, 0], 100), 0);
  });

  test('is as told where a number is given', () => {
    const foresight = new Foresight(7, new ManualClock(0));
    foresight.ended();
    assert.equal(foresight.jobs(), 7);
  });
});
