import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitedByOf, awaitedByText } from './labels.ts';

test('places in trees come back as they were stored, whatever their words', () => {
  const words = ['a', '', ',"key":', '{"jobId":"x","wait":"y","key":"z"}', '\\",\n\u2028', 'ü'];
  const places = words.flatMap((wait) => words.map((key) => ({ key, wait, jobId: 'j' })));
  for (const place of [...places, { ...places[0]!, jobId: 'k' }, places[0]!]) {
    assert.deepEqual(awaitedByOf(awaitedByText(place)), place);
  }
});
