import { apiActor } from '../../core/actor.ts';
import { PawlError } from '../../core/errors.ts';
import type { Job } from '../../core/job.ts';
import type { HeldOperation, OperationRecord } from '../../records/operations.ts';
import type { EngineContext } from '../context.ts';
import type { FailureQuery } from '../failures.ts';
import { cancel } from '../operate.ts';
import { rerun } from '../rerun.ts';
import { madeId, subjectsOf } from './subjects.ts';

const OPERATIONS_MAX = 10;
const SLICE = 100;
/** Jobs move on while they are cancelled: so often is looked for those that were missed. */
const PASSES_MAX = 5;

/** One slice of every operation that is due; answers with the number of jobs concerned. */
export async function sweepOperations(context: EngineContext): Promise<number> {
  const { operations } = context.records;
  let total = 0;
  for (const held of await operations.take(context.ids.next(), OPERATIONS_MAX)) {
    total += await runSlice(context, held);
  }
  return total;
}

interface Slice {
  readonly after: OperationRecord;
  readonly made: readonly string[];
  /** How many jobs were changed: what the pace is about. */
  readonly changed: number;
}

async function runSlice(context: EngineContext, held: HeldOperation): Promise<number> {
  const { operation } = held;
  const slice =
    operation.state === 'undoing'
      ? await undoSlice(context, operation)
      : await doSlice(context, operation);
  const { after, made, changed } = slice;
  const { perSecond } = operation;
  const nextInMs = perSecond === null ? 0 : Math.round((changed * 1_000) / perSecond);
  // Refused where it was stopped or undone meanwhile: what is written next says what was made.
  if (!(await context.records.operations.advance(held, after, { made, nextInMs }))) {
    await keepMade(context, operation, slice);
  }
  return changed;
}

/** An operation that was stopped during its slice still has to know what that slice has done. */
async function keepMade(
  { records }: EngineContext,
  before: OperationRecord,
  { after, made }: Slice,
): Promise<void> {
  const { operations } = records;
  await operations.change(before, (found) => {
    // Another process is at it, finds what this one has made, and counts it.
    if (found.state === 'running') return null;
    return {
      ...found,
      done: found.done + after.done - before.done,
      failed: found.failed + after.failed - before.failed,
    };
  });
  await operations.addMade(before, made);
}

/** At a pace below one a slice there is one job a slice, and a longer wait after it. */
function sizeOf({ perSecond }: OperationRecord): number {
  return perSecond === null ? SLICE : Math.max(1, Math.min(SLICE, Math.floor(perSecond)));
}

async function doSlice(context: EngineContext, operation: OperationRecord): Promise<Slice> {
  const { tenant, action, createdAt, passes } = operation;
  const query = { ...(JSON.parse(operation.filter) as Omit<FailureQuery, 'tenant'>), tenant };
  const asked = { query, now: createdAt, cursor: operation.cursor, id: operation.id };
  let after = operation;
  let looked = 0;
  const made: string[] = [];
  const size = sizeOf(operation);
  const changedOf = (): number => after.done + after.failed - operation.done - operation.failed;
  for await (const subject of subjectsOf(context, action, asked)) {
    if (changedOf() >= size || looked >= 10 * SLICE) return { after, made, changed: changedOf() };
    looked += 1;
    const { job, cursor } = subject;
    if (subject.isDone) after = { ...after, cursor, skipped: after.skipped + Number(passes === 0) };
    else if (subject.made !== null) {
      made.push(subject.made);
      after = { ...after, cursor, done: after.done + 1 };
    } else after = await doOne(context, { operation: after, job, made, cursor });
  }
  // A whole pass that found nothing to do: there is nothing left.
  const isIdle = operation.cursor === null && changedOf() === 0;
  const isOver = action === 'rerun' || passes + 1 >= PASSES_MAX || isIdle;
  const next = { ...after, cursor: null, passes: passes + 1 };
  return { after: isOver ? { ...next, state: 'done' } : next, made, changed: changedOf() };
}

async function doOne(
  context: EngineContext,
  given: { operation: OperationRecord; job: Job; made: string[]; cursor: string },
): Promise<OperationRecord> {
  const { operation, job, made, cursor } = given;
  try {
    if (operation.action === 'rerun') made.push(await runAgain(context, operation, job));
    else await cancelOne(context, operation, job);
    return { ...operation, cursor, done: operation.done + 1 };
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    const lastError = `${job.id}: ${error.message}`;
    return { ...operation, cursor, failed: operation.failed + 1, lastError };
  }
}

async function runAgain(context: EngineContext, operation: OperationRecord, job: Job) {
  const { tenant, createdBy: principal } = operation;
  const caller = { tenant, principal };
  return (await rerun(context, { id: job.id, caller, newId: madeId(operation, job.id) })).job.id;
}

async function cancelOne(context: EngineContext, operation: OperationRecord, job: Job) {
  const { createdBy, reason } = operation;
  const ref = { tenant: job.tenant, id: job.id };
  const asked = { ref, actor: apiActor(createdBy), mode: 'soft', reason } as const;
  const [result] = await cancel(context, [asked]);
  if (result!.kind === 'refused') throw result!.error;
}

/** Cancels what nobody has begun, of the jobs that were made. */
async function undoSlice(context: EngineContext, operation: OperationRecord): Promise<Slice> {
  const { tenant, createdBy } = operation;
  const ids = await context.records.operations.made(operation, operation.cursor ?? '', SLICE);
  const results = await cancel(
    context,
    ids.map((id) => ({
      ref: { tenant, id },
      actor: apiActor(createdBy),
      mode: 'soft',
      reason: 'the operation that made it was undone',
      isForUnbegun: true,
    })),
  );
  const undone = results.filter((one) => one.kind === 'done').length;
  const after: OperationRecord = {
    ...operation,
    undone: operation.undone + undone,
    begun: operation.begun + results.length - undone,
    cursor: ids.at(-1) ?? operation.cursor,
    state: ids.length < SLICE ? 'undone' : 'undoing',
  };
  return { after, made: [], changed: results.length };
}
