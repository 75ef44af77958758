import { HealthWatch } from '../health-watch.ts';
import type { StoreHealth } from '../health.ts';
import type { Database, Query } from './database.ts';

const READ_ONLY = `SELECT pg_is_in_recovery() AS "isStandby",
  current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;

/** What a server says of itself without a write. */
async function lookAtServer(database: Database): Promise<StoreHealth | null> {
  const [row] = await database.read<{ isStandby: boolean; isReadOnly: boolean }>(READ_ONLY);
  if (row!.isStandby) return { state: 'readOnly', detail: 'the server is a standby' };
  if (!row!.isReadOnly) return null;
  return { state: 'readOnly', detail: 'default_transaction_read_only is on' };
}

/** Enough rows that a table grows: the server writes its log into files that are there already. */
const PROBE_ROWS = `SELECT -n, 'probe ' || n || repeat('x', 1000) FROM generate_series(1, 100) n`;

/** A commit that the server must sync, without a row. */
const PROBE_COMMIT = `SELECT pg_logical_emit_message(true, 'pawl', 'probe')`;

class Undone extends Error {}

/** Rows that are taken back, which need room, and a commit, which needs a disk that syncs. */
async function probeServer(database: Database): Promise<void> {
  const body = async (query: Query): Promise<void> => {
    await query(`INSERT INTO ${database.tables}.owners (number, name) ${PROBE_ROWS}`);
    throw new Undone();
  };
  await database.transact(body).catch((error: unknown) => {
    if (!isUndone(error)) throw error;
  });
  await database.transact((query) => query(PROBE_COMMIT));
}

function isUndone(error: unknown): boolean {
  return error instanceof Undone || (error instanceof Error && error.cause instanceof Undone);
}

/** Damage is found by the server, which tells every process that meets it: nothing is noted. */
export function watchOf(database: Database): HealthWatch {
  return new HealthWatch({
    look: () => lookAtServer(database),
    probe: () => probeServer(database),
    onDamage: () => Promise.resolve(),
  });
}
