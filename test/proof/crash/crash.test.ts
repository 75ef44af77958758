// A process that dies by kill -9 at a store call, and its successor on the same file; and calls
// that fail. `npm run proof:crash` does it at every call of every workflow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashEverywhere } from './crash.ts';
import { ERROR_CLASSES, failEverywhere } from './errors.ts';
import { crashMigrations } from './migration.ts';
import { crashPartitions } from './partitions.ts';

for (const name of ['complete', 'complete and claim in one call', 'artifact commit']) {
  test(`[R24] killed in "${name}", whatever was promised before is kept`, async (context) => {
    const { crashes, violations } = await crashEverywhere(name, { every: 4 });
    context.diagnostic(`${crashes} processes killed`);
    assert.deepEqual(violations, []);
    assert.ok(crashes >= 4, `${crashes} crashes`);
  });
}

for (const name of ['submit', 'complete and claim in one call', 'fail and retry']) {
  test(`[R24] in "${name}" a store call fails, and nothing is lost or done twice`, async (context) => {
    const { errors, violations } = await failEverywhere(name, { every: 3 });
    context.diagnostic(`${errors} errors of ${Object.keys(ERROR_CLASSES).length} classes`);
    assert.deepEqual(violations, []);
    assert.ok(errors >= 10, `${errors} errors`);
  });
}

for (const [store, every] of [
  ['sqlite', 25],
  ['postgres', 120],
] as const) {
  test(`[P1] killed in a migration of ${store}, the next start finishes it`, async (context) => {
    const { crashes, violations } = await crashMigrations(store, { every });
    context.diagnostic(`${crashes} processes killed`);
    assert.deepEqual(violations, []);
    assert.ok(crashes >= 4, `${crashes} crashes`);
  });
}

test('[R24] killed while partitions are made, carried and dropped, the next purge finds a sound store', async (context) => {
  const { crashes, violations } = await crashPartitions({ every: 16, servers: 1 });
  context.diagnostic(`${crashes} processes killed`);
  assert.deepEqual(violations, []);
  assert.ok(crashes >= 4, `${crashes} crashes`);
});
