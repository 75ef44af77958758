import type pg from 'pg';
import { builtInLifecycles as lifecycles } from '../../src/lifecycles/built-in.ts';
import { APPLY_FUNCTIONS } from '../../src/store/postgres/apply-functions.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { freshDatabase } from '../../test/support/postgres/fresh-database.ts';
import { conditionsOf, startDurablePostgres } from '../harness/durable-postgres.ts';
import { columnsOf } from '../harness/postgres-copies.ts';
import { withClient } from '../harness/with-client.ts';
import type { Field, Prepare, Site } from './site.ts';

export async function postgresField(count: number, prepare: Prepare): Promise<Field> {
  const server = await startDurablePostgres();
  if (server === null) throw new Error('no PostgreSQL found on this machine');
  const open = async (): Promise<Site & { readonly url: string }> => {
    const { url } = await freshDatabase(server);
    const store = await openPostgresStore({ url, lifecycles });
    return { store, url, close: () => store.close() };
  };
  const empty = await open();
  const parked = await open();
  const uncounted = await open();
  await prepare(parked.store);
  await withClient(parked.url, (client) => copyParked(client, count));
  await withClient(uncounted.url, async (client) => void (await client.query(UNCOUNTED)));
  return {
    name: 'PostgreSQL',
    conditions: [await withClient(server.url, (client) => conditionsOf(client))],
    empty,
    parked,
    uncounted,
    async close() {
      for (const site of [empty, parked, uncounted]) await site.close();
      await server.stop();
    },
  };
}

/** The success of an owner as it was before anyone counted it. */
const UNCOUNTED = APPLY_FUNCTIONS.find((sql) => sql.includes('complete_v1'))!.replace(
  'CREATE FUNCTION pawl.complete_v1',
  'CREATE OR REPLACE FUNCTION pawl.complete_v2',
);

/** The one that waits, so many times more. */
async function copyParked(client: pg.Client, count: number): Promise<void> {
  const names = (await columnsOf(client, 'jobs')).map(({ name }) => name);
  const id = `(lpad(to_hex(1700000000000 + n), 12, '0') || '70008000'
    || lpad(to_hex(n), 12, '0'))::uuid`;
  const values = names.map((name) => (name === 'id' ? id : `t.${name}`));
  await client.query(
    `INSERT INTO pawl.jobs (${names.join(', ')}) SELECT ${values.join(', ')}
     FROM (SELECT * FROM pawl.jobs WHERE gate = 3 LIMIT 1) t, generate_series(1, ${count}) n`,
  );
  await client.query('VACUUM ANALYZE pawl.jobs');
  await client.query('CHECKPOINT');
}
