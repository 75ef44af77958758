import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killFlow } from './kill.ts';

test('a flow whose process is killed comes to its end, each child once', async () => {
  const { kills, problems } = await killFlow({ children: 200, kills: 3, seed: 1 });
  assert.deepEqual(problems, []);
  assert.ok(kills > 0, 'it was too quick to be killed');
});
