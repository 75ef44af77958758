// `npm run bench:held`: what claims and readers of the log pay for somebody's open transaction.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { freshDatabase } from '../test/support/postgres/fresh-database.ts';
import { ArgumentReader, askedFor } from './harness/arguments.ts';
import { conditionsOf, startDurablePostgres } from './harness/durable-postgres.ts';
import { keepResult, say } from './harness/results.ts';
import { measureHeld } from './held/measure.ts';
import { reportOf } from './held/report.ts';

const USAGE = `npm run bench:held -- [options]
  --minutes N      for how long the transactions are open (10)
  --per-second N   jobs that are offered (300)`;

const args = process.argv.slice(2);
const { values } = parseArgs({
  args,
  options: {
    minutes: { type: 'string', default: '10' },
    'per-second': { type: 'string', default: '300' },
  },
});
const read = new ArgumentReader(USAGE);
const rounds = 5;
const minutes = read.wholeNumber('minutes', values.minutes);
const perSecond = read.wholeNumber('per-second', values['per-second']);
const options = { sliceMs: (minutes * 60_000) / rounds / 3, rounds, perSecond };
const asked = askedFor('bench:held', args);
const server = await startDurablePostgres();
if (server === null) throw new Error('no PostgreSQL found on this machine');
try {
  const databases = [];
  for (let n = 0; n < 3; n++) databases.push(await freshDatabase(server));
  const urls = databases.map(({ url }) => url);
  const found = await measureHeld(urls, options, say);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const conditions = await conditionsOf(client, ['autovacuum_naptime']);
  await client.end();
  const report = reportOf(found, { ...asked, ...options, conditions });
  process.stdout.write(`${report}\n`);
  keepResult('held.md', `${report}\n`);
} finally {
  await server.stop();
}
