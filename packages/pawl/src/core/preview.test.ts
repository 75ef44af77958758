import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPreviews, isPreview } from './preview.ts';

test('a star stands for any characters, none among them', () => {
  for (const [pattern, name, isFit] of [
    ['page.png', 'page.png', true],
    ['page.png', 'page.png2', false],
    ['page-*.png', 'page-1.png', true],
    ['page-*.png', 'page-.png', true],
    ['page-*.png', 'a page-1.png', false],
    ['page-*.png', 'page-1.pdf', false],
    ['*', 'anything', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['ab*ba', 'aba', false],
    ['*.*', 'x.y', true],
    ['.*', 'x', false],
  ] as const) {
    assert.equal(isPreview([pattern], name), isFit, `${pattern} ${name}`);
  }
  assert.equal(isPreview([], 'x'), false);
  assert.equal(isPreview(['a', 'b'], 'b'), true);
  assert.equal(isPreview([`${'a*'.repeat(60)}b`], 'a'.repeat(500)), false);
});

test('patterns that say nothing, too much or what is no artifact are refused', () => {
  const pointers = checkPreviews(['ok', '', 'x'.repeat(129), '$result']).map(
    ({ pointer }) => pointer,
  );
  assert.deepEqual(pointers, ['/previews/1', '/previews/2', '/previews/3']);
  assert.equal(checkPreviews(Array.from({ length: 33 }, () => 'a')).length, 1);
});
