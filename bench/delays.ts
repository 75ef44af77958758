// `npm run bench:delays`: how late delayed jobs and retries begin, on SQLite and on PostgreSQL.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureDelays } from './delays/measure.ts';
import { reportOf } from './delays/report.ts';
import { askedFor } from './harness/arguments.ts';
import { startDurablePostgres } from './harness/durable-postgres.ts';
import { keepResult, say } from './harness/results.ts';

const OPTIONS = { jobs: 40, delayMs: { min: 200, max: 1_200 }, backoffMs: 1_000 };

const asked = askedFor('bench:delays', []);
const folder = mkdtempSync(join(tmpdir(), 'pawl-delays-'));
const server = await startDurablePostgres();
try {
  const databases = new Map([['SQLite', join(folder, 'pawl.db')]]);
  if (server === null) say('no PostgreSQL found: SQLite alone is measured');
  else databases.set('PostgreSQL', server.url);
  const found = new Map();
  for (const [label, database] of databases) {
    say(`${label} …`);
    found.set(label, await measureDelays({ database, ...OPTIONS }));
  }
  const report = reportOf(found, { ...asked, ...OPTIONS });
  process.stdout.write(`${report}\n`);
  keepResult('delays.md', `${report}\n`);
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
