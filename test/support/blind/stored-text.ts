// Everything that a database has stored, as text that can be searched.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { freshDatabase } from '../postgres/fresh-database.ts';
import { postgresServers } from '../postgres/servers.ts';
import type { OpenStore } from '../world.ts';

export interface SearchableStore {
  readonly label: string;
  /** A new, empty database each time. */
  readonly make: () => Promise<{ open: OpenStore; storedText: () => Promise<string> }>;
}

/** The bytes of the file and of its logs, also while it is open. */
function sqliteFile(): SearchableStore {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-blind-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  let files = 0;
  const make: SearchableStore['make'] = async () => {
    const path = join(folder, `pawl-${++files}.db`);
    const storedText = async (): Promise<string> =>
      [path, `${path}-wal`, `${path}-shm`]
        .filter((one) => existsSync(one))
        .map((one) => readFileSync(one, 'latin1'))
        .join('\n');
    return { open: (ports) => openSqliteStore({ ...ports, path, mode: 'thread' }), storedText };
  };
  return { label: 'SQLite file', make };
}

/** Every row of every table: on disk, large values are compressed and cannot be searched. */
async function textOfDatabase(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      texts.push(...rows.map(({ row }) => row));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

/** The stores that users have, each searchable as a whole. */
export async function searchableStores(): Promise<SearchableStore[]> {
  const servers = await postgresServers();
  const onServers = servers.map((server): SearchableStore => ({
    label: server.label,
    make: async () => {
      const database = await freshDatabase(server);
      after(() => database.drop());
      const { url } = database;
      return {
        open: (ports) => openPostgresStore({ ...ports, url }),
        storedText: () => textOfDatabase(url),
      };
    },
  }));
  return [sqliteFile(), ...onServers];
}
