import { mkdir } from 'node:fs/promises';
import type { Lifecycle } from '../core/lifecycle.ts';
import { withoutSqlite } from '../store/missing-sqlite.ts';
import type { Store } from '../store/store.ts';
import { ConfigurationError } from './configuration-error.ts';
import { checkDatabaseUrl, connectionFault } from './database-url.ts';
import { storePath, type StoreSettings } from './store-settings.ts';

/** Opens the store that the settings name, with its schema brought up to date if they allow it. */
export async function openStore(
  configuration: StoreSettings,
  lifecycles: readonly Lifecycle[],
): Promise<{ store: Store; storeName: string }> {
  if (configuration.databaseUrl !== null) {
    const { databaseUrl: url, directUrl } = configuration;
    checkDatabaseUrl('DATABASE_URL', url);
    if (directUrl !== null) checkDatabaseUrl('DATABASE_DIRECT_URL', directUrl);
    const { openPostgresStore } = await import('../store/postgres/store.ts');
    const store = await openPostgresStore({
      url,
      directUrl: directUrl ?? undefined,
      readerRole: configuration.readerRole ?? undefined,
      migrate: configuration.migrate,
      lifecycles,
    }).catch((error: unknown) => {
      const fault = connectionFault(url, error);
      throw fault === null ? error : new ConfigurationError('DATABASE_URL', fault);
    });
    return { store, storeName: 'PostgreSQL' };
  }
  // Only now: those who use PostgreSQL may have a Node that was built without it.
  const { openSqliteStore } = await import('../store/sqlite/store.ts').catch(withoutSqlite);
  await mkdir(configuration.dataFolder, { recursive: true });
  const path = storePath(configuration);
  return { store: await openSqliteStore({ path, lifecycles }), storeName: `SQLite in ${path}` };
}
