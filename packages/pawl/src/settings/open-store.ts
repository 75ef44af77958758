import { mkdir } from 'node:fs/promises';
import type { Lifecycle } from '../core/lifecycle.ts';
import { withoutSqlite } from '../store/missing-sqlite.ts';
import type { Store } from '../store/store.ts';
import { CELLS, type CellSetting, isPostgresUrl } from './cells-setting.ts';
import { ConfigurationError } from './configuration-error.ts';
import { checkDatabaseUrl, connectionFault } from './database-url.ts';
import { storePath, type StoreSettings } from './store-settings.ts';

/** Opens the store that the settings name, with its schema brought up to date if they allow it. */
export async function openStore(
  configuration: StoreSettings,
  lifecycles: readonly Lifecycle[],
): Promise<{ store: Store; storeName: string }> {
  const { cells } = configuration;
  if (cells !== null) return openAsCells(cells, configuration, lifecycles);
  return openDatabase(configuration, lifecycles);
}

async function openAsCells(
  settings: readonly CellSetting[],
  configuration: StoreSettings,
  lifecycles: readonly Lifecycle[],
): Promise<{ store: Store; storeName: string }> {
  const { openCells } = await import('../store/cells/store.ts');
  const cells = settings.map(({ name, database }) => {
    const place = isPostgresUrl(database)
      ? { databaseUrl: database }
      : { databaseUrl: null, dataFolder: database };
    const own = { ...configuration, ...place, cells: null };
    return { name, open: async () => (await openDatabase(own, lifecycles, CELLS)).store };
  });
  const names = settings.map(({ name }) => name).join(', ');
  return { store: await openCells({ cells }), storeName: `the cells ${names}` };
}

async function openDatabase(
  configuration: StoreSettings,
  lifecycles: readonly Lifecycle[],
  setting: string = 'DATABASE_URL',
): Promise<{ store: Store; storeName: string }> {
  if (configuration.databaseUrl !== null) {
    const { databaseUrl: url, directUrl, replicaUrl, replicaStaleMsMax } = configuration;
    checkDatabaseUrl(setting, url);
    if (directUrl !== null) checkDatabaseUrl('DATABASE_DIRECT_URL', directUrl);
    if (replicaUrl !== null) checkDatabaseUrl('DATABASE_REPLICA_URL', replicaUrl);
    const { openPostgresStore } = await import('../store/postgres/store.ts');
    const store = await openPostgresStore({
      url,
      directUrl: directUrl ?? undefined,
      replicaUrl: replicaUrl ?? undefined,
      replicaStaleMsMax,
      readerRole: configuration.readerRole ?? undefined,
      migrate: configuration.migrate,
      lifecycles,
    }).catch((error: unknown) => {
      const fault = connectionFault(url, error);
      throw fault === null ? error : new ConfigurationError(setting, fault);
    });
    return { store, storeName: 'PostgreSQL' };
  }
  if (configuration.replicaUrl !== null) {
    const message = 'is of no use without DATABASE_URL: set both, or leave it out';
    throw new ConfigurationError('DATABASE_REPLICA_URL', message);
  }
  // Only now: those who use PostgreSQL may have a Node that was built without it.
  const { openSqliteStore } = await import('../store/sqlite/store.ts').catch(withoutSqlite);
  await mkdir(configuration.dataFolder, { recursive: true });
  const path = storePath(configuration);
  return { store: await openSqliteStore({ path, lifecycles }), storeName: `SQLite in ${path}` };
}
