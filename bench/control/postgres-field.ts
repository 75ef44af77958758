import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { freshDatabase } from '../../test/support/postgres/fresh-database.ts';
import { dayBefore } from '../harness/copies.ts';
import { conditionsOf, startDurablePostgres } from '../harness/durable-postgres.ts';
import { copyJobs, tidyUp } from '../harness/postgres-copies.ts';
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
  await prepare(parked.store);
  await copyParked(parked.url, count);
  return {
    name: 'PostgreSQL',
    conditions: [await withClient(server.url, (client) => conditionsOf(client))],
    empty,
    parked,
    async close() {
      for (const site of [empty, parked]) await site.close();
      await server.stop();
    },
  };
}

/** The one that waits for a slot, so many times more. */
async function copyParked(url: string, count: number): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM pawl.live WHERE gate = 3');
    await copyJobs(client, { of: [rows[0]!.id], count, ...dayBefore(Date.now()) });
    await tidyUp(client);
  });
}
