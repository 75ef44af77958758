import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresServers } from '../test/support/postgres/servers.ts';
import { reportOf } from './costs/report.ts';
import { measureCosts } from './costs/run.ts';

test('the costs of a job are measured on PostgreSQL, and told', async () => {
  const jobs = 200;
  const costs = await measureCosts((await postgresServers()).at(-1)!, { jobs });
  for (const { verb, walBytes, xids } of costs.costs) {
    const writes = verb !== 'empty claim';
    assert.ok(walBytes > 0 || !writes, verb);
    assert.ok(xids > 0 || !writes, verb);
  }
  for (const name of ['facts', 'ended']) {
    assert.ok(
      costs.kept.some(({ table }) => table === name),
      name,
    );
  }
  const { connections, xids } = costs.callers;
  assert.ok(connections >= 1 && connections <= 20, `${connections}`);
  assert.ok(xids < 1, `${xids}`);
  assert.equal(costs.deadRows, 2);
  for (const { verb, roundTrips } of costs.wire) assert.ok(roundTrips >= 1, verb);
  const report = reportOf(costs, { jobs, command: 'npm run bench:costs', loadBefore: 0 });
  assert.match(report, /a life, by 100/);
  assert.doesNotMatch(report, /NaN|undefined|Infinity/);
});
