import {
  type InsertOutcome,
  type InsertWithOptions,
  type InsertWithOutcome,
  isRefusal,
  type NewJob,
} from '../insert.ts';
import { changesAfterInsert, planWrite } from '../record-write.ts';
import { StoreError } from '../store-error.ts';
import { isUniqueViolation } from './failure.ts';
import { claimableOf, insertCall, type OutcomeRow, outcomesOf } from './insert.ts';
import { lockRecords, saveRecords, transactRecords } from './records.ts';
import type { Session } from './session.ts';

type Inserted = Extract<InsertWithOutcome, { kind: 'inserted' }>;

/** Takes the transaction back: a job is refused, and they are to be written as a whole. */
class WholeRefused extends StoreError {
  readonly answer: Inserted;

  constructor(answer: Inserted) {
    super('unchanged', 'a job of this call is refused');
    this.answer = answer;
  }
}

/** New jobs and records in one transaction. */
export async function insertWith(
  session: Session,
  jobs: readonly NewJob[],
  options: InsertWithOptions,
): Promise<InsertWithOutcome> {
  await session.names.prepare(jobs);
  try {
    const answer = await insertBoth(session, jobs, { ...options, hasSets: true }).catch((error) => {
      if (!isUniqueViolation(error)) throw error;
      // Somebody has taken an id of a set: one after the other it is known which.
      return insertBoth(session, jobs, { ...options, hasSets: false });
    });
    if (answer.kind === 'inserted') session.wakeSignal.wake(claimableOf(jobs));
    return answer;
  } catch (error) {
    if (error instanceof WholeRefused) return error.answer;
    throw error;
  }
}

function insertBoth(
  session: Session,
  jobs: readonly NewJob[],
  { with: ops, isWhole = false, hasSets }: InsertWithOptions & { hasSets: boolean },
): Promise<InsertWithOutcome> {
  return transactRecords(session, async (query): Promise<InsertWithOutcome> => {
    // Records first: a concurrent caller waits for their locks and then finds them changed.
    const context = await lockRecords(session, query, ops);
    const plan = planWrite(ops, context);
    if (plan.kind === 'refused') return plan;
    let outcomes: InsertOutcome[] = [];
    if (jobs.length > 0) {
      const { sql, values } = insertCall(session, jobs, { now: context.at, hasSets });
      outcomes = outcomesOf(jobs, await query<OutcomeRow>(sql, values));
    }
    const answer: Inserted = { kind: 'inserted', at: context.at, outcomes };
    if (isWhole && outcomes.some(isRefusal)) throw new WholeRefused(answer);
    await saveRecords(session, query, changesAfterInsert(ops, outcomes, context));
    return answer;
  });
}
