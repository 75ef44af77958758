import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runResults } from './results.ts';

test('results pass through a gateway byte for byte, to one reader and to four, within its limit', async () => {
  const { violations } = await runResults('3MB', () => undefined);
  assert.deepEqual(violations, []);
});
