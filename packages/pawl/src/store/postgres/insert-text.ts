import type { InsertJobs, InsertOptions, InsertOutcome, NewJob } from '../insert.ts';
import { rowsIn, type SqlTransaction } from '../transaction.ts';
import { claimableOf, gateKeysOf, itemOf, type OutcomeRow, outcomesOf } from './insert.ts';
import { insertFree } from './insert-free.ts';
import { lockWaitMs, type Session } from './session.ts';
import type { Sessions } from './sessions.ts';

interface TextOptions {
  readonly isWhole: boolean;
  readonly isLate: boolean;
  readonly log: string | null;
  readonly words: readonly [channel: string, news: string];
}

function textOf(session: Session, jobs: readonly NewJob[], options: TextOptions): string {
  const { isWhole, isLate, log, words } = options;
  const [channel, news] = claimableOf(jobs).length === 0 ? [null, null] : words;
  const all = jobs.map((job, ord) => ({ job, ord }));
  return JSON.stringify({
    jobs: all.map((one) => itemOf(session, one)),
    keys: isLate ? null : gateKeysOf(session, all),
    waitMs: lockWaitMs(true),
    now: session.now(),
    isWhole,
    isLate,
    log,
    channel,
    news,
  });
}

function sqlOf({ database }: Session): string {
  return `SELECT ${database.verbs}.insert_text($1) AS outcomes`;
}

/** All of the jobs or none, as one statement. */
export async function insertWhole(
  session: Session,
  jobs: readonly NewJob[],
): Promise<InsertOutcome[]> {
  if (jobs.length === 0) return [];
  const free = jobs.length === 1 ? null : await insertFree(session, jobs);
  if (free !== null) {
    session.wakeSignal.wake(claimableOf(jobs));
    return free;
  }
  const words = session.wakeSignal.words(claimableOf(jobs));
  const text = textOf(session, jobs, { isWhole: true, isLate: false, log: null, words });
  const [row] = await session.database.write<{ outcomes: string }>(sqlOf(session), [text]);
  return outcomesOf(jobs, JSON.parse(row!.outcomes) as OutcomeRow[]);
}

/**
 * Inside a transaction of the caller, by any driver: one text goes in and one comes back. Jobs with
 * a limit's key stay parked until the next sweep, since the caller may keep the key for long, and
 * the entries of the log are written when the transaction commits. What goes wrong is thrown as the
 * caller's driver said it.
 */
export function insertWithin(sessions: Sessions, transaction: SqlTransaction): InsertJobs {
  return async (jobs, { isWhole = false }: InsertOptions = {}) => {
    if (jobs.length === 0) return [];
    const session = await sessions.with(async (one) => {
      await one.names.prepare(jobs);
      return one;
    });
    const words = session.wakeSignal.words(claimableOf(jobs), { isHeardHere: true });
    const { log } = session.database;
    const text = textOf(session, jobs, { isWhole, isLate: true, log, words });
    const answer = await transaction.query(sqlOf(session), [text]).catch((error: unknown) => {
      // It may be another log by now, which whoever begins the transaction again must not find out.
      sessions.renew(session).catch(() => undefined);
      throw error;
    });
    const [row] = rowsIn(answer);
    return outcomesOf(jobs, JSON.parse(String(row!['outcomes'])) as OutcomeRow[]);
  };
}
