import { after } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres2/store.ts';
import type { Store, TypeEntry } from '../../src/store/store.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { storeSuite } from './suite/store-suite.ts';

for (const server of await postgresServers()) {
  const database = await freshDatabase(server);
  after(() => database.drop());
  storeSuite(server.label, async (options) => {
    const store = await openPostgresStore({ ...options, url: database.url });
    return Object.assign(store, {
      putType: async (tenant: string, type: string, entry: TypeEntry) => ({
        tenant,
        type,
        revision: 1,
        definition: entry.definition,
        updatedAt: 0,
        policy: await store.putPolicy(entry.policy),
      }),
      deadLetters: () => Promise.resolve([]),
    }) as unknown as Store;
  });
}
