import pg from 'pg';
import type { Clock } from '../../src/core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../src/lifecycles/built-in.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { conditionsOf, startDurablePostgres } from '../harness/durable-postgres.ts';
import { megabytes, type Reading, type Site } from './site.ts';

/** Small enough that what stays behind is soon felt. Nothing is said of autovacuum. */
const SETTINGS = { shared_buffers: '256MB', max_wal_size: '256MB', checkpoint_timeout: '5min' };

const OBSERVE = `SELECT
  pg_relation_size('pawl.jobs')::float8 AS jobs, pg_indexes_size('pawl.jobs')::float8 AS indexes,
  pg_relation_size('pawl.jobs_claim')::float8 AS claim_index,
  (SELECT sum(pg_total_relation_size(i.inhrelid)) FROM pg_inherits i
    WHERE i.inhparent = 'pawl.events'::regclass)::float8 AS events,
  (SELECT count(*) FROM pg_inherits i WHERE i.inhparent = 'pawl.events'::regclass
    AND pg_relation_size(i.inhrelid) > 0)::int AS days,
  (SELECT coalesce(sum(pg_total_relation_size(i.inhrelid)), 0) FROM pg_inherits i
    WHERE i.inhparent = 'pawl.notes'::regclass)::float8 AS notes,
  pg_total_relation_size('pawl.feed')::float8 AS feed,
  (pg_total_relation_size('pawl.idempotency_keys')
    + pg_total_relation_size('pawl.records'))::float8 AS beside,
  pg_database_size(current_database())::float8 AS total,
  (SELECT sum(size) FROM pg_ls_waldir())::float8 AS wal_files,
  (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS wal,
  (SELECT n_live_tup FROM pg_stat_user_tables WHERE relname = 'jobs')::int AS live,
  (SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'jobs')::int AS dead,
  (SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'feed')::int AS feed_dead`;

const SUMMARY = `SELECT relname AS name, autovacuum_count::int AS vacuums,
    n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot, n_tup_del::int AS deletes
  FROM pg_stat_user_tables WHERE schemaname = 'pawl' AND relname = ANY ($1) ORDER BY relname`;

const WATCHED = ['jobs', 'feed', 'idempotency_keys', 'records', 'retention'];

/** A server of its own, of the newest version here. */
export async function openPostgresSite(clock: Clock): Promise<Site> {
  const server = await startDurablePostgres(SETTINGS);
  if (server === null) throw new Error('no PostgreSQL found on this machine');
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const store = await openPostgresStore({ url: server.url, lifecycles, clock });
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
    'jobs MB': mb('jobs'),
    'their indexes MB': mb('indexes'),
    'claim index MB': mb('claim_index'),
    'live jobs': row['live']!,
    'dead jobs': row['dead']!,
    'events MB': mb('events'),
    'event days': row['days']!,
    'notes MB': mb('notes'),
    'feed MB': mb('feed'),
    'dead feed': row['feed_dead']!,
    'keys, letters MB': mb('beside'),
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
  FROM pg_stat_user_indexes WHERE schemaname = 'pawl' AND relname = 'jobs'
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
  return [...tables, `indexes of \`jobs\` at the end: ${sizes.join(', ')}`];
}
