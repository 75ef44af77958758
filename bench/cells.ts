// `npm run bench:cells`: what one cell costs against none.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { freshDatabase } from '../test/support/postgres/fresh-database.ts';
import { measureCells } from './cells/measure.ts';
import { reportOf } from './cells/report.ts';
import { ArgumentReader, askedFor } from './harness/arguments.ts';
import { conditionsOf, startDurablePostgres } from './harness/durable-postgres.ts';
import { keepResult } from './harness/results.ts';

const USAGE = `npm run bench:cells -- [options]
  --rounds N   turns of each (30)`;

const args = process.argv.slice(2);
const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '30' } } });
const rounds = new ArgumentReader(USAGE).wholeNumber('rounds', values.rounds);
const options = { rounds, singles: 200, many: 2_000 };
const asked = askedFor('bench:cells', args);
const server = await startDurablePostgres();
if (server === null) throw new Error('no PostgreSQL found on this machine');
try {
  const [plain, celled] = [await freshDatabase(server), await freshDatabase(server)];
  const costs = await measureCells([plain.url, celled.url], options);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const conditions = await conditionsOf(client, []);
  await client.end();
  const report = reportOf(costs, { ...asked, ...options, conditions });
  process.stdout.write(`${report}\n`);
  keepResult('cells.md', `${report}\n`);
} finally {
  await server.stop();
}
