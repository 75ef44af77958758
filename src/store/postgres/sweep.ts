import type { Job } from '../../core/job.ts';
import { jobOf, type JobRow } from './row.ts';
import type { Session } from './session.ts';

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
