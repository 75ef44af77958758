import type { InsertOutcome, NewJob } from '../insert.ts';
import { isMissingPartition, isUniqueViolation } from './failure.ts';
import {
  hasRepeats,
  insertSet,
  isFree,
  type OutcomeRow,
  outcomesOf,
  setsOf,
  wireOf,
} from './insert.ts';
import { readBounds } from './purge.ts';
import { lockWaitMs, type Session } from './session.ts';

/**
 * Writes jobs that nothing but a taken id can stand in the way of: as sets, in one statement,
 * which writes all of them or none. Null where they have to be looked at one by one.
 */
export async function insertFree(
  session: Session,
  jobs: readonly NewJob[],
): Promise<InsertOutcome[] | null> {
  if (hasRepeats(jobs) || !jobs.every((job) => isFree(session, job))) return null;
  const sets = setsOf(session, jobs);
  try {
    if (sets.length === 1) return await insertSet(session, sets[0]!, jobs);
    const ords = new Map(jobs.map((job, ord) => [job, ord]));
    const waitMs = lockWaitMs(true);
    const values = wireOf(session, { sets, rest: [], ords, isLate: false, waitMs });
    return outcomesOf(jobs, await session.database.verb<OutcomeRow>('insert_jobs', values));
  } catch (error) {
    if (isMissingPartition(error)) await readBounds(session);
    else if (!isUniqueViolation(error)) throw error;
    return null;
  }
}
