// `npm run bench:flows`: how fast the children of one parent drain, beside jobs without a parent.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { Store } from 'pawl/internal/store/store';
import { read } from './costs/gauge.ts';
import { freshDatabase } from '../test/support/postgres/fresh-database.ts';
import { type Drained, measureDrain, ownCpuMs } from './flows/measure.ts';
import { type Compared, ratiosOf, reportOf } from './flows/report.ts';
import { ArgumentReader, askedFor } from './harness/arguments.ts';
import { startDurablePostgres } from './harness/durable-postgres.ts';
import { keepResult, say } from './harness/results.ts';
import { inTurns } from './harness/turns.ts';

const USAGE =
  'npm run bench:flows -- [--store sqlite|postgres] [--jobs 100000] [--rounds 3] [--waiting 0]';
const args = process.argv.slice(2);
const { values } = parseArgs({
  args,
  options: {
    store: { type: 'string' },
    jobs: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    waiting: { type: 'string', default: '0' },
    keep: { type: 'boolean', default: false },
  },
});
const reader = new ArgumentReader(USAGE);
const jobs = reader.wholeNumber('jobs', values.jobs);
const rounds = reader.wholeNumber('rounds', values.rounds);
const waiting = reader.wholeNumber('waiting', values.waiting, 0);
const stores = reader.stores(values.store, ['sqlite', 'postgres']);

/** A run on a database that nobody has used. */
type Visit = (run: Run) => Promise<void>;
type Run = (store: Store, cpuMs: () => Promise<number>) => Promise<void>;

async function onSqlite(run: Run): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-flows-'));
  const store = await openSqliteStore({ path: join(folder, 'pawl.db'), lifecycles });
  try {
    await run(store, ownCpuMs);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function onPostgres(server: { readonly url: string }): Visit {
  return async (run) => {
    const database = await freshDatabase(server);
    const { url } = database;
    const store = await openPostgresStore({ url, lifecycles });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await run(store, async () => {
        const { serverCpuMs, ownCpuMs: own } = await read(client);
        return (serverCpuMs ?? 0) + own;
      });
    } finally {
      await client.end();
      await store.close();
      await database.drop();
    }
  };
}

async function compare(label: string, visit: Visit): Promise<Compared> {
  const found: Record<'alone' | 'children', Drained[]> = { alone: [], children: [] };
  await inTurns(['alone', 'children'] as const, rounds, (which) =>
    visit(async (store, cpuMs) => {
      const hasParent = which === 'children';
      const drained = await measureDrain(store, { jobs, hasParent, waiting, cpuMs });
      found[which].push(drained);
      const [drain, cpu] = [Math.round(drained.drain), Math.round(drained.cpu)];
      say(`${label}, ${which}: ${drain}/s, ${cpu} µs a job`);
    }),
  );
  const ratios = ratiosOf(found).map((ratio) => ratio.toFixed(2));
  say(`${label}: ${ratios.join(', ')} of no parent`);
  return found;
}

const asked = askedFor('bench:flows', args);
const found = new Map<string, Compared>();
if (stores.includes('sqlite')) found.set('SQLite', await compare('SQLite', onSqlite));
const server = stores.includes('postgres') ? await startDurablePostgres() : null;
try {
  if (server !== null) {
    found.set('PostgreSQL', await compare('PostgreSQL', onPostgres(server)));
  }
} finally {
  await server?.stop();
}
if (found.size === 0) throw new Error('no PostgreSQL was found: install one, or measure SQLite');
const report = reportOf(found, { ...asked, jobs, waiting });
process.stdout.write(`${report}\n`);
if (values.keep) keepResult('flows.md', `${report}\n`);
