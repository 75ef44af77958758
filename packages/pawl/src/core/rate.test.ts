import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_LEVEL, levelAfter, levelAt, nextTokenAt, tokensLeft } from './rate.ts';

const rate = { max: 4, perMs: 1_000 };

test('[T12] a start raises the level by one, and time lowers it to nothing', () => {
  const one = levelAfter(EMPTY_LEVEL, rate, 10_000);
  assert.deepEqual(one, { level: 1, at: 10_000 });
  assert.deepEqual(levelAt(one, rate, 10_125), { level: 0.5, at: 10_125 });
  assert.deepEqual(levelAt(one, rate, 99_999), { level: 0, at: 99_999 });
});

test('a clock that goes back takes nothing away', () => {
  assert.deepEqual(levelAfter({ level: 2, at: 500 }, rate, 400), { level: 3, at: 500 });
});

test('[T12] who is let in and did not start still has its token', () => {
  assert.equal(tokensLeft({ level: 0, at: 0 }, rate, 0), 4);
  assert.equal(tokensLeft({ level: 1.5, at: 0 }, rate, 1), 1);
  assert.equal(tokensLeft({ level: 4, at: 0 }, rate, 0), 0);
  assert.equal(tokensLeft({ level: 3, at: 0 }, rate, 7), 0);
});

test('the next token is due when the level has sunk far enough', () => {
  const full = { level: 4, at: 100 };
  assert.equal(nextTokenAt(full, rate, 0), 350);
  assert.equal(tokensLeft(levelAt(full, rate, 349), rate, 0), 0);
  assert.equal(tokensLeft(levelAt(full, rate, 350), rate, 0), 1);
});
