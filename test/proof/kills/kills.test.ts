import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killFlow } from './kill.ts';

for (const store of ['sqlite', 'postgres'] as const) {
  test(`on ${store} a flow whose processes are killed comes to its end, each child once`, async () => {
    const { kills, problems } = await killFlow({ store, children: 200, kills: 3, seed: 1 });
    assert.deepEqual(problems, []);
    assert.ok(kills > 0, 'it was too quick to be killed');
  });
}
