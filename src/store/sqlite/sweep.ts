import type { Job } from '../../core/job.ts';
import { JOB_COLUMNS, type JobRow, jobOfRow } from './row.ts';
import type { Work } from './work.ts';

/** SQLite uses the index of timers only where it reads the index's own condition, `gate > 0`. */
const OPEN_DUE = `UPDATE jobs SET gate = 0 WHERE seq IN (SELECT seq FROM jobs
  WHERE gate > 0 AND gate = 1 AND run_at <= ? ORDER BY run_at, seq LIMIT ?)`;

const WAITING_DUE = `SELECT ${JOB_COLUMNS} FROM jobs WHERE gate > 0 AND gate = 2 AND run_at <= ?
  ORDER BY run_at, seq LIMIT ?`;

/** Renewals pay for no index on the deadline: the owned jobs are few enough to look at. */
const EXPIRED = `SELECT ${JOB_COLUMNS} FROM jobs INDEXED BY jobs_owned
  WHERE phase IN (2, 3) AND lease_expiry <= ? ORDER BY lease_expiry, seq LIMIT ?`;

/** Opens what is claimed where it stands, and names what the engine has to requeue. */
export function letDueIn(work: Work, limit: number): { opened: number; waiting: Job[] } {
  const { connection, registry, now } = work;
  const { changes } = connection.sql(OPEN_DUE).run(now, limit);
  const rows = connection.sql(WAITING_DUE).all(now, limit) as JobRow[];
  return { opened: Number(changes), waiting: rows.map((row) => jobOfRow(registry, row)) };
}

/** Owned jobs whose deadline has passed, the longest ago first. */
export function expiredJobs({ connection, registry, now }: Work, limit: number): Job[] {
  const rows = connection.sql(EXPIRED).all(now, limit) as JobRow[];
  return rows.map((row) => jobOfRow(registry, row));
}
