import type { Job } from '../../core/job.ts';
import { rankOf } from '../../core/phase.ts';
import type { LifecyclePlace } from '../overdue.ts';
import { placeCode } from './dictionary.ts';
import { type JobRow, toJobs } from './row.ts';
import type { Session } from './session.ts';

/** So many keys are looked at in one sweep; the next goes on from there. */
const KEYS_MAX = 1_000;

/** Opens what is claimed where it stands, and names what the engine has to requeue. */
export async function letDueIn(
  session: Session,
  limit: number,
): Promise<{ opened: number; waiting: Job[] }> {
  const { database, names } = session;
  const values = [limit, session.now()];
  const [row] = await database.verb<{ opened: number }>('open_due', values);
  const [parked] = await database.verb<{ next: string | null }>('admit_from', [
    session.parkedAfter,
    KEYS_MAX,
    session.now(),
  ]);
  session.parkedAfter = parked!.next;
  const waiting = await toJobs(await database.ask<JobRow>('to_requeue', values), names);
  return { opened: row!.opened, waiting };
}

/** The time until the next delayed job. */
export async function untilDue(session: Session): Promise<number | null> {
  const [row] = await session.database.ask<{ ms: number | null }>('until_due', [session.now()]);
  return row!.ms;
}

/** Owned jobs whose lease has run out, the longest ago first. */
export async function expiredJobs(session: Session, limit: number): Promise<Job[]> {
  const rows = await session.database.ask<JobRow>('expired', [limit, session.now()]);
  return toJobs(rows, session.names);
}

export async function overdueJobs(
  session: Session,
  places: readonly LifecyclePlace[],
  limit: number,
): Promise<Job[]> {
  const { database, names } = session;
  await names.learnLifecycles(places);
  const entries = places.map((place) => ({ place, entry: names.lifecycle(place) }));
  const rows = await database.ask<JobRow>('overdue', [
    entries.map(({ entry }) => entry.number),
    entries.map(({ entry, place }) => placeCode(entry, place)),
    places.map(({ phase }) => rankOf(phase)),
    limit,
    session.now(),
  ]);
  return toJobs(rows, names);
}
