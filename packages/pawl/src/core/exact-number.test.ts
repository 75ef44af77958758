import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../../../test/support/properties.ts';
import { EXACT, INEXACT } from '../../../../test/support/hostile/numbers.ts';
import { inexactNumberIn, isExactNumber, untellableNumberAt } from './exact-number.ts';

describe('a JSON number', () => {
  test('that a double cannot hold is not exact', () => {
    assert.deepEqual(INEXACT.filter(isExactNumber), []);
  });

  test('that a double gives back is exact, however it is written', () => {
    assert.deepEqual(
      EXACT.filter((text) => !isExactNumber(text)),
      [],
    );
  });

  test('that a program writes is exact, in its shortest form and with all its digits', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        assert.ok(isExactNumber(JSON.stringify(value)));
        assert.ok(isExactNumber(value.toPrecision(17)));
        assert.ok(isExactNumber(value.toExponential()));
      }),
    );
  });

  test('of a whole number is exact if it is the same as a BigInt', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (value) => {
        const isSame = BigInt(Number(value)) === value || `${Number(value)}` === `${value}`;
        assert.equal(isExactNumber(`${value}`), isSame);
      }),
    );
  });
});

describe('in a JSON text', () => {
  const at = (json: string): string | null => inexactNumberIn(json)?.pointer ?? null;

  test('the first inexact number is found with its pointer', () => {
    assert.equal(at('9007199254740993'), '');
    assert.equal(at('{"a": [1, {"b/c~d": [2, 1e400]}]}'), '/a/1/b~1c~0d/1');
    assert.equal(at('[[1,2],[3,[9007199254740993]]]'), '/1/1/0');
    assert.equal(at('{"a":{"b":1},"c" : 12345678901234567890}'), '/c');
    assert.equal(at(String.raw`{"\"k\u0041": 1e400}`), '/"kA');
  });

  test('what stands in a string is no number', () => {
    assert.equal(at(String.raw`["9007199254740993", "[1, 1e400", "\", 9007199254740993"]`), null);
    assert.equal(at('{"9007199254740993": 1, "x": 0.30000000000000004}'), null);
  });

  test('any value that JSON.stringify wrote has none', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => at(JSON.stringify(value)) === null));
  });
});

test('a number that JSON has no word for is found in a value', () => {
  const found = (value: unknown): string | null => untellableNumberAt(value, JSON.stringify(value));
  assert.equal(found({ a: [1, { b: Number.NaN }] }), '/a/1/b');
  assert.equal(found(Number.NEGATIVE_INFINITY), '');
  assert.equal(found({ a: null, b: [null, 1] }), null);
});
