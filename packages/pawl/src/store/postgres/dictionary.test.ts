import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from './database.ts';
import { Dictionary } from './dictionary.ts';

const LANE = { number: 7, tenant: 3, queue: 'default', type: 'mail' };

test('a lane that another call has just learned is not used before its tenant has a name', async () => {
  const asked: (() => void)[] = [];
  const read = (sql: string): Promise<unknown[]> => {
    if (sql.includes('.lanes')) return Promise.resolve([LANE]);
    const { promise, resolve } = Promise.withResolvers<unknown[]>();
    asked.push(() => resolve([{ number: LANE.tenant, name: 'acme' }]));
    return promise;
  };
  const names = new Dictionary({ tables: 'pawl', read } as unknown as Database);
  const first = names.learn([{ lane: LANE.number }]);
  while (asked.length === 0) await Promise.resolve();
  const second = names.learn([{ lane: LANE.number }]).then(() => names.tenantName(LANE.tenant));
  asked.splice(0).forEach((answer) => answer());
  await first;
  asked.forEach((answer) => answer());
  assert.equal(await second, 'acme');
});
