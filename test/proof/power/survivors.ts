// `survivors.ts <folder or url>`: what a database is like after its disk has lost power, as JSON.
import { DatabaseSync } from 'node:sqlite';
import { verify } from 'pawl/internal/doctor/verify';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';

const [where = ''] = process.argv.slice(2);
const isPostgres = where.startsWith('postgres');
const path = `${where}/jobs.db`;
const store = isPostgres
  ? await openPostgresStore({ url: where, lifecycles, statementTimeoutMs: 600_000 })
  : await openSqliteStore({ path, lifecycles });
const clock = systemClock;
const context = openContext({ store, lifecycles, random: systemRandom, ids: systemIds(clock) });
const violations: unknown[] = [];
for await (const step of verify(context)) {
  if (step.kind === 'violation') violations.push(step.violation);
}
const ids: string[] = [];
for (let before: string | undefined; ;) {
  const query = { tenant: 'acme', limit: 1_000, ...(before === undefined ? {} : { before }) };
  const page = await store.list(query);
  ids.push(...page.jobs.map(({ id }) => id));
  before = page.jobs.at(-1)?.id;
  if (!page.hasMore || before === undefined) break;
}
await store.close();
// PostgreSQL checks the sum of every page that it reads, and all have been read by now.
const integrity = isPostgres ? 'ok' : integrityOf(path);
process.stdout.write(JSON.stringify({ ids, integrity, violations }));

function integrityOf(file: string): unknown {
  const db = new DatabaseSync(file);
  try {
    return db.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
  } finally {
    db.close();
  }
}
