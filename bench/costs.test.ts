import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresServers } from '../test/support/postgres/servers.ts';
import { reportOf } from './costs/report.ts';
import { measureCosts } from './costs/run.ts';

test('the costs of a job are measured on PostgreSQL, and told', async () => {
  const jobs = 200;
  const costs = await measureCosts((await postgresServers()).at(-1)!, { jobs });
  for (const { verb, walBytes } of costs.costs) assert.ok(walBytes > 0, verb);
  for (const name of ['facts', 'ended']) {
    assert.ok(
      costs.kept.some(({ table }) => table === name),
      name,
    );
  }
  assert.ok(costs.connections >= 1 && costs.connections <= 20, `${costs.connections}`);
  const report = reportOf(costs, { jobs, command: 'npm run bench:costs', loadBefore: 0 });
  assert.match(report, /a life, by 100/);
  assert.doesNotMatch(report, /NaN|undefined|Infinity/);
});
