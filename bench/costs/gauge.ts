import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';

/** What a database has used up to now. */
export interface Reading {
  readonly walBytes: number;
  /** Transactions with a number of their own: each is a commit on the disk, or shares one. */
  readonly xids: number;
  /** Numbers that the log has given out. */
  readonly logNumbers: number;
  /** Of the server's processes; null where they are not on this machine. */
  readonly serverCpuMs: number | null;
  readonly ownCpuMs: number;
}

/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10;

interface ProcessStat {
  readonly parent: number;
  readonly cpuMs: number;
  /** Of children that have ended. */
  readonly endedCpuMs: number;
}

function statOf(pid: number): ProcessStat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which may have anything in it.
    const words = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (first: number): number => Number(words[first]) + Number(words[first + 1]);
    return {
      parent: Number(words[1]),
      cpuMs: ticks(11) * TICK_MS,
      endedCpuMs: ticks(13) * TICK_MS,
    };
  } catch {
    return null;
  }
}

/** All processes of the server that the given one belongs to, also those that have ended. */
function serverCpuMs(backend: number): number | null {
  const parent = statOf(backend)?.parent;
  if (parent === undefined) return null;
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids
    .map((pid) => ({ pid, stat: statOf(pid) }))
    .filter(({ pid, stat }) => pid === parent || stat?.parent === parent)
    .reduce(
      (sum, { pid, stat }) =>
        sum + (stat?.cpuMs ?? 0) + (pid === parent ? (stat?.endedCpuMs ?? 0) : 0),
      0,
    );
}

export async function read(client: pg.Client): Promise<Reading> {
  const { rows } = await client.query<{ wal: string; pid: number; xids: string; log: string }>(
    `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal, pg_backend_pid() AS pid,
       pg_snapshot_xmax(pg_current_snapshot())::text AS xids,
       (SELECT last_value FROM pawl.log_n) AS log`,
  );
  const { user, system } = process.cpuUsage();
  return {
    walBytes: Number(rows[0]!.wal),
    xids: Number(rows[0]!.xids),
    logNumbers: Number(rows[0]!.log),
    serverCpuMs: serverCpuMs(rows[0]!.pid),
    ownCpuMs: (user + system) / 1_000,
  };
}

export interface Place {
  readonly table: string;
  readonly bytes: number;
  readonly indexBytes: number;
}

/** Partitions count as their table. */
export async function places(client: pg.Client): Promise<Place[]> {
  const { rows } = await client.query<{ table: string; bytes: string; indexes: string }>(
    `SELECT coalesce(parent.relname, c.relname) AS table,
       sum(pg_table_size(c.oid)) AS bytes, sum(pg_indexes_size(c.oid)) AS indexes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'pawl'
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     LEFT JOIN pg_class parent ON parent.oid = i.inhparent
     WHERE c.relkind = 'r' GROUP BY 1 ORDER BY 1`,
  );
  return rows.map(({ table, bytes, indexes }) => ({
    table,
    bytes: Number(bytes),
    indexBytes: Number(indexes),
  }));
}

export async function connectionsOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'pawl'`,
  );
  return rows[0]!.n;
}
