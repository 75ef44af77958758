// `npm run bench:costs`: bytes, write-ahead log, processor time and connections of a job.
import { keepCosts } from './costs/file.ts';
import { reportOf } from './costs/report.ts';
import { measureCosts } from './costs/run.ts';
import { askedFor } from './harness/arguments.ts';
import { startDurablePostgres } from './harness/durable-postgres.ts';
import { keepResult } from './harness/results.ts';

const JOBS = 20_000;

const asked = askedFor('bench:costs', []);
const given = process.env['PAWL_BENCH_DATABASE_URL'];
const server = given === undefined ? await startDurablePostgres() : null;
const url = given ?? server?.url;
if (url === undefined) throw new Error('no PostgreSQL found: set PAWL_BENCH_DATABASE_URL');
try {
  const costs = await measureCosts({ url }, { jobs: JOBS });
  const report = reportOf(costs, { jobs: JOBS, ...asked });
  process.stdout.write(`${report}\n`);
  keepResult('costs.md', `${report}\n`);
  keepCosts(costs);
} finally {
  await server?.stop();
}
