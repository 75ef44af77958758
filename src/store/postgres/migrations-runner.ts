import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../store-error.ts';
import { isLockTimeout } from './failure.ts';
import { type ConcurrentIndex, type Migration, MIGRATIONS } from './migrations.ts';
import type { Database, Query } from './database.ts';
import { quoteName } from './schemas.ts';
import { hasVerbs, installVerbs, pinAll } from './verbs.ts';

/** PostgreSQL 15 is the oldest that is tested. */
const SERVER_MIN = 150_000;

/**
 * Whoever wants a table alone waits in line for it, and all who come later wait behind: so it must
 * rather give up soon, let the others pass and ask again.
 */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '200ms'`;
const PAUSE_MS = 300;
const TRIES_MAX = 400;

const SCHEMA_LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('pawl.schema', 0))`;
const INDEX_LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('pawl.indexes', 0))`;

/** What the database says of itself. */
interface State {
  readonly applied: ReadonlySet<number>;
  readonly newest: number;
  /** Code that does not know this version must not run any more. */
  readonly floor: number;
}

/**
 * Brings the schema up to date while others work on it. Safe to run again, also after a crash in
 * its midst, and from several processes at once: each migration is done by one of them.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const state = await checkState(database, migrations);
  if (pendingOf(state, migrations).length > 0) {
    await changeSchema(database, (query) => prepare(query, database));
    for (const migration of pendingOf(await stateOf(database), migrations)) {
      if (migration.indexes === undefined) {
        await changeSchema(database, (query) => apply(query, database, migration));
      } else {
        await buildIndexes(database, migration, migration.indexes);
      }
    }
  }
  if (await hasVerbs((sql, values) => database.read(sql, values), database)) return;
  await changeSchema(database, (query) => installVerbs(query, database));
}

/** For a role that may not change the schema: says what is missing instead. */
export async function checkMigrations(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const state = await checkState(database, migrations);
  const pending = pendingOf(state, migrations).map(({ version, name }) => `${version} (${name})`);
  if (!(await hasVerbs((sql, values) => database.read(sql, values), database))) {
    pending.push('the verbs of this release');
  }
  if (pending.length === 0) return;
  const names = pending.join(', ');
  throw new StoreError(
    'refused',
    `schema "${database.schema}" is at version ${state.newest}, and pending are ${names}: ` +
      'start one Pawl of this release with a role that may change the schema, then this one',
  );
}

/** A newer schema will do, as long as it says so itself. */
async function checkState(database: Database, migrations: readonly Migration[]): Promise<State> {
  await checkServer(database);
  await checkOrigin(database);
  const state = await stateOf(database);
  const known = Math.max(...migrations.map(({ version }) => version));
  if (known >= state.floor) return state;
  throw new StoreError(
    'refused',
    `schema "${database.schema}" is at version ${state.newest} and can be used by a Pawl that ` +
      `knows version ${state.floor} at least; this one knows ${known}: install a newer release`,
  );
}

async function checkServer(database: Database): Promise<void> {
  const [server] = await database.read<{ number: number; name: string; follows: boolean }>(
    `SELECT current_setting('server_version_num')::int AS number, version() AS name,
       pg_is_in_recovery() AS follows`,
  );
  if (server!.number < SERVER_MIN) {
    throw new StoreError('refused', `PostgreSQL 15 or newer is needed; this is ${server!.name}`);
  }
  if (!server!.follows) return;
  throw new StoreError(
    'unchanged',
    'the server is a standby that follows another one, and cannot be written to: connect to the ' +
      'primary, or promote this one first',
  );
}

/** Before the first release jobs lay in one table; nothing of it is migrated. */
async function checkOrigin(database: Database): Promise<void> {
  const [found] = await database.read(
    `SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = 'jobs' AND c.relkind = 'r'`,
    [database.schema],
  );
  if (found === undefined) return;
  throw new StoreError(
    'refused',
    `schema "${database.schema}" was made by a version of Pawl before its first release, whose ` +
      'tables are not migrated: choose another schema, or drop this one with all its jobs',
  );
}

async function stateOf(database: Database): Promise<State> {
  const [table] = await database.read<{ found: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS found',
    [`${database.tables}.migrations`],
  );
  if (!table!.found) return { applied: new Set(), newest: 0, floor: 0 };
  const rows = await database.read<{ version: number; floor: number }>(
    `SELECT version, floor FROM ${database.tables}.migrations`,
  );
  const versions = rows.map(({ version }) => version);
  return {
    applied: new Set(versions),
    newest: Math.max(0, ...versions),
    floor: Math.max(0, ...rows.map(({ floor }) => floor)),
  };
}

function pendingOf({ applied }: State, migrations: readonly Migration[]): Migration[] {
  return migrations.filter(({ version }) => !applied.has(version));
}

/** One transaction that changes the schema, by one process at a time, done again until it can. */
export async function changeSchema<Answer>(
  database: Database,
  body: (query: Query) => Promise<Answer>,
): Promise<Answer> {
  return withPatience(database, () =>
    database.transact(async (query) => {
      await query(LOCK_TIMEOUT);
      await query(SCHEMA_LOCK);
      return body(query);
    }),
  );
}

async function withPatience<Answer>(
  database: Database,
  attempt: () => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (tries === TRIES_MAX) throw await impatience(database, error);
      await sleep(PAUSE_MS);
    }
  }
}

async function impatience(database: Database, cause: unknown): Promise<StoreError> {
  const [oldest] = await database.read<{ pid: number; name: string; seconds: number }>(
    `SELECT pid, application_name AS name, extract(epoch FROM now() - xact_start)::int AS seconds
     FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
     ORDER BY xact_start LIMIT 1`,
  );
  const who = oldest && `; the oldest, of "${oldest.name}", pid ${oldest.pid}, is open for`;
  const since = who === undefined ? '' : `${who} ${oldest!.seconds} s: end it and start again`;
  return new StoreError('unchanged', `others' transactions keep the schema locked${since}`, cause);
}

async function prepare(query: Query, { tables }: Database): Promise<void> {
  await query(`CREATE SCHEMA IF NOT EXISTS ${tables}`);
  await query(`CREATE TABLE IF NOT EXISTS ${tables}.migrations (
    version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
    floor int NOT NULL DEFAULT 0)`);
}

async function apply(query: Query, database: Database, migration: Migration): Promise<void> {
  if (await isApplied(query, database, migration)) return;
  await query(`SET LOCAL search_path = ${database.tables}, pg_temp`);
  for (const statement of migration.statements ?? []) await query(statement);
  await pinAll(query, { of: database.schema, path: [database.schema] });
  await record(query, database, migration);
}

/** Without a parameter: one would leave a portal behind, and with it a snapshot. */
async function isApplied(
  query: Query,
  { tables }: Database,
  { version }: Migration,
): Promise<boolean> {
  const rows = await query(`SELECT FROM ${tables}.migrations WHERE version = ${version}`);
  return rows.length > 0;
}

async function record(
  query: Query,
  { tables }: Database,
  { version, name, floor = 0 }: Migration,
): Promise<void> {
  const sql = `INSERT INTO ${tables}.migrations (version, name, floor) VALUES ($1, $2, $3)`;
  await query(sql, [version, name, floor]);
}

/**
 * The lock's transaction stays open and idle meanwhile. It must have no snapshot then: the building
 * of an index waits for everyone who has an older one.
 */
async function buildIndexes(
  database: Database,
  migration: Migration,
  indexes: readonly ConcurrentIndex[],
): Promise<void> {
  await withPatience(database, () =>
    database.transact(async (query) => {
      await query(LOCK_TIMEOUT);
      await query(INDEX_LOCK);
      if (await isApplied(query, database, migration)) return;
      for (const index of indexes) {
        await database.apart((alone) => buildIndex(alone, database, index));
      }
      await record(query, database, migration);
    }),
  );
}

/** A build that was broken off has left an index behind that nobody can use. */
async function buildIndex(
  query: Query,
  { tables }: Database,
  { name, on }: ConcurrentIndex,
): Promise<void> {
  const [found] = await query<{ is_valid: boolean }>(
    'SELECT indisvalid AS is_valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [`${tables}.${name}`],
  );
  if (found?.is_valid === true) return;
  if (found !== undefined) await query(`DROP INDEX CONCURRENTLY ${tables}.${quoteName(name)}`);
  await query(`CREATE INDEX CONCURRENTLY ${quoteName(name)} ON ${tables}.${on}`);
}
