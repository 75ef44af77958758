import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../../../test/support/properties.ts';
import { anyText, anyUnits, ODD, UNSTORABLE } from '../../../../test/support/hostile/texts.ts';
import { boundedText, headOf, isStorable, isStorableJson, storable, textOf } from './text.ts';

describe('a text', () => {
  test('is storable unless it has a NUL or half of a surrogate pair', () => {
    for (const [name, text] of Object.entries(UNSTORABLE)) assert.ok(!isStorable(text), name);
    for (const [name, text] of Object.entries(ODD)) assert.ok(isStorable(text), name);
  });

  test('is made storable visibly, unit by unit, and left alone where it is', () => {
    assert.equal(storable('a\u0000b'), 'a\ufffdb');
    assert.equal(storable('\ude00\ud83d'), '\ufffd\ufffd');
    for (const text of Object.values(ODD)) assert.equal(storable(text), text);
    fc.assert(
      fc.property(anyUnits, (text) => {
        const mended = storable(text);
        assert.ok(isStorable(mended));
        assert.equal(mended.length, text.length);
      }),
    );
  });

  test('inside of JSON is as storable as it is outside', () => {
    fc.assert(
      fc.property(anyUnits, anyUnits, (name, text) => {
        const json = JSON.stringify({ [name]: [text] });
        assert.equal(isStorableJson(json), isStorable(name) && isStorable(text), json);
      }),
    );
    assert.ok(isStorableJson('"\\ud83d\\ude00"'), 'a pair written as two escapes is a character');
    assert.ok(isStorableJson('"\\\\u0000"'), 'a backslash before a word is no escape');
    assert.ok(!isStorableJson('"\\\\\\u0000"'));
  });

  test('within its bound is not cut', () => {
    assert.equal(boundedText('x'.repeat(100), 100), 'x'.repeat(100));
    assert.equal(boundedText('é'.repeat(50), 100), 'é'.repeat(50));
    assert.equal(boundedText('💥'.repeat(25), 100), '💥'.repeat(25));
  });

  test('beyond its bound says how many bytes more there are', () => {
    assert.equal(boundedText('x'.repeat(101), 100), `${'x'.repeat(60)}… 41 bytes more`);
    const long = boundedText('x'.repeat(2_000_000), 100);
    assert.equal(long, `${'x'.repeat(60)}… 1,999,940 bytes more`);
  });

  test('is cut to exact bytes, never within a character, and only once', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 64, max: 20_000 }), (text, bytesMax) => {
        const bounded = boundedText(text, bytesMax);
        assert.ok(Buffer.byteLength(bounded) <= bytesMax);
        assert.ok(isStorable(bounded));
        assert.equal(boundedText(bounded, bytesMax), bounded);
        const mended = storable(text);
        if (Buffer.byteLength(mended) <= bytesMax) return assert.equal(bounded, mended);
        const [, head, more] = /^(.*)… ([\d,]+) bytes more$/s.exec(bounded)!;
        const missing = Number(more!.replaceAll(',', ''));
        assert.ok(mended.startsWith(head!));
        assert.equal(Buffer.byteLength(head!) + missing, Buffer.byteLength(mended));
      }),
    );
  });

  test('has a longest head of so many bytes', () => {
    assert.equal(headOf('a💥b', 4), 'a');
    assert.equal(headOf('a💥b', 5), 'a💥');
    assert.equal(headOf('\ud83d\ud83d', 5), '\ud83d');
  });

  test('is made of anything, whatever it is', () => {
    const broken = {
      toString: () => {
        throw new Error('no');
      },
    };
    assert.deepEqual([null, undefined, 7, Symbol('s'), broken, Object.create(null)].map(textOf), [
      'null',
      'undefined',
      '7',
      'Symbol(s)',
      '[object that has no text]',
      '[object that has no text]',
    ]);
  });
});
