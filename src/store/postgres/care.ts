import type { JobRef } from '../../core/job.ts';
import type { CareStore, StoreFigures, TableFigures } from '../care.ts';
import { StoreError } from '../store-error.ts';
import { checkMigrations } from './migrations-runner.ts';
import type { Session } from './session.ts';
import { vitalsOf } from './vitals.ts';

/** The verbs, each a statement or some of its own. */
export function careOn(session: Session): CareStore {
  return {
    tenants: () => listTenants(session),
    figures: () => readFigures(session),
    vitals: () => vitalsOf(session),
    strays: (limit) => listStrays(session, limit),
    isCurrent: () => isCurrent(session),
    // The server checks its pages itself, where it was set up with checksums.
    quickCheck: () => Promise.resolve([]),
  };
}

async function isCurrent({ database }: Session): Promise<boolean> {
  try {
    await checkMigrations(database);
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.outcome === 'refused') return false;
    throw error;
  }
}

async function listTenants({ database }: Session): Promise<string[]> {
  const sql = 'SELECT name FROM pawl.tenants ORDER BY name';
  const rows = await database.read<{ name: string }>(sql);
  return rows.map(({ name }) => name);
}

const SETTINGS = `SELECT name, setting FROM pg_settings WHERE name IN ('fsync',
  'synchronous_commit', 'full_page_writes', 'autovacuum', 'max_connections', 'server_version')`;

const TABLES = `SELECT c.relname AS name, pg_total_relation_size(c.oid)::int8 AS bytes,
    coalesce(s.n_live_tup, 0)::int8 AS rows, coalesce(s.n_dead_tup, 0)::int8 AS "deadRows"
  FROM pg_class own JOIN pg_class c ON c.relnamespace = own.relnamespace AND c.relkind = 'r'
  LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
  WHERE own.oid = 'pawl.jobs'::regclass ORDER BY c.relname`;

/** Events and notes each need a day to lie in; the shorter supply counts. */
const DAYS_AHEAD = `SELECT min(days)::int4 AS days FROM (
  SELECT count(d.relname) AS days FROM unnest(ARRAY['events', 'notes']) AS t(name)
  JOIN pg_class own ON own.oid = 'pawl.jobs'::regclass
  LEFT JOIN pg_class d ON d.relnamespace = own.relnamespace AND d.relkind = 'r'
    AND d.relname ~ ('^' || t.name || '_[0-9]{8}$')
    AND right(d.relname, 8) > to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD')
  GROUP BY t.name) supplies`;

const ACTIVITY = `SELECT count(*)::int4 AS used,
    coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)) * 1000, 0)::int8 AS "oldestMs"
  FROM pg_stat_activity WHERE backend_type = 'client backend'`;

async function readFigures({ database }: Session): Promise<StoreFigures> {
  const named = await database.read<{ name: string; setting: string }>(SETTINGS);
  const settings = Object.fromEntries(named.map(({ name, setting }) => [name, setting]));
  const tables = await database.read<TableFigures>(TABLES);
  const [days] = await database.read<{ days: number }>(DAYS_AHEAD);
  const [activity] = await database.read<{ used: number; oldestMs: number }>(ACTIVITY);
  return {
    engine: 'postgres',
    version: settings['server_version'] ?? '0',
    settings,
    tables,
    freeBytes: null,
    logBytes: null,
    daysAhead: days!.days,
    oldestTransactionMs: activity!.oldestMs,
    connections: { used: activity!.used, max: Number(settings['max_connections']) },
  };
}

/**
 * Retention takes the rows of ended jobs before the day of their events, so only those count that
 * have not ended; and of the latest days only, since older ones are too many to look through.
 */
const STRAYS = `SELECT DISTINCT t.name AS tenant, e.job_id AS id
  FROM pawl.events e JOIN pawl.tenants t ON t.id = e.tenant_id
  WHERE e.born >= (clock_timestamp() AT TIME ZONE 'UTC')::date - 1
    AND NOT EXISTS (SELECT FROM pawl.jobs j WHERE j.id = e.job_id AND j.tenant_id = e.tenant_id)
    AND NOT EXISTS (SELECT FROM pawl.events l WHERE l.job_id = e.job_id
      AND l.tenant_id = e.tenant_id AND l.born = e.born AND l.phase >= 5)
  LIMIT $1`;

function listStrays({ database }: Session, limit: number): Promise<JobRef[]> {
  return database.read<JobRef>(STRAYS, [limit]);
}
