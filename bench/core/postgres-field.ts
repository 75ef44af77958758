import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { freshDatabase } from '../../test/support/postgres/fresh-database.ts';
import { conditionsOf, startDurablePostgres } from '../harness/durable-postgres.ts';
import { dayBefore } from '../harness/copies.ts';
import { copyJobs, tidyUp } from '../harness/postgres-copies.ts';
import { withClient } from '../harness/with-client.ts';
import type { Contender } from './contender.ts';
import { engineContender, playOnce } from './engine-contender.ts';
import type { Field } from './field.ts';

const lifecycles = builtInLifecycles;

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

/** A server of its own, with one database for each number of rows. */
export async function postgresField(rows: number, say: (text: string) => void): Promise<Field> {
  const server = await openServer();
  const contenders: Contender[] = [];
  const closers = [() => server.stop()];
  const close = async (): Promise<void> => {
    for (const contender of contenders) await contender.close();
    for (const closer of closers.toReversed()) await closer();
  };
  try {
    for (const count of rows > 0 ? [0, rows] : [0]) {
      const database = await freshDatabase(server);
      closers.push(() => database.drop());
      await prepare(database.url);
      if (count > 0) {
        say(`postgres: writing ${count} finished jobs`);
        await loadRows(database.url, count);
      }
      const store = await openPostgresStore({ url: database.url, lifecycles });
      contenders.push(await engineContender(store, { label: 'engine', rows: count }));
    }
    return { name: 'PostgreSQL', conditions: await conditionsAt(server.url), contenders, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes the schema, the type, its lane, and one job that has been through a full life. */
async function prepare(url: string): Promise<void> {
  const store = await openPostgresStore({ url, lifecycles });
  await playOnce(await engineContender(store, { label: 'template', rows: 0 }));
  await store.close();
}

/** Copies of the finished job and its events, born within the day before. */
async function loadRows(url: string, rows: number): Promise<void> {
  await withClient(url, async (client) => {
    const { rows: found } = await client.query<{ id: string }>('SELECT id FROM pawl.ended LIMIT 1');
    await copyJobs(client, { of: [found[0]!.id], count: rows, ...dayBefore(Date.now()) });
    await tidyUp(client);
  });
}

async function conditionsAt(url: string): Promise<string[]> {
  return [
    await withClient(url, conditionsOf),
    'on the same machine as the load, through a unix socket; the engine’s pool may use 8 ' +
      'connections, but only the singles do',
  ];
}
