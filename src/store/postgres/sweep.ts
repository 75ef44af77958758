import type { Instant } from '../../core/clock.ts';
import type { Job } from '../../core/job.ts';
import { jobOf, type JobRow } from './row.ts';
import type { Session } from './session.ts';
import { nowAt, toMs } from './sql-text.ts';

/** Opens what is claimed where it stands, and names what the engine has to requeue. */
export async function letDueIn(
  session: Session,
  limit: number,
): Promise<{ opened: number; waiting: Job[] }> {
  const values = [limit, session.now()];
  const [row] = await session.database.write<{ opened: number }>(
    'SELECT pawl.open_v1($1, $2) AS opened',
    values,
  );
  await recheckParked(session);
  const waiting = await jobsOf(session, 'SELECT * FROM pawl.waiting_v1($1, $2)', values);
  return { opened: row!.opened, waiting };
}

const FIRST = (gate: number): string =>
  `(SELECT j.run_at FROM pawl.jobs j WHERE j.gate = ${gate} ORDER BY j.run_at, j.seq LIMIT 1)`;

const NEXT_DUE = `SELECT ceil(extract(epoch FROM least(${FIRST(1)}, ${FIRST(2)})
  - ${nowAt('$1')}) * 1000)::float8 AS ms`;

/** The time until the next delayed job. */
export async function untilDue(session: Session): Promise<number | null> {
  const [row] = await session.database.read<{ ms: number | null }>(NEXT_DUE, [session.now()]);
  return row!.ms;
}

/** The database's time. */
export async function timeOf(session: Session): Promise<Instant> {
  const sql = `SELECT ${toMs(nowAt('$1'))} AS now`;
  const [row] = await session.database.read<{ now: Instant }>(sql, [session.now()]);
  return row!.now;
}

/** So many keys are looked at in one sweep; the next goes on from there. */
const KEYS_MAX = 1_000;

/** Lets in who was parked by a transaction that could not admit it. */
async function recheckParked(session: Session): Promise<void> {
  const [row] = await session.database.write<{ next: string | null }>(
    'SELECT * FROM pawl.admit_parked_v1($1, $2, $3)',
    [session.parkedAfter, KEYS_MAX, session.now()],
  );
  session.parkedAfter = row!.next;
}

/** Owned jobs whose deadline has passed, the longest ago first. */
export function expiredJobs(session: Session, limit: number): Promise<Job[]> {
  return jobsOf(session, 'SELECT * FROM pawl.expired_v1($1, $2)', [limit, session.now()]);
}

/** Jobs of a query that changes nothing. */
export async function jobsOf(
  session: Session,
  sql: string,
  values: readonly unknown[],
): Promise<Job[]> {
  return toJobs(session, await session.database.read<JobRow>(sql, values));
}

export async function toJobs(session: Session, rows: readonly JobRow[]): Promise<Job[]> {
  await session.names.learn(rows);
  return rows.map((row) => jobOf(row, session.names));
}
