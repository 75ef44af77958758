// The migrations of this release and of one that may follow it, on a database with jobs in it.
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { systemRandom } from 'pawl/internal/core/random';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { migrate as migrateFleet } from 'pawl/internal/store/postgres/migrations-runner';
import { MIGRATIONS as POSTGRES_MIGRATIONS } from 'pawl/internal/store/postgres/migrations';
import { Database } from 'pawl/internal/store/postgres/database';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import {
  type Migration,
  migrate as migrateFile,
  MIGRATIONS as SQLITE_MIGRATIONS,
} from 'pawl/internal/store/sqlite/migrations';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { EXPANSION } from '../../support/postgres/next-release.ts';

const KNOWN = Math.max(...SQLITE_MIGRATIONS.map(({ version }) => version));

const SQLITE_EXPANSION: readonly Migration[] = [
  { version: KNOWN + 1, name: 'colours', sql: 'ALTER TABLE facts ADD COLUMN colour TEXT' },
  { version: KNOWN + 2, name: 'look-ups', sql: 'CREATE INDEX facts_colour ON facts (colour)' },
];

/** As the store does it when it opens a file, and then as the store of the next release would. */
export async function migrateSqlite(path: string): Promise<void> {
  await (await openSqliteStore({ path, lifecycles, mode: 'inline' })).close();
  const db = new DatabaseSync(path);
  db.exec('BEGIN IMMEDIATE');
  migrateFile(db, 0, [...SQLITE_MIGRATIONS, ...SQLITE_EXPANSION]);
  db.exec('COMMIT');
  db.close();
}

export async function migratePostgres(url: string): Promise<void> {
  await (await openPostgresStore({ url, lifecycles })).close();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const database = new Database({ pool, isOwn: true, schema: 'pawl', random: systemRandom });
  await migrateFleet(database, [...POSTGRES_MIGRATIONS, ...EXPANSION]);
  await database.close();
}

/** Everything that a schema is made of, to be compared with another's. */
export function schemaOfFile(path: string): string {
  const db = new DatabaseSync(path);
  const rows = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
  const { n } = db.prepare('SELECT count(*) AS n FROM migrations').get()!;
  db.close();
  return JSON.stringify([rows, n]);
}

/** The numbers of lifecycles are left out: one that a crash has taken back is not given again. */
export async function schemaOfDatabase(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(`
      SELECT 'column' AS kind, c.oid::regclass || '.' || a.attname AS name,
        format_type(a.atttypid, a.atttypmod) AS what
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
      WHERE c.relnamespace = 'pawl'::regnamespace AND NOT a.attisdropped AND NOT c.relispartition
        AND c.relkind <> 'i'
      UNION ALL SELECT 'function', p.oid::regprocedure::text,
        -- These hold the installation's own random tag.
        md5(CASE WHEN p.proname IN ('mark_of', 'tenants_lock') THEN '' ELSE p.prosrc END)
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname IN ('pawl', 'pawl_verbs_1')
      UNION ALL SELECT 'index', i.indexrelid::regclass::text, i.indisvalid::text
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE c.relnamespace = 'pawl'::regnamespace AND NOT c.relispartition
      UNION ALL SELECT 'migration', version::text, name FROM pawl.migrations
      ORDER BY 1, 2, 3`);
    return JSON.stringify(rows);
  } finally {
    await client.end();
  }
}
