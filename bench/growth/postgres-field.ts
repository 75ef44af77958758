import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { freshDatabase } from '../../test/support/postgres/fresh-database.ts';
import { conditionsOf, startDurablePostgres } from '../harness/durable-postgres.ts';
import { copyJobs, tidyUp } from '../harness/postgres-copies.ts';
import { withClient } from '../harness/with-client.ts';
import { copiesFor, type Field, type Site, type Stock } from './site.ts';
import { ageing, playTemplates } from './templates.ts';

/**
 * Partitions begin a day before the first job. With it at this age, jobs too old to be kept lie
 * before all of them, so that they are purged by the slice, rather than all at once as a partition.
 */
const TEMPLATES_AGO_MS = 29.5 * 86_400_000;

/** A server of its own with a database for each stock. */
export async function postgresField(
  stocks: readonly Stock[],
  say: (text: string) => void,
): Promise<Field> {
  const server = await startDurablePostgres();
  if (server === null) throw new Error('no PostgreSQL found on this machine');
  const sites: Site[] = [];
  const close = async (): Promise<void> => {
    for (const { store } of sites) await store.close();
    await server.stop();
  };
  try {
    for (const stock of stocks) {
      say(`postgres: ${stock.name}`);
      const { url } = await freshDatabase(server);
      sites.push(await openSite(url, stock));
    }
    const conditions = [await withClient(server.url, conditionsOf)];
    return { name: 'PostgreSQL', conditions, sites, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openSite(url: string, stock: Stock): Promise<Site> {
  const began = performance.now();
  const clock = ageing(TEMPLATES_AGO_MS);
  const former = await openPostgresStore({ url, lifecycles, clock });
  const templates = await playTemplates(former, clock);
  await former.close();
  const megabytes = await withClient(url, async (client) => {
    for (const copies of copiesFor(stock, templates, Date.now())) await copyJobs(client, copies);
    await tidyUp(client);
    const { rows } = await client.query<{ bytes: number }>(
      'SELECT pg_database_size(current_database())::float8 AS bytes',
    );
    return rows[0]!.bytes / 2 ** 20;
  });
  const fillSeconds = (performance.now() - began) / 1_000;
  return { stock, store: await openPostgresStore({ url, lifecycles }), megabytes, fillSeconds };
}
