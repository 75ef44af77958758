import pg from 'pg';
import { builtInLifecycles } from '../../src/lifecycles/built-in.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { freshDatabase } from '../../test/support/postgres/fresh-database.ts';
import { conditionsOf, startDurablePostgres } from '../harness/durable-postgres.ts';
import { dayBefore } from '../harness/copies.ts';
import { copyJobs, tidyUp } from '../harness/postgres-copies.ts';
import { withClient } from '../harness/with-client.ts';
import { type Contender, RAW_TYPE } from './contender.ts';
import { engineContender, playOnce } from './engine-contender.ts';
import type { Field } from './field.ts';
import { bareContender, numbersOf, PINS } from './postgres-bare.ts';
import { functionsContender } from './postgres-functions.ts';
import { VARIANTS } from './safeties.ts';

const lifecycles = builtInLifecycles;
const CONNECTIONS = 8;

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

async function openServer(): Promise<Server> {
  const url = process.env['PAWL_BENCH_DATABASE_URL'];
  if (url !== undefined) return { url, stop: async () => undefined };
  const server = await startDurablePostgres();
  if (server === null) throw new Error('no PostgreSQL found: set PAWL_BENCH_DATABASE_URL');
  return server;
}

/** A server of its own, with one database for each number of rows and one schema a variant. */
export async function postgresField(rows: number, say: (text: string) => void): Promise<Field> {
  const server = await openServer();
  const contenders: Contender[] = [];
  const closers = [() => server.stop()];
  const close = async (): Promise<void> => {
    for (const contender of contenders) await contender.close();
    for (const closer of closers.toReversed()) await closer();
  };
  try {
    const empty = await freshDatabase(server);
    closers.push(() => empty.drop());
    contenders.push(...(await openAsShipped(empty.url, 0)));
    for (const [index, variant] of VARIANTS.entries()) {
      contenders.push(await openBare(empty.url, `bench_${index}`, variant));
    }
    if (rows > 0) {
      const full = await freshDatabase(server);
      closers.push(() => full.drop());
      say(`postgres: writing ${rows} finished jobs`);
      await prepare(full.url, 'pawl');
      await loadRows(full.url, rows);
      contenders.push(...(await openAsShipped(full.url, rows)));
    }
    const conditions = await conditionsAt(server.url);
    return { name: 'PostgreSQL', conditions, contenders, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAsShipped(url: string, rows: number): Promise<Contender[]> {
  await prepare(url, 'pawl');
  const store = await openPostgresStore({ url, lifecycles });
  const engine = await engineContender(store, { label: 'engine', rows });
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  return [engine, await functionsContender(pool, rows)];
}

async function openBare(
  url: string,
  schema: string,
  variant: (typeof VARIANTS)[number],
): Promise<Contender> {
  await prepare(url, schema);
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, options: PINS });
  if (!variant.guard) await pool.query(`ALTER TABLE ${schema}.jobs DISABLE TRIGGER USER`);
  return bareContender(pool, { schema, numbers: await numbersOf(pool, schema), variant });
}

/** Makes the schema, the type, its lane, and one job that has been through a full life. */
async function prepare(url: string, schema: string): Promise<void> {
  const store = await openPostgresStore({ url, schema, lifecycles });
  await playOnce(await engineContender(store, { label: 'template', rows: 0, type: RAW_TYPE }));
  await store.close();
}

/** Copies of the finished job and its events, born within the day before. */
async function loadRows(url: string, rows: number): Promise<void> {
  await withClient(url, async (client) => {
    const { rows: found } = await client.query<{ id: string }>('SELECT id FROM pawl.jobs LIMIT 1');
    await copyJobs(client, { of: [found[0]!.id], count: rows, ...dayBefore(Date.now()) });
    await tidyUp(client);
  });
}

async function conditionsAt(url: string): Promise<string[]> {
  return [
    await withClient(url, conditionsOf),
    'on the same machine as the load, through a unix socket; the engine’s pool and each bare ' +
      `loop may use ${CONNECTIONS} connections, but only the singles do`,
  ];
}
