import type { InsertJobs, InsertOptions, InsertOutcome, NewJob } from '../insert.ts';
import { rowsIn, type SqlTransaction } from '../transaction.ts';
import { claimableOf, gateKeysOf, itemOf, type OutcomeRow, outcomesOf } from './insert.ts';
import { insertFree } from './insert-free.ts';
import { lockWaitMs, type Session } from './session.ts';
import { readIncarnation } from './tail.ts';

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

/** The log that a store writes to: asked for once, as the caller may hold what an answer needs. */
const logs: WeakMap<Session, Promise<string>> = new WeakMap();

function logOf(session: Session): Promise<string> {
  const known = logs.get(session);
  if (known !== undefined) return known;
  const log = readIncarnation(session);
  logs.set(session, log);
  log.catch(() => logs.delete(session));
  return log;
}

/**
 * Inside a transaction of the caller, by any driver: one text goes in and one comes back. Jobs with
 * a limit's key stay parked until the next sweep, since the caller may keep the key for long, and
 * the entries of the log are written when the transaction commits. What goes wrong is thrown as the
 * caller's driver said it.
 */
export function insertWithin(session: Session, transaction: SqlTransaction): InsertJobs {
  return async (jobs, { isWhole = false }: InsertOptions = {}) => {
    if (jobs.length === 0) return [];
    await session.names.prepare(jobs);
    const words = session.wakeSignal.words(claimableOf(jobs), { isHeardHere: true });
    const log = await logOf(session);
    const text = textOf(session, jobs, { isWhole, isLate: true, log, words });
    const answer = await transaction.query(sqlOf(session), [text]).catch((error: unknown) => {
      // After a restore under a running process it is another one.
      logs.delete(session);
      throw error;
    });
    const [row] = rowsIn(answer);
    return outcomesOf(jobs, JSON.parse(String(row!['outcomes'])) as OutcomeRow[]);
  };
}
