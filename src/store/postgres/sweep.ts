import type { Instant } from '../../core/clock.ts';
import type { Job } from '../../core/job.ts';
import { rankOf } from '../../core/phase.ts';
import type { LifecyclePlace } from '../overdue.ts';
import { placeCode } from './dictionary.ts';
import { type JobRow, toJobs } from './row.ts';
import type { Session } from './session.ts';

/** So many keys are looked at in one sweep; the next goes on from there. */
const KEYS_MAX = 1_000;

export interface Due {
  readonly opened: number;
  readonly waiting: Job[];
  /** Of what was opened. */
  readonly types: readonly string[];
  /** When the next is due, as far as is known now. */
  readonly nextAt: Instant | null;
}

/** Opens what is claimed where it stands, and names what the engine has to requeue. */
export async function letDueIn(session: Session, limit: number): Promise<Due> {
  const { database, names } = session;
  const values = [limit, session.now()];
  const [row] = await database.verb<{ opened: number; types: string; next: number | null }>(
    'open_due',
    values,
  );
  const [parked] = await database.verb<{ next: string | null }>('admit_from', [
    session.parkedAfter,
    KEYS_MAX,
    session.now(),
  ]);
  session.parkedAfter = parked!.next;
  const waiting = await toJobs(await database.ask<JobRow>('to_requeue', values), names);
  const types = row!.types.slice(1, -1);
  return {
    opened: row!.opened,
    waiting,
    types: types === '' ? [] : types.split(',').map((type) => type.replaceAll('"', '')),
    nextAt: row!.next,
  };
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
