// `pawl drill upgrade` on a database of its own. There is no older release yet: this one plays it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { inRepository } from '../../scripts/run/repository.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { runPawl } from './pawl-command.ts';

const server = (await postgresServers()).at(-1)!;
const from = inRepository('.');

function drill(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return runPawl(['drill', 'upgrade', ...words], { url: 'http://127.0.0.1:9', env });
}

test('[F46, F47] two releases work on a copy by library and HTTP, and nothing is lost', async (context) => {
  const copy = await freshDatabase(server);
  context.after(() => copy.drop());
  const words = ['--copy', copy.url, '--from', from, '--jobs', '3', '--json'];
  const { code, stdout, stderr } = await drill(words);
  assert.equal(code, 0, stderr);
  const report = JSON.parse(stdout) as { jobs: number; violations: string[] };
  assert.deepEqual(report.violations, []);
  // Four parts: the older one, during the migration, both, both after a restart of the older one.
  assert.ok(report.jobs >= 6 * 3, `${report.jobs} jobs`);
});

test('a drill is refused on the database in use, and without an older release', async (context) => {
  const used = await freshDatabase(server);
  const client = new pg.Client({ connectionString: used.url, application_name: 'pawl' });
  await client.connect();
  context.after(async () => {
    await client.end();
    await used.drop();
  });
  const [live, named, missing] = await Promise.all([
    drill(['--copy', used.url, '--from', from]),
    drill(['--copy', used.url, '--from', from], { DATABASE_URL: used.url }),
    drill(['--copy', used.url.replace(/pawl_test_\w+/, 'postgres'), '--from', '/']),
  ]);
  assert.match(live.stderr, /1 sessions? of Pawl/);
  assert.match(named.stderr, /is the one of DATABASE_URL: the drill needs a copy of it/);
  assert.match(missing.stderr, /no release of Pawl is installed in \//);
  assert.deepEqual(
    [live, named, missing].map(({ code }) => code),
    [2, 2, 2],
  );
});
