import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshDatabase } from '../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../test/support/postgres/servers.ts';
import { measureHeld } from './held/measure.ts';
import { reportOf } from './held/report.ts';

const OPTIONS = { sliceMs: 200, rounds: 2, perSecond: 50 };

test("what somebody's open transaction costs is measured beside nobody's, and told", async () => {
  const server = (await postgresServers()).at(-1)!;
  const databases = [];
  for (let n = 0; n < 3; n++) databases.push(await freshDatabase(server));
  const urls = databases.map(({ url }) => url);
  const found = await measureHeld(urls, OPTIONS, () => {});
  for (const database of databases) await database.drop();
  assert.equal(found.length, 3);
  for (const { slices, holder } of found) {
    assert.equal(slices.length, 2);
    assert.ok(
      slices.every(({ claimMs }) => claimMs.length > 0),
      holder,
    );
    assert.ok(
      slices.some(({ tailMs }) => tailMs.length > 0),
      `${holder}: nothing was told`,
    );
  }
  const asked = { command: 'npm run bench:held', loadBefore: 4, conditions: 'PostgreSQL' };
  const report = reportOf(found, { ...OPTIONS, ...asked });
  assert.match(report, /a caller's transaction, with a job enqueued: last round \| \d+ \|/);
  assert.doesNotMatch(report, /NaN|undefined|Infinity/);
});
