import { after } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { freshDatabase } from '../../../../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../../../../test/support/postgres/servers.ts';
import { storeSuite } from './suite/store-suite.ts';

for (const server of await postgresServers()) {
  const database = await freshDatabase(server);
  after(() => database.drop());
  storeSuite(server.label, (options) => openPostgresStore({ ...options, url: database.url }));
}
