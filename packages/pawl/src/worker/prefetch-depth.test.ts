import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../core/clock.ts';
import { PrefetchDepth } from './prefetch-depth.ts';

/** As many jobs as end in each of so many equal spans. */
function after(ends: readonly number[], spanMs: number): number {
  const clock = new ManualClock(0);
  const prefetchDepth = new PrefetchDepth('auto', clock);
  prefetchDepth.jobs();
  for (const count of ends) {
    for (let n = 0; n < count; n++) prefetchDepth.ended();
    clock.advance(spanMs);
    prefetchDepth.jobs();
  }
  return prefetchDepth.jobs();
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
    const prefetchDepth = new PrefetchDepth(7, new ManualClock(0));
    prefetchDepth.ended();
    assert.equal(prefetchDepth.jobs(), 7);
  });
});
