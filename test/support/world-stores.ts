// Every store that a behaviour has to hold on.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { Store } from 'pawl/internal/store/store';
import { type FreshDatabase, freshDatabase } from './postgres/fresh-database.ts';
import { type PostgresServer, postgresServers } from './postgres/servers.ts';
import { inMemory, type OpenStore } from './world.ts';

export interface StoreUnderTest {
  readonly label: string;
  /** Each call opens an empty store of its own; closing it removes what it left behind. */
  readonly open: OpenStore;
}

export const sqliteInline: StoreUnderTest = {
  label: 'sqlite inline',
  open: (ports) => openSqliteStore({ path: ':memory:', mode: 'inline', ...ports }),
};

export const sqliteThread: StoreUnderTest = {
  label: 'sqlite thread',
  open: async (ports) => {
    const folder = await mkdtemp(join(tmpdir(), 'pawl-world-'));
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
    try {
      const store = await openSqliteStore({
        path: join(folder, 'jobs.db'),
        mode: 'thread',
        ...ports,
      });
      return closingWith(store, remove);
    } catch (error) {
      await remove();
      throw error;
    }
  },
};

/** One store for each PostgreSQL server found. */
export async function postgresStores(): Promise<StoreUnderTest[]> {
  return (await postgresServers()).map(onServer);
}

/** Calls `register` for memory, SQLite in both modes and each PostgreSQL server found. */
export async function forEachStore(register: (store: StoreUnderTest) => void): Promise<void> {
  const stores = [{ label: 'memory', open: inMemory }, sqliteInline, sqliteThread];
  for (const store of [...stores, ...(await postgresStores())]) register(store);
}

/** One database a process and server, for as long as a store of it is open; a schema a store. */
function onServer(server: PostgresServer): StoreUnderTest {
  let database: Promise<FreshDatabase> | null = null;
  let opened = 0;
  let schemas = 0;
  const leave = async (): Promise<void> => {
    opened -= 1;
    if (opened > 0 || database === null) return;
    const unused = database;
    database = null;
    await (await unused).drop();
  };
  const open: OpenStore = async (ports) => {
    opened += 1;
    database ??= freshDatabase(server);
    try {
      const { url } = await database;
      const store = await openPostgresStore({ url, schema: `world_${++schemas}`, ...ports });
      return closingWith(store, leave);
    } catch (error) {
      await leave();
      throw error;
    }
  };
  return { label: server.label, open };
}

function closingWith(store: Store, last: () => Promise<void>): Store {
  const close = async (): Promise<void> => {
    await store.close();
    await last();
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'close') return close;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
