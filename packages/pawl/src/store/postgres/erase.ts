import { isUuid } from '../../core/uuid.ts';
import type { Job, JobRef, JsonText } from '../../core/job.ts';
import { isTerminal, rankOf } from '../../core/phase.ts';
import { planWrite } from '../record-write.ts';
import type { RecordOp } from '../records.ts';
import { type EraseOutcome, erasedErrorText, erasedPayloadText } from '../retention.ts';
import { NO_SETS } from './apply.ts';
import type { Query } from './database.ts';
import { placeCode } from './dictionary.ts';
import { readJobs } from './read.ts';
import { kindCode } from './row.ts';
import { lockRecords, saveRecords, transactRecords } from './records.ts';
import type { Session } from './session.ts';

interface TextRow {
  readonly n: number;
  readonly kind: number;
  readonly payload: JsonText | null;
}

/** Takes away what an ended job said, wherever it was written down, in one transaction. */
export async function eraseJob(
  session: Session,
  ref: JobRef,
  { actor, ops }: { actor: string; ops: readonly RecordOp[] },
): Promise<EraseOutcome> {
  const { database, names } = session;
  const tenant = await session.tenantOf(ref.tenant);
  if (tenant === null || !isUuid(ref.id)) return 'missing';
  const [job] = await readJobs(session, [ref]);
  if (!job) return 'missing';
  if (!isTerminal(job.phase)) return 'notEnded';
  return transactRecords(session, async (query): Promise<EraseOutcome> => {
    const plan = planWrite(ops, await lockRecords(session, query, ops));
    if (plan.kind === 'refused') return 'stale';
    await saveRecords(session, query, plan.changes);
    const texts = await eraseTexts(session, query, {
      tenant,
      id: ref.id,
      error: job.error,
      isLeft: false,
    });
    if (texts.some(({ kind }) => kind === kindCode('job_erased'))) return 'erased';
    const lifecycle = names.lifecycle(job);
    const move = {
      ord: 0,
      tenant,
      id: ref.id,
      lifecycle: lifecycle.number,
      state: placeCode(lifecycle, job),
      phase: rankOf(job.phase),
      epoch: job.epoch,
      fence: 'version',
      version: job.version,
      actor,
      note: { kind: kindCode('job_erased'), keeps: true },
    };
    const values = [...NO_SETS, JSON.stringify([move]), 3_000, session.now()];
    await query(database.call('apply_moves', values.length), values);
    return 'erased';
  });
}

/** Answers with what the entries of the job said. */
async function eraseTexts(
  { database }: Session,
  query: Query,
  {
    tenant,
    id,
    error,
    isLeft,
  }: { tenant: number; id: string; error: Job['error']; isLeft: boolean },
): Promise<TextRow[]> {
  const texts = await query<TextRow>(database.call('texts_of', 2), [tenant, id]);
  await query(database.call('erase', 6), [
    tenant,
    id,
    error === null ? null : erasedErrorText(JSON.stringify(error)),
    texts.map(({ n }) => n),
    texts.map(({ payload }) => payload && erasedPayloadText(payload)),
    !isLeft,
  ]);
  return texts;
}

/** The same of a job whose tenant has moved to another database: nothing new is told of it here. */
export async function eraseLeft(session: Session, ref: JobRef): Promise<void> {
  const tenant = await session.tenantOf(ref.tenant);
  if (tenant === null || !isUuid(ref.id)) return;
  const [job] = await readJobs(session, [ref]);
  await session.database.transact((query) =>
    eraseTexts(session, query, { tenant, id: ref.id, error: job?.error ?? null, isLeft: true }),
  );
}
