import type { InsertJobs, InsertOptions, InsertOutcome, NewJob } from '../insert.ts';
import { rowsIn, type SqlTransaction } from '../transaction.ts';
import { claimableOf, limitsOf, type OutcomeRow, outcomesOf, wireOf } from './insert.ts';
import { lockWaitMs, type Session } from './session.ts';
import { inSchema } from './sql-text.ts';
import { readIncarnation } from './tail.ts';

const INSERT = 'SELECT pawl.insert_text_v1($1) AS outcomes';

interface TextOptions {
  readonly isWhole: boolean;
  /** Jobs with a limit's key, to be let in at once; null leaves them to the next sweep. */
  readonly limits: readonly string[] | null;
  readonly log: string | null;
  readonly words: readonly [channel: string, news: string];
}

function textOf(session: Session, jobs: readonly NewJob[], options: TextOptions): string {
  const { isWhole, limits, log, words } = options;
  const [channel, news] = claimableOf(jobs).length === 0 ? [null, null] : words;
  return JSON.stringify({
    jobs: jobs.map((job, ord) => wireOf(session, job, ord)),
    limits,
    waitMs: lockWaitMs(true),
    now: session.now(),
    isWhole,
    log,
    channel,
    news,
  });
}

function outcomesIn(jobs: readonly NewJob[], text: string): InsertOutcome[] {
  return outcomesOf(jobs, JSON.parse(text) as OutcomeRow[]);
}

/** All of the jobs or none, as one statement. */
export async function insertWhole(
  session: Session,
  jobs: readonly NewJob[],
): Promise<InsertOutcome[]> {
  if (jobs.length === 0) return [];
  const words = session.bell.words(claimableOf(jobs));
  const limits = limitsOf(session, jobs);
  const text = textOf(session, jobs, { isWhole: true, limits, log: null, words });
  const [row] = await session.withDays(() =>
    session.database.write<{ outcomes: string }>(INSERT, [text]),
  );
  return outcomesIn(jobs, row!.outcomes);
}

/**
 * Inside a transaction of the caller: it decides, so nothing is tried and given up. Jobs with a
 * limit's key stay parked until the next sweep, since the caller may keep the key for long. Others
 * hear of the jobs when the transaction is over, and only if it is. What goes wrong is thrown as
 * the caller's driver said it.
 */
export function insertWithin(session: Session, transaction: SqlTransaction): InsertJobs {
  return async (jobs, { isWhole = false }: InsertOptions = {}) => {
    if (jobs.length === 0) return [];
    await session.names.prepare(jobs);
    await session.ensureToday();
    const words = session.bell.words(claimableOf(jobs), { isHeardHere: true });
    const log = await readIncarnation(session);
    const text = textOf(session, jobs, { isWhole, limits: null, log, words });
    const sql = inSchema(INSERT, session.database.schema);
    const [row] = rowsIn(await transaction.query(sql, [text]));
    return outcomesIn(jobs, String(row!['outcomes']));
  };
}
