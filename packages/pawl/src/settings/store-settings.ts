import { join } from 'node:path';
import { loadConfig, settingsIn } from './config-file.ts';
import { type CellSetting, isPostgresUrl, readCellsSetting } from './cells-setting.ts';
import { type MigrateSetting, readMigrateSetting } from './migrate-setting.ts';
import { readStaleSetting } from './replica-setting.ts';
import { environmentOf, resolveSettings } from './resolve-settings.ts';
import type { Setting } from './setting.ts';

/** Where the store is and how it is opened. */
export interface StoreSettings {
  /** The folder of the embedded store. */
  readonly dataFolder: string;
  /** Several databases instead of one, each with some of the tenants; null: one. */
  readonly cells: readonly CellSetting[] | null;
  /** PostgreSQL instead of the embedded store. */
  readonly databaseUrl: string | null;
  /** The server itself, where `databaseUrl` leads to a pooler. */
  readonly directUrl: string | null;
  /** A standby that may answer lists, histories and dashboards. */
  readonly replicaUrl: string | null;
  /** How old its answers may be, in milliseconds. */
  readonly replicaStaleMsMax: number;
  /** A PostgreSQL role that sees one tenant at a time, for the lists that are read for one. */
  readonly readerRole: string | null;
  readonly migrate: MigrateSetting;
}

/** What every command needs that opens a store. */
export const STORE_SETTINGS: readonly Setting[] = [
  { name: 'PAWL_DATA', fallback: 'data', sentence: 'The folder of the embedded store.' },
  {
    name: 'DATABASE_URL',
    fallback: null,
    sentence:
      'PostgreSQL URL, instead of the embedded store. Of several comma-separated hosts, the one ' +
      'that takes writes is used.',
    isSecret: true,
  },
  {
    name: 'DATABASE_DIRECT_URL',
    fallback: null,
    sentence:
      'URL of the PostgreSQL server itself, if DATABASE_URL leads to a pooler in transaction ' +
      'mode: for LISTEN and for maintenance.',
    isSecret: true,
  },
  {
    name: 'DATABASE_REPLICA_URL',
    fallback: null,
    sentence:
      'A standby of the PostgreSQL server that may answer lists, histories and dashboards to ' +
      'clients that say how far they have written. Everything else is asked of the primary.',
    isSecret: true,
  },
  {
    name: 'PAWL_CELLS',
    fallback: null,
    sentence:
      'Several databases instead of one, each with some of the tenants: names and PostgreSQL ' +
      'URLs (or folders of the embedded store) such as "main=postgres://… berlin=postgres://…". ' +
      'The first one also keeps what belongs to no tenant.',
    isSecret: true,
  },
  {
    name: 'PAWL_REPLICA_STALE_MAX',
    fallback: '5s',
    sentence: 'How old an answer of the standby may be; beyond that the primary answers.',
  },
  {
    name: 'PAWL_READER_ROLE',
    fallback: null,
    sentence: 'A PostgreSQL role restricted to one tenant at a time, used for lists of one tenant.',
  },
  {
    name: 'PAWL_MIGRATE',
    fallback: 'apply',
    sentence: 'apply: migrate the schema at the start. check: fail if a migration is pending.',
  },
];

export function readStoreSettings(env: NodeJS.ProcessEnv): StoreSettings {
  return {
    dataFolder: env['PAWL_DATA'] ?? 'data',
    cells: readCellsSetting(env),
    databaseUrl: env['DATABASE_URL'] ?? null,
    directUrl: env['DATABASE_DIRECT_URL'] ?? null,
    replicaUrl: env['DATABASE_REPLICA_URL'] ?? null,
    replicaStaleMsMax: readStaleSetting(env),
    readerRole: env['PAWL_READER_ROLE'] ?? null,
    migrate: readMigrateSetting(env),
  };
}

/** The same from the files too, for commands that know no other settings. */
export async function resolveStoreSettings(env: NodeJS.ProcessEnv): Promise<StoreSettings> {
  const loaded = await loadConfig('.');
  const config = loaded && { path: loaded.path, values: settingsIn(loaded.config) };
  const resolved = resolveSettings(STORE_SETTINGS, { env, isWhole: false, config });
  return readStoreSettings(environmentOf(resolved, env));
}

/** Whether several processes may have the store open. */
export function isShared({ cells, databaseUrl }: Pick<StoreSettings, 'cells' | 'databaseUrl'>) {
  if (cells === null) return databaseUrl !== null;
  return cells.every(({ database }) => isPostgresUrl(database));
}

export function storePath({ dataFolder }: Pick<StoreSettings, 'dataFolder'>): string {
  return join(dataFolder, 'pawl.db');
}
