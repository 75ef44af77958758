import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Duration, durationMs } from './duration.ts';
import { PawlError } from './errors.ts';

const GOOD: readonly (readonly [Duration, number])[] = [
  [0, 0],
  [250, 250],
  [1.4, 1],
  ['0s', 0],
  ['250ms', 250],
  ['5s', 5_000],
  ['1.5s', 1_500],
  ['.5s', 500],
  ['3m', 180_000],
  ['2h', 7_200_000],
  ['3d', 259_200_000],
  ['0.1d', 8_640_000],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
];

const BAD: readonly unknown[] = [
  -1,
  NaN,
  Infinity,
  -Infinity,
  2 ** 53,
  '-5s',
  '5 minutes',
  '5 s',
  ' 5s',
  '5s ',
  '5S',
  '5',
  's',
  '',
  '1e3s',
  '0x10s',
  'Infinityms',
  '9999999999999999d',
  '1.s',
  '5s\n',
  null,
  undefined,
  true,
  5n,
  {},
  [],
];

describe('a duration', () => {
  test('is a number of milliseconds or a text with a unit, and may have a fraction', () => {
    for (const [value, ms] of GOOD) assert.equal(durationMs(value, '/delay'), ms, `${value}`);
  });

  test('that is negative, not finite or in other words is refused by its pointer', () => {
    for (const value of BAD) {
      assert.throws(
        () => durationMs(value as Duration, '/lease/ttl'),
        (error: unknown) => {
          assert.ok(error instanceof PawlError && error.code === 'VALIDATION_ERROR');
          const message = "must be milliseconds or a text like '5s'";
          assert.deepEqual(error.faults, [{ pointer: '/lease/ttl', message }]);
          return true;
        },
        String(value),
      );
    }
  });

  test('in words that are no duration does not compile', () => {
    // @ts-expect-error a unit that is none
    const words: Duration = '5 minutes';
    // @ts-expect-error no unit
    const bare: Duration = '5';
    assert.equal([words, bare].length, 2);
  });
});
