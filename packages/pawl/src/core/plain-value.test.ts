import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../../../test/support/properties.ts';
import { THROWN } from '../../../../test/support/hostile/errors.ts';
import { anyText } from '../../../../test/support/hostile/texts.ts';
import { plainValue } from './plain-value.ts';
import { isStorableJson } from './text.ts';

const KIB = 1_024;

describe('what can be said of a value', () => {
  test('never cuts what stands for a secret, so that a copy of the copy is the same', () => {
    for (let bytesMax = 256; bytesMax < 400; bytesMax++) {
      const once = plainValue({ x: 'x'.repeat(60), dsn: 'db://u:p@h', more: true }, bytesMax);
      assert.deepEqual(plainValue(once, bytesMax), once);
      assert.doesNotMatch(JSON.stringify(once), /"dsn":"(?!\[redacted\]")/);
    }
  });

  test('is what JSON says of it, where JSON can say it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme-ascii' }), (value) => {
        fc.pre(!JSON.stringify(value).match(/token|secret|pass|key|sig|proto|:/i));
        assert.deepEqual(plainValue(value, 64 * KIB), value);
      }),
    );
  });

  test('is more than JSON says where that says nothing', () => {
    const value = {
      big: 12n,
      none: undefined,
      not: Number.NaN,
      when: new Date(0),
      where: new URL('https://example.com/'),
      map: new Map([['a', 1]]),
      set: new Set([2]),
      bytes: new Uint8Array(9),
      error: new RangeError('inside'),
      run: () => 1,
    };
    assert.deepEqual(plainValue(value, 64 * KIB), {
      big: '12',
      not: 'NaN',
      when: '1970-01-01T00:00:00.000Z',
      where: 'https://example.com/',
      map: [['a', 1]],
      set: [2],
      bytes: '[9 bytes]',
      error: { name: 'RangeError', message: 'inside' },
    });
    assert.equal(plainValue(undefined, KIB), undefined);
    assert.equal(
      plainValue(() => 1, KIB),
      undefined,
    );
  });

  test('goes round no circle, and into no prototype', () => {
    const value: Record<string, unknown> = { name: 'a' };
    value['self'] = value;
    assert.deepEqual(plainValue(value, KIB), { name: 'a', self: '[…]' });
    const evil = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": 2}}');
    const copy = plainValue(evil, KIB) as Record<string, unknown>;
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
    assert.deepEqual(Object.keys(copy), ['[__proto__]', 'constructor']);
    assert.deepEqual(copy['constructor'], { '[prototype]': 2 });
  });

  test('holds no secret, by name or by form', () => {
    const value = { headers: { Authorization: 'x', 'X-Api-Key': 'y' }, url: 'db://u:secret1@h' };
    assert.deepEqual(plainValue(value, KIB), {
      headers: { Authorization: '[redacted]', 'X-Api-Key': '[redacted]' },
      url: 'db://u:[redacted]@h',
    });
  });

  test('counts what it leaves out', () => {
    const many = plainValue(
      Array.from({ length: 5_000 }, (_, n) => n),
      2 * KIB,
    ) as unknown[];
    assert.equal(many.at(-1), `… ${5_000 - many.length + 1} more`);
    const wide = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`m${n}`, 'x'.repeat(50)]),
    );
    const kept = plainValue(wide, 2 * KIB) as Record<string, string>;
    assert.equal(kept['…'], `${500 - Object.keys(kept).length + 1} members more`);
    const long = plainValue({ text: 'x'.repeat(5_000) }, KIB) as { text: string };
    assert.match(long.text, /^x+… [\d,]+ bytes more$/);
    const named = plainValue({ ['n'.repeat(1_000)]: true }, KIB) as object;
    assert.match(Object.keys(named)[0]!, /^n+… 9\d\d bytes more$/);
  });

  test('never throws, is never too long, and is what every store can hold', () => {
    const values = fc.oneof(
      fc.anything({ withBigInt: true, withMap: true, withSet: true, withNullPrototype: true }),
      fc.object({ key: anyText, values: [anyText], maxDepth: 3 }),
    );
    fc.assert(
      fc.property(values, fc.integer({ min: 300, max: 4 * KIB }), (value, bytesMax) => {
        const json = JSON.stringify(plainValue(value, bytesMax)) as string | undefined;
        assert.ok(json === undefined || Buffer.byteLength(json) <= bytesMax);
        assert.ok(json === undefined || isStorableJson(json));
      }),
    );
    for (const [name, make] of Object.entries(THROWN)) {
      if (name === 'a rejected fetch') continue;
      const json = JSON.stringify(plainValue({ inside: make() }, 4 * KIB));
      assert.ok(Buffer.byteLength(json) <= 4 * KIB, name);
    }
  });
});
