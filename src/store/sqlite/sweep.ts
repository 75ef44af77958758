import type { Job } from '../../core/job.ts';
import { dueKeys, type KeyColumns, TouchedKeys } from './admission.ts';
import { JOB_COLUMNS, type JobRow, jobOfRow } from './row.ts';
import type { Work } from './work.ts';

/** SQLite uses the index of timers only where it reads the index's own condition, `gate > 0`. */
const OPEN_DUE = `UPDATE jobs SET gate = CASE WHEN limit_key IS NOT NULL THEN 3
    WHEN user_key IS NOT NULL THEN 4 WHEN organisation_key IS NOT NULL THEN 5 ELSE 0 END
  WHERE seq IN (
    SELECT seq FROM jobs WHERE gate > 0 AND gate = 1 AND run_at <= ? ORDER BY run_at, seq LIMIT ?)
  RETURNING gate, limit_key, user_key, organisation_key`;

const WAITING_DUE = `SELECT ${JOB_COLUMNS} FROM jobs WHERE gate > 0 AND gate = 2 AND run_at <= ?
  ORDER BY run_at, seq LIMIT ?`;

/** Renewals pay for no index on the deadline: the owned jobs are few enough to look at. */
const EXPIRED = `SELECT ${JOB_COLUMNS} FROM jobs INDEXED BY jobs_owned
  WHERE phase IN (2, 3) AND lease_expiry <= ? ORDER BY lease_expiry, seq LIMIT ?`;

/** Opens what is claimed where it stands, and names what the engine has to requeue. */
export function letDueIn(work: Work, limit: number): { opened: number; waiting: Job[] } {
  const { connection, registry, now } = work;
  const opened = connection.sql(OPEN_DUE).all(now, limit);
  const keys = new TouchedKeys();
  for (const row of opened) keys.add(row as KeyColumns, Number(row['gate']));
  // Together: at the next gate the first in line comes first, by whichever of them it got there.
  for (const key of dueKeys(work, limit)) keys.touch(key);
  keys.admit(work);
  const rows = connection.sql(WAITING_DUE).all(now, limit) as JobRow[];
  return { opened: opened.length, waiting: rows.map((row) => jobOfRow(registry, row)) };
}

const NEXT_DUE = `SELECT min(at) AS next FROM (
  SELECT at FROM (SELECT run_at AS at FROM jobs WHERE gate > 0 AND gate = 1 ORDER BY run_at LIMIT 1)
  UNION ALL
  SELECT at FROM (SELECT run_at AS at FROM jobs WHERE gate > 0 AND gate = 2 ORDER BY run_at LIMIT 1)
)`;

/** The time until the next delayed job. */
export function untilDue({ connection, now }: Work): number | null {
  const next = connection.sql(NEXT_DUE).get()?.['next'] as number | null | undefined;
  return next === null || next === undefined ? null : next - now;
}

/** Owned jobs whose deadline has passed, the longest ago first. */
export function expiredJobs({ connection, registry, now }: Work, limit: number): Job[] {
  const rows = connection.sql(EXPIRED).all(now, limit) as JobRow[];
  return rows.map((row) => jobOfRow(registry, row));
}
