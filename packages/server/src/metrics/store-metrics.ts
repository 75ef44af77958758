import type { MetricDefinition } from './definition.ts';

/** What only the database in use can tell of itself. */
export const STORE_METRICS = {
  pawl_sqlite_file_bytes: storeGauge('pawl_sqlite_file_bytes', 'Size of the database file'),
  pawl_sqlite_free_bytes: storeGauge('pawl_sqlite_free_bytes', 'Free space in the database file'),
  pawl_sqlite_wal_bytes: storeGauge('pawl_sqlite_wal_bytes', 'Size of the write-ahead log'),
  pawl_sqlite_writer_queue: storeGauge('pawl_sqlite_writer_queue', 'Writes in flight'),
  pawl_postgres_pool_connections: storeGauge(
    'pawl_postgres_pool_connections',
    'Connections of this process',
  ),
  pawl_postgres_pool_idle: storeGauge(
    'pawl_postgres_pool_idle',
    'Idle connections of this process',
  ),
  pawl_postgres_pool_waiting: storeGauge(
    'pawl_postgres_pool_waiting',
    'Calls that wait for a connection',
  ),
  pawl_postgres_log_changes: storeGauge(
    'pawl_postgres_log_changes',
    'Times that this process found a different log: a standby took over, or a backup was restored',
  ),
  pawl_postgres_replica_reads: storeGauge(
    'pawl_postgres_replica_reads',
    'Reads that the replica has answered since this process began',
  ),
  pawl_postgres_replica_stale: storeGauge(
    'pawl_postgres_replica_stale',
    'Reads that the primary answered because the replica was too far behind',
  ),
  pawl_postgres_replica_behind: storeGauge(
    'pawl_postgres_replica_behind',
    'Reads that the primary answered because the replica lacked a write of the caller',
  ),
  pawl_postgres_replica_conflict: storeGauge(
    'pawl_postgres_replica_conflict',
    'Reads that the replica gave up for what it had to replay, and the primary answered',
  ),
  pawl_postgres_replica_failed: storeGauge(
    'pawl_postgres_replica_failed',
    'Reads that the primary answered because the replica could not be asked',
  ),
  pawl_postgres_replica_stale_seconds: storeGauge(
    'pawl_postgres_replica_stale_seconds',
    'How old the last answer of the replica could be',
  ),
  pawl_postgres_horizon_seconds: sharedGauge(
    'pawl_postgres_horizon_seconds',
    'Age of the oldest transaction that keeps dead rows from being removed; `pawl doctor` names it',
  ),
  pawl_postgres_horizon_transactions: sharedGauge(
    'pawl_postgres_horizon_transactions',
    'Age, in transactions, of the oldest session, slot or standby that keeps dead rows',
  ),
  pawl_postgres_log_mark_seconds: sharedGauge(
    'pawl_postgres_log_mark_seconds',
    'Age of the transaction that readers of the log wait for; `pawl doctor` names it',
  ),
  pawl_postgres_transaction_age: sharedGauge(
    'pawl_postgres_transaction_age',
    'Transactions since the oldest row that is not frozen; writes stop at 2,000,000,000',
  ),
  pawl_postgres_multixact_age: sharedGauge(
    'pawl_postgres_multixact_age',
    'Multixacts since the oldest one that is not frozen',
  ),
  pawl_postgres_live_dead_rows: sharedGauge(
    'pawl_postgres_live_dead_rows',
    'Dead rows in the table of jobs that have not ended',
  ),
  pawl_postgres_keys_dead_rows: sharedGauge(
    'pawl_postgres_keys_dead_rows',
    'Dead rows in the table of keys that limited jobs are counted under',
  ),
  pawl_postgres_claim_index_bytes: sharedGauge(
    'pawl_postgres_claim_index_bytes',
    'Size of the index that claims read',
  ),
} as const satisfies Record<string, MetricDefinition>;

function storeGauge<Name extends string>(
  name: Name,
  help: string,
): { name: Name; type: 'gauge'; help: string; labels: readonly [] } {
  return { name, type: 'gauge', help, labels: [] };
}

function sharedGauge<Name extends string>(
  name: Name,
  help: string,
): { name: Name; type: 'gauge'; help: string; labels: readonly []; isShared: true } {
  return { name, type: 'gauge', help, labels: [], isShared: true };
}
