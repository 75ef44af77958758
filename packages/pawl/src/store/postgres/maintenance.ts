import type { Instant } from '../../core/clock.ts';
import type { JobRef } from '../../core/job.ts';
import type { StoreHealth } from '../health.ts';
import type {
  MaintenanceStore,
  FailedType,
  Failover,
  Holder,
  ConnectionFigures,
  ServerFigures,
  StoreFigures,
  TableFigures,
  Vitals,
} from '../maintenance.ts';
import type { RecordKind } from '../records.ts';
import { StoreError } from '../store-error.ts';
import type { Database } from './database.ts';
import { checkMigrations } from './migrations-runner.ts';
import type { PostgresReplica } from './replica.ts';
import type { Session } from './session.ts';

/** What the database tells of itself, each verb a statement or some of its own. */
export function maintenanceOn(
  session: Session,
  { changes }: { readonly changes: number },
  replica: PostgresReplica | undefined,
): MaintenanceStore {
  return {
    tenants: () => listTenants(session),
    figures: () => readFigures(session, replica),
    vitals: async () => {
      const vitals = await readVitals(session, changes);
      return { ...vitals, gauges: { ...vitals.gauges, ...replicaGauges(replica) } };
    },
    strays: (limit) => listStrays(session, limit),
    failedTypes: (max, without) => listFailedTypes(session, max, without),
    health: () => readHealth(session),
    checkRows: () => Promise.resolve({ rows: 0, damage: [], next: null }),
    quickCheck: () => findDamage(session),
  };
}

export async function readBackSince(session: Session): Promise<Instant | null> {
  // The server's time means nothing where a test has one of its own.
  if (session.now() !== null) return null;
  const { plain, tables, verbs } = session.database;
  const sql = `SELECT ${tables}.ms(${verbs}.back_since()) AS at`;
  return (await plain.read<{ at: Instant }>(sql))[0]!.at;
}

/** The schema may be another one since it was opened: a backup's. */
async function readHealth({ database: { plain: database } }: Session): Promise<StoreHealth> {
  try {
    await checkMigrations(database);
  } catch (error) {
    if (!(error instanceof StoreError) || error.outcome !== 'refused') throw error;
    return { state: 'behind', detail: error.message };
  }
  return database.watch.health();
}

async function listTenants({ database }: Session): Promise<string[]> {
  const sql = `SELECT name FROM ${database.tables}.tenants
    WHERE left_for IS NULL AND arriving IS NULL ORDER BY name`;
  const rows = await database.read<{ name: string }>(sql);
  return rows.map(({ name }) => name);
}

const SETTINGS = `SELECT name, setting FROM pg_settings WHERE name IN ('fsync',
  'synchronous_commit', 'full_page_writes', 'autovacuum', 'max_connections', 'server_version',
  'data_checksums', 'synchronous_standby_names')`;

const TABLES = `SELECT c.relname AS name, pg_total_relation_size(c.oid)::int8 AS bytes,
    coalesce(s.n_live_tup, 0)::int8 AS rows, coalesce(s.n_dead_tup, 0)::int8 AS "deadRows"
  FROM pg_class c LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
  WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r' ORDER BY c.relname`;

const USED = `SELECT count(*)::int4 AS used FROM pg_stat_activity
  WHERE backend_type = 'client backend'`;

const DAY_MS = 86_400_000;

const LIMITS = `SELECT current_user::text AS "user",
  (SELECT setting::int4 FROM pg_settings WHERE name = 'statement_timeout') AS "statementMs",
  (SELECT setting::int4 FROM pg_settings
   WHERE name = 'idle_in_transaction_session_timeout') AS "idleMs"`;

async function readConnection({ database, wakeSignal }: Session): Promise<ConnectionFigures> {
  const [limits] =
    await database.read<Pick<ConnectionFigures, 'user' | 'statementMs' | 'idleMs'>>(LIMITS);
  const { isPooled, hasSessions } = database;
  return { isPooled, isDirect: hasSessions, hearsNews: await wakeSignal.probe(), ...limits! };
}

/** What a replica was asked for and what came of it. */
function replicaGauges(replica: PostgresReplica | undefined): Record<string, number> {
  if (replica === undefined) return {};
  const { counts, staleMs } = replica;
  const named = Object.entries(counts).map(([name, count]) => [`postgres_replica_${name}`, count]);
  const gauges = Object.fromEntries(named) as Record<string, number>;
  return staleMs === null ? gauges : { ...gauges, postgres_replica_stale_seconds: staleMs / 1_000 };
}

async function readFigures(
  session: Session,
  replica: PostgresReplica | undefined,
): Promise<StoreFigures> {
  const { database } = session;
  const named = await database.read<{ name: string; setting: string }>(SETTINGS);
  const settings = Object.fromEntries(named.map(({ name, setting }) => [name, setting]));
  const tables = await database.read<TableFigures>(TABLES, [database.tables]);
  const [ahead] = await database.read<{ ms: number }>(
    `SELECT ahead_ms AS ms FROM ${database.tables}.partition_bounds()`,
  );
  const [activity] = await database.read<{ used: number }>(USED);
  return {
    engine: 'postgres',
    version: settings['server_version'] ?? '0',
    settings,
    tables,
    freeBytes: null,
    logBytes: null,
    lost: null,
    daysAhead: Math.max(0, Math.floor(ahead!.ms / DAY_MS)),
    server: await readServer(database),
    replica: (await replica?.figures()) ?? null,
    connection: await readConnection(session),
    connections: { used: activity!.used, max: Number(settings['max_connections']) },
  };
}

const STANDBYS = `SELECT count(*)::int4 AS all,
  (count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')))::int4 AS synchronous
  FROM pg_stat_replication`;

const FAILOVERS_MAX = 5;

async function listFailovers(database: Database): Promise<Failover[]> {
  return database.read<Failover>(
    `SELECT t.timeline, ${database.tables}.ms(t.begun_at) AS at, t.last_n AS "lastNumber",
       t.lost_to AS "lostTo"
     FROM ${database.tables}.timelines t WHERE t.previous <> ''
     ORDER BY t.begun_at DESC LIMIT ${FAILOVERS_MAX}`,
  );
}

async function readServer(database: Database): Promise<ServerFigures> {
  const [markHolder = null] = await database.ask<Pick<Holder, 'name' | 'ms'>>('mark_holder', []);
  const ages = await database.ask<{ kind: string; age: number; forced_at: number }>('ages', []);
  const guards = await database.ask<{ name: string; trigger: string; is_off: boolean }>(
    'missing_guards',
    [database.schema],
  );
  const [standbys] = await database.read<ServerFigures['standbys']>(STANDBYS);
  return {
    failovers: await listFailovers(database),
    standbys: standbys!,
    holders: await database.ask<Holder>('horizon', []),
    markHolder,
    ages: ages.map(({ kind, age, forced_at: forcedAt }) => ({ kind, age, forcedAt })),
    missingGuards: guards.map(({ name: table, trigger: guard, is_off: isOff }) => ({
      table,
      guard,
      isOff,
    })),
  };
}

/** So many jobs that have not ended are looked at. */
const DAMAGE_MAX = 100_000;

/** In rows that belong together. The server checks pages itself, where it has checksums. */
async function findDamage({ database }: Session): Promise<string[]> {
  const rows = await database.ask<{ damage: string }>('damage', [DAMAGE_MAX]);
  return rows.map(({ damage }) => damage);
}

/** A log whose numbers would be drawn a second time must not be written to. */
export async function checkLog(database: Database): Promise<void> {
  const [found] = await database.ask<{ log_damage: string }>('log_damage', []);
  if (found === undefined) return;
  throw new StoreError(
    'refused',
    `${found.log_damage}; set it before anything is written, as the guide on upgrades says`,
  );
}

/** Jobs with facts that are neither live nor ended, of the last day only: all are too many. */
function listStrays({ database }: Session, limit: number): Promise<JobRef[]> {
  return database.ask<JobRef>('strays', [limit]);
}

/** Jobs that ended badly, without a record of this kind and not run again, by type. */
function listFailedTypes(
  { database }: Session,
  max: number,
  without: RecordKind,
): Promise<FailedType[]> {
  return database.ask<FailedType>('failed_types', [max, without.name]);
}

/** How long the oldest entry has waited behind somebody who may still write before it. */
async function readVitals(session: Session, changes: number): Promise<Vitals> {
  const { database } = session;
  const [lag] = await database.ask<{ ms: number | null }>('tail_lag', [session.now()]);
  const gauges = await database.ask<{ name: string; value: number }>('gauges', []);
  const { totalCount, idleCount, waitingCount } = database.pool;
  return {
    tailLagMs: Math.max(0, lag?.ms ?? 0),
    gauges: {
      ...Object.fromEntries(gauges.map(({ name, value }) => [name, value])),
      postgres_pool_connections: totalCount,
      postgres_pool_idle: idleCount,
      postgres_pool_waiting: waitingCount,
      postgres_log_changes: changes,
    },
  };
}
