// A process that dies by kill -9 at a store call, and its successor on the same file.
// `npm run proof:crash` does it at every call of every workflow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashEverywhere } from './crash.ts';

for (const name of ['complete', 'artifact commit']) {
  test(`[R24] killed in "${name}", whatever was promised before is kept`, async (context) => {
    const { crashes, violations } = await crashEverywhere(name, { every: 4 });
    context.diagnostic(`${crashes} processes killed`);
    assert.deepEqual(violations, []);
    assert.ok(crashes >= 4, `${crashes} crashes`);
  });
}
