import { after } from 'node:test';
import { openCells } from '../../src/store/cells/store.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { freshDatabase } from '../../../../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../../../../test/support/postgres/servers.ts';
import { type OpenStore, storeSuite } from './suite/store-suite.ts';

/** What one database promises about several tenants, and several cannot. */
const EXCEPT: Readonly<Record<string, string>> = {
  'a tenant sees its own; no tenant sees all': 'events of one millisecond come by cells',
  'a fence lets the owner of a job write, and nobody else': 'it writes for two tenants at once',
  'kinds and tenants have names of their own': 'it writes for two tenants at once',
  'tenants share a claim fairly, however much one of them has queued': 'cells are first in turn',
  'tenants share before lanes do': 'cells are first in turn',
  'tenants take turns at being the first': 'cells are first in turn',
  'a filter leaves the events and phases that it names, of any kind of write':
    'a cursor also says how far the other cells were read, which depends on the pages',
};

storeSuite('two SQLite stores as cells', openTwo, EXCEPT);

function openTwo(options: Parameters<OpenStore>[0]): ReturnType<OpenStore> {
  const open = () => openSqliteStore({ ...options, path: ':memory:', mode: 'inline' });
  const cells = ['one', 'two'].map((name) => ({ name, open }));
  return openCells({ cells, clock: options.clock });
}

const [server] = await postgresServers();
if (server !== undefined) {
  const databases = await Promise.all(['one', 'two', 'three'].map(() => freshDatabase(server)));
  after(() => Promise.all(databases.map((database) => database.drop())));
  const openThree: OpenStore = (options) => {
    const cells = databases.map(({ url }, at) => ({
      name: `cell-${at + 1}`,
      open: () => openPostgresStore({ ...options, url }),
    }));
    return openCells({ cells, clock: options.clock });
  };
  storeSuite(`three PostgreSQL stores as cells, ${server.label}`, openThree, EXCEPT);
}
