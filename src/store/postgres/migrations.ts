import { StoreError } from '../store-error.ts';
import { ACCESS_SCHEMA } from './access-schema.ts';
import { ADMISSION_FUNCTIONS } from './admission-functions.ts';
import { APPLY_FUNCTIONS } from './apply-functions.ts';
import { ARTIFACT_SCHEMA } from './artifact-schema.ts';
import { CLAIM_FUNCTION } from './claim-function.ts';
import { FIXED_GUARDS } from './guard.ts';
import { INSERT_FUNCTIONS } from './insert-functions.ts';
import type { Database } from './pool.ts';
import { READ_FUNCTIONS } from './read-functions.ts';
import { RENEW_FUNCTION } from './renew-function.ts';
import { RETENTION_SCHEMA } from './retention-schema.ts';
import { SCHEDULE_SCHEMA } from './schedule-schema.ts';
import { SCHEMA } from './schema.ts';
import { quoteName } from './sql-text.ts';
import { UNIQUE_FUNCTIONS } from './unique-function.ts';
import { VALVE_SCHEMA } from './valve-schema.ts';

/** One step forward; there is none back. A released one is never changed. */
interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
}

const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'jobs, events, notes, feed and the verbs',
    statements: [
      ...SCHEMA,
      FIXED_GUARDS,
      VALVE_SCHEMA,
      ...ADMISSION_FUNCTIONS,
      ...INSERT_FUNCTIONS,
      CLAIM_FUNCTION,
      ...APPLY_FUNCTIONS,
      RENEW_FUNCTION,
      ...READ_FUNCTIONS,
      ...SCHEDULE_SCHEMA,
      ...UNIQUE_FUNCTIONS,
      ACCESS_SCHEMA,
      ...RETENTION_SCHEMA,
    ],
  },
  { version: 2, name: 'artifacts', statements: [ARTIFACT_SCHEMA] },
];

const LATEST = MIGRATIONS.at(-1)!.version;

/** PostgreSQL 15 is the oldest that is tested. */
const SERVER_MIN = 150_000;

/** ALTERs must not queue behind a long transaction with everybody else behind them. */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '5s'`;

export const SCHEMA_LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('pawl.schema', 0))`;

/** Brings the schema up to date; safe to run again, and from several processes at once. */
export async function migrate(database: Database): Promise<void> {
  await checkServer(database);
  if ((await versionOf(database)) >= LATEST) return;
  await database.transact(async (query) => {
    await query(LOCK_TIMEOUT);
    await query(SCHEMA_LOCK);
    await query(`CREATE SCHEMA IF NOT EXISTS ${quoteName(database.schema)}`);
    await query(`CREATE TABLE IF NOT EXISTS pawl.migrations (
      version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
    const done = await query<{ version: number }>('SELECT version FROM pawl.migrations');
    const versions = new Set(done.map(({ version }) => version));
    for (const { version, name, statements } of MIGRATIONS) {
      if (versions.has(version)) continue;
      for (const statement of statements) await query(statement);
      await query('INSERT INTO pawl.migrations (version, name) VALUES ($1, $2)', [version, name]);
    }
  });
}

/** For a role that may not change the schema: says what is missing instead. A newer one will do. */
export async function checkMigrations(database: Database): Promise<void> {
  await checkServer(database);
  const version = await versionOf(database);
  if (version >= LATEST) return;
  throw new StoreError(
    'refused',
    `schema "${database.schema}" is at version ${version}, and ${LATEST} is needed: migrate it`,
  );
}

async function checkServer(database: Database): Promise<void> {
  const [server] = await database.read<{ number: number; name: string }>(
    `SELECT current_setting('server_version_num')::int AS number, version() AS name`,
  );
  if (server!.number >= SERVER_MIN) return;
  throw new StoreError('refused', `PostgreSQL 15 or newer is needed; this is ${server!.name}`);
}

async function versionOf(database: Database): Promise<number> {
  const [table] = await database.read<{ found: boolean }>(
    `SELECT to_regclass('pawl.migrations') IS NOT NULL AS found`,
  );
  if (!table!.found) return 0;
  const [row] = await database.read<{ version: number | null }>(
    'SELECT max(version) AS version FROM pawl.migrations',
  );
  return row!.version ?? 0;
}
