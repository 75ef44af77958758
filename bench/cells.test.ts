import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshDatabase } from '../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../test/support/postgres/servers.ts';
import { measureCells } from './cells/measure.ts';
import { reportOf } from './cells/report.ts';

test('one cell is measured beside none, and told', async () => {
  const server = (await postgresServers()).at(-1)!;
  const [plain, celled] = [await freshDatabase(server), await freshDatabase(server)];
  const options = { rounds: 2, singles: 3, many: 100 };
  const costs = await measureCells([plain.url, celled.url], options);
  await Promise.all([plain.drop(), celled.drop()]);
  assert.equal(costs.length, 6);
  const asked = { command: 'npm run bench:cells', loadBefore: 1, conditions: 'PostgreSQL' };
  const report = reportOf(costs, { ...options, ...asked });
  assert.match(report, /\| complete, 100 a call \| [\d.]+ \| [\d.]+ \| [\d.]+ \|/);
  assert.doesNotMatch(report, /NaN|undefined|Infinity/);
});
