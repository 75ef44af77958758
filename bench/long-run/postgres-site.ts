import pg from 'pg';
import type { Clock } from 'pawl/internal/core/clock';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { conditionsOf, startDurablePostgres } from '../harness/durable-postgres.ts';
import { megabytes, type Reading, type Site } from './site.ts';

/** Small enough that what stays behind is soon felt. Nothing is said of autovacuum. */
const SETTINGS = { shared_buffers: '256MB', max_wal_size: '256MB', checkpoint_timeout: '5min' };

/** Whole tables with their indexes, partitions and what is stored beside them. */
function sizeOf(...tables: readonly string[]): string {
  const parts = tables.map(
    (table) => `pg_total_relation_size('pawl.${table}')
      + (SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0) FROM pg_inherits
        WHERE inhparent = 'pawl.${table}'::regclass)`,
  );
  return `(${parts.join(' + ')})::float8`;
}

/** Rows by the statistics: counting them would be work for the database. */
function tuplesOf(kind: 'live' | 'dead', table: string): string {
  return `(SELECT n_${kind}_tup FROM pg_stat_user_tables
    WHERE schemaname = 'pawl' AND relname = '${table}')::int`;
}

const OBSERVE = `SELECT pg_relation_size('pawl.live')::float8 AS live,
  pg_indexes_size('pawl.live')::float8 AS indexes,
  pg_relation_size('pawl.live_claim')::float8 AS claim_index,
  ${tuplesOf('live', 'live')} AS live_rows, ${tuplesOf('dead', 'live')} AS live_dead,
  ${sizeOf('keys')} AS keys, ${tuplesOf('dead', 'keys')} AS keys_dead,
  ${sizeOf('facts', 'ended', 'details')} AS jobs,
  ${sizeOf('facts_other', 'ended_other')} AS others,
  (SELECT count(*) FROM pawl.partitions WHERE parent = 'facts')::int AS partitions,
  ${sizeOf('log', 'log_texts', 'log_carried', 'log_texts_carried')} AS log,
  ${sizeOf('notes')} AS notes,
  ${sizeOf('idempotency_keys', 'records')} AS beside,
  pg_database_size(current_database())::float8 AS total,
  (SELECT sum(size) FROM pg_ls_waldir())::float8 AS wal_files,
  (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS wal`;

const SUMMARY = `SELECT relname AS name, autovacuum_count::int AS vacuums,
    n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot, n_tup_del::int AS deletes
  FROM pg_stat_user_tables WHERE schemaname = 'pawl' AND relname = ANY ($1) ORDER BY relname`;

const WATCHED = ['live', 'keys', 'details', 'idempotency_keys', 'records'];

/** A server of its own, of the newest version here. */
export async function openPostgresSite(clock: Clock): Promise<Site> {
  const server = await startDurablePostgres(SETTINGS);
  if (server === null) throw new Error('no PostgreSQL found on this machine');
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const store = await openPostgresStore({ url: server.url, lifecycles, clock });
  // The log goes on in a new partition once a day, counted from when the tables were made: that
  // was noted by the server's clock, which may be far ahead of the one given.
  await client.query('UPDATE pawl.meta SET turned_at = $1', [new Date(clock.now())]);
  return {
    name: 'PostgreSQL',
    conditions: [`${await conditionsOf(client, ['autovacuum_naptime'])}; autovacuum as it comes`],
    store,
    observe: () => observe(client),
    summary: () => summarize(client),
    hold: () => hold(server.url),
    async close() {
      await store.close();
      await client.end();
      await server.stop();
    },
  };
}

async function observe(client: pg.Client): Promise<Reading> {
  const { rows } = await client.query<Record<string, number>>(OBSERVE);
  const row = rows[0]!;
  const mb = (name: string): number => megabytes(row[name]!);
  return {
    'live MB': mb('live'),
    'its indexes MB': mb('indexes'),
    'claim index MB': mb('claim_index'),
    'live rows': row['live_rows']!,
    'dead rows': row['live_dead']!,
    'keys MB': mb('keys'),
    'dead keys': row['keys_dead']!,
    'jobs MB': mb('jobs'),
    'jobs in no partition MB': mb('others'),
    'partitions of jobs': row['partitions']!,
    'log MB': mb('log'),
    'notes MB': mb('notes'),
    'other keys, letters MB': mb('beside'),
    'database MB': mb('total'),
    'WAL files MB': mb('wal_files'),
    'WAL written MB': mb('wal'),
  };
}

/** A report that somebody left open: it has written, so nothing after it can be cleaned up. */
async function hold(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query('SELECT pg_current_xact_id(), count(*) FROM pawl.meta');
  return async () => {
    await client.query('COMMIT');
    await client.end();
  };
}

const INDEXES = `SELECT indexrelname AS name, pg_relation_size(indexrelid)::float8 AS bytes
  FROM pg_stat_user_indexes WHERE schemaname = 'pawl' AND relname IN ('live', 'keys')
    AND pg_relation_size(indexrelid) > 100000 ORDER BY 2 DESC`;

async function summarize(client: pg.Client): Promise<string[]> {
  const { rows: indexes } = await client.query<{ name: string; bytes: number }>(INDEXES);
  const sizes = indexes.map(({ name, bytes }) => `\`${name}\` ${megabytes(bytes).toFixed(1)} MB`);
  const { rows } = await client.query<Record<string, string | number>>(SUMMARY, [WATCHED]);
  const tables = rows.map(
    ({ name, vacuums, updates, hot, deletes }) =>
      `\`${name}\`: ${vacuums} automatic vacuums, ${updates} updates (${hot} of them HOT), ` +
      `${deletes} rows deleted`,
  );
  return [...tables, `indexes of \`live\` and \`keys\` at the end: ${sizes.join(', ')}`];
}
