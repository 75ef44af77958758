import type { InsertOutcome, InsertWithOutcome, NewJob } from '../insert.ts';
import { changesAfterInsert, planWrite } from '../record-write.ts';
import type { RecordOp } from '../records.ts';
import { claimableOf, insertCall, type OutcomeRow, outcomesOf } from './insert.ts';
import { lockRecords, saveRecords, transactRecords } from './records.ts';
import type { Session } from './session.ts';

/** New jobs and records in one transaction. */
export async function insertWith(
  session: Session,
  jobs: readonly NewJob[],
  ops: readonly RecordOp[],
): Promise<InsertWithOutcome> {
  await session.names.prepare(jobs);
  const answer = await transactRecords(session, async (query): Promise<InsertWithOutcome> => {
    // Records first: a concurrent caller waits for their locks and then finds them changed.
    const context = await lockRecords(session, query, ops);
    const plan = planWrite(ops, context);
    if (plan.kind === 'refused') return plan;
    let outcomes: InsertOutcome[] = [];
    if (jobs.length > 0) {
      const { sql, values } = insertCall(session, jobs, context.at);
      outcomes = outcomesOf(jobs, await query<OutcomeRow>(sql, values));
    }
    await saveRecords(session, query, changesAfterInsert(ops, outcomes, context));
    return { kind: 'inserted', at: context.at, outcomes };
  });
  if (answer.kind === 'inserted') session.wakeSignal.wake(claimableOf(jobs));
  return answer;
}
