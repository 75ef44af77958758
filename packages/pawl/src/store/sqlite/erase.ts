import type { JobRef } from '../../core/job.ts';
import { planWrite } from '../record-write.ts';
import type { RecordOp } from '../records.ts';
import { type EraseOutcome, erasedErrorText, erasedPayloadText } from '../retention.ts';
import { addAnnotation, endedOf } from './annotate.ts';
import { findKeys } from './find.ts';
import { kindCode } from './log.ts';
import { changing } from './purge.ts';
import { saveRecords, writeContext } from './records.ts';
import type { Work } from './work.ts';

/** Takes away what a job said, wherever it was written down. */
export function eraseJob(
  work: Work,
  ref: JobRef,
  actor: string,
  ops: readonly RecordOp[] = [],
): EraseOutcome {
  const [key] = findKeys(work, [ref]);
  if (key === undefined || key === null) return 'missing';
  work.names.checkStays(ref.tenant);
  const row = endedOf(work, key);
  if (row === null) return 'notEnded';
  const plan = planWrite(ops, writeContext(work));
  if (plan.kind === 'refused') return 'stale';
  saveRecords(work, plan.changes);
  changing(work, () => eraseTexts(work, key));
  const { connection } = work;
  if (connection.sql('is_erased').get(key, kindCode('job_erased')) === undefined) {
    addAnnotation(work, row, { type: 'job_erased', actor, cause: null, payload: null });
  }
  return 'erased';
}

/** The same of a job whose tenant has moved to another database: nothing new is told of it here. */
export function eraseLeft(work: Work, tenant: string, id: string): void {
  const [key] = findKeys(work, [{ tenant, id }]);
  if (key !== undefined && key !== null) changing(work, () => eraseTexts(work, key));
}

function eraseTexts({ connection }: Work, key: number): void {
  const error = (connection.sql('details').get(key)?.['error'] ?? null) as string | null;
  for (const name of ['facts', 'ended', 'stages', 'notes']) {
    connection.sql(`erase_${name}`).run(key);
  }
  connection.sql('erase_details').run(key, error && erasedErrorText(error));
  for (const { n, payload } of connection.sql('texts_of_job').all(key)) {
    const text = payload as string | null;
    connection.sql('erase_texts').run(key, n!, text && erasedPayloadText(text));
  }
}
