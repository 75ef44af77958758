import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../core/clock.ts';
import { seededIds } from '../core/ids.ts';
import { SeededRandom } from '../core/random.ts';
import { LiveTexts } from './live-texts.ts';

function open(): { texts: LiveTexts; clock: ManualClock } {
  const clock = new ManualClock();
  return { texts: new LiveTexts({ ids: seededIds(clock, new SeededRandom(1)), clock }), clock };
}

test('a text is for those who listened before it came, and its gap says how long it is', () => {
  const { texts } = open();
  const before = texts.mark;
  const { gap } = texts.put('hello');
  assert.deepEqual([gap.payload!['gap'], gap.payload!['characters']], [true, 5]);
  assert.equal(JSON.stringify(gap).includes('hello'), false);
  assert.equal(texts.textIn(gap, before), 'hello');
  assert.equal(texts.textIn(gap, texts.mark), null, 'who came later');
  assert.equal(texts.textIn({ payload: { text: 'kept' } }, before), null);
});

test('texts are forgotten after a minute, when there are too many, and when they were refused', () => {
  const { texts, clock } = open();
  const old = texts.put('old').gap;
  clock.advance(60_001);
  const young = texts.put('young');
  assert.equal(texts.textIn(old, 0), null);
  assert.equal(texts.textIn(young.gap, 0), 'young');
  texts.drop(young.ref);
  assert.equal(texts.textIn(young.gap, 0), null);
  const first = texts.put('x'.repeat(3_000_000)).gap;
  const second = texts.put('y'.repeat(3_000_000)).gap;
  assert.equal(texts.textIn(first, 0), null);
  assert.equal(texts.textIn(second, 0)?.length, 3_000_000);
});
