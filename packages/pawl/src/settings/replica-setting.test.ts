import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInLifecycles as lifecycles } from '../lifecycles/built-in.ts';
import { openStore } from './open-store.ts';
import { readStoreSettings } from './store-settings.ts';

test('how old the answers of a replica may be is a duration within bounds', () => {
  const staleOf = (PAWL_REPLICA_STALE_MAX: string): number =>
    readStoreSettings({ PAWL_REPLICA_STALE_MAX }).replicaStaleMsMax;
  assert.deepEqual(['', '2s', '250ms'].map(staleOf), [5_000, 2_000, 250]);
  for (const text of ['0', '1m', 'soon', '-1s']) {
    assert.throws(() => staleOf(text), /PAWL_REPLICA_STALE_MAX .*from 100ms to 30s/);
  }
});

test('a replica of nothing, and one that is no address, are refused with the setting', async () => {
  const open = (env: NodeJS.ProcessEnv) => openStore(readStoreSettings(env), lifecycles);
  const url = 'postgres://nobody@localhost/none';
  await assert.rejects(open({ DATABASE_REPLICA_URL: url }), /of no use without DATABASE_URL/);
  const broken = { DATABASE_URL: url, DATABASE_REPLICA_URL: 'mysql://localhost/none' };
  await assert.rejects(open(broken), /DATABASE_REPLICA_URL begins with mysql/);
});
