import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../../../test/support/properties.ts';
import type { Random } from './random.ts';
import { type Backoff, backoffMs, exponential, fixed, type Jitter } from './retry.ts';

function always(value: number): Random {
  return { next: () => value };
}

const LOW = always(0);
const HIGH = always(1 - Number.EPSILON);

interface Shape {
  baseMs: number;
  maxMs: number;
  factor: number;
}

const shapes: fc.Arbitrary<Shape> = fc
  .record({
    baseMs: fc.integer({ min: 1, max: 10_000 }),
    maxMs: fc.integer({ min: 1, max: 600_000 }),
    factor: fc.double({ min: 1, max: 4, noNaN: true }),
  })
  .filter(({ baseMs, maxMs }) => baseMs <= maxMs);
const numbers = fc.integer({ min: 1, max: 200 });
const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

function of(shape: Shape, jitter: Jitter): Backoff {
  return exponential({ ...shape, jitter });
}

/** The design's own formula: d = min(maxMs, baseMs · factor^(n−1)). */
function plain({ baseMs, maxMs, factor }: Shape, number: number): number {
  return Math.min(maxMs, baseMs * factor ** (number - 1));
}

function holds(jitter: Jitter, bounds: (d: number) => [number, number]): void {
  fc.assert(
    fc.property(shapes, numbers, (shape, number) => {
      const [low, high] = bounds(plain(shape, number)).map((bound) => Math.round(bound));
      const retry = { number, previousMs: null };
      assert.equal(backoffMs(of(shape, jitter), retry, LOW), low);
      const most = backoffMs(of(shape, jitter), retry, HIGH);
      assert.ok(most === high, `${most} is not ${high}`);
    }),
  );
}

describe('the n-th retry waits', () => {
  test('[D6] the same time always, if fixed', () => {
    for (const number of [1, 2, 3]) {
      assert.equal(backoffMs(fixed(1_000), { number, previousMs: 5 }, HIGH), 1_000);
    }
  });

  test('[R11] 500 ms, doubled each time, at most 60 s, without jitter', () => {
    const backoff = exponential({ baseMs: 500, maxMs: 60_000, jitter: 'none' });
    const waits = [1, 2, 3, 7, 8, 9, 50].map((number) => {
      return backoffMs(backoff, { number, previousMs: null }, HIGH);
    });
    assert.deepEqual(waits, [500, 1_000, 2_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test('exactly d, without jitter', () => holds('none', (d) => [d, d]));

  test('[T5] between 0 and d, with full jitter', () => holds('full', (d) => [0, d]));

  test('between half of d and d, with equal jitter', () => holds('equal', (d) => [d / 2, d]));

  test('[T5] between the base and three times the wait before, with decorrelated jitter', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 600_000 }), (shape, previous) => {
        const previousMs = Math.max(shape.baseMs, Math.min(previous, shape.maxMs));
        const backoff = of(shape, 'decorrelated');
        const retry = { number: 3, previousMs };
        assert.equal(backoffMs(backoff, retry, LOW), shape.baseMs);
        assert.equal(backoffMs(backoff, retry, HIGH), Math.min(shape.maxMs, 3 * previousMs));
      }),
    );
  });

  test('the first time, decorrelated, between the base and three times the base', () => {
    const backoff = exponential({ baseMs: 1_000, maxMs: 10_000, jitter: 'decorrelated' });
    const first = { number: 1, previousMs: null };
    assert.equal(backoffMs(backoff, first, LOW), 1_000);
    assert.equal(backoffMs(backoff, first, HIGH), 3_000);
    assert.equal(backoffMs(backoff, first, always(0.5)), 2_000);
  });

  test('[R11] whole milliseconds, never negative, never above the maximum', () => {
    const jitters = fc.constantFrom<Jitter>('none', 'equal', 'full', 'decorrelated');
    fc.assert(
      fc.property(shapes, numbers, jitters, chances, (shape, number, jitter, chance) => {
        const retry = { number, previousMs: shape.maxMs };
        const wait = backoffMs(of(shape, jitter), retry, always(chance));
        assert.ok(Number.isInteger(wait) && wait >= 0 && wait <= shape.maxMs);
      }),
    );
  });

  test('spread evenly: the chance says where between the bounds', () => {
    const backoff = exponential({ baseMs: 1_000, maxMs: 1_000, jitter: 'full' });
    const equal = exponential({ baseMs: 1_000, maxMs: 1_000, jitter: 'equal' });
    for (const share of [0, 0.25, 0.5, 0.75]) {
      const retry = { number: 1, previousMs: null };
      assert.equal(backoffMs(backoff, retry, always(share)), 1_000 * share);
      assert.equal(backoffMs(equal, retry, always(share)), 500 + 500 * share);
    }
  });
});
