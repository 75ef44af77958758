import type { JobRef } from '../../core/job.ts';
import { isTerminal, phaseOfRank } from '../../core/phase.ts';
import { type EraseOutcome, erasedErrorText, erasedPayloadText } from '../retention.ts';
import { planWrite } from '../record-write.ts';
import type { RecordOp } from '../records.ts';
import { ANNOTATE_ENDED } from './apply.ts';
import type { Connection } from './connection.ts';
import type { Standing } from './event-log.ts';
import { seqOf } from './query.ts';
import { saveRecords, writeContext } from './records.ts';
import type { Work } from './work.ts';

const JOB = `SELECT seq, id, tenant_id, state, phase, epoch, version, attempts, retry_count,
  progress, stage, message, error FROM jobs WHERE seq = ?`;

const ERASE = `UPDATE jobs SET input = 'null', result = NULL, checkpoint = NULL, message = NULL,
  metadata = NULL, error = ? WHERE seq = ?`;

const IS_ERASED = `SELECT 1 FROM events WHERE job_seq = ? AND type = 'job_erased'`;

/** Takes away what a job said, wherever it was written down. */
export function eraseJob(
  work: Work,
  ref: JobRef,
  actor: string,
  ops: readonly RecordOp[] = [],
): EraseOutcome {
  const { connection, log, now } = work;
  const seq = seqOf(work, ref);
  if (seq === null) return 'missing';
  const row = connection.sql(JOB).get(seq)!;
  const error = row['error'] as string | null;
  const job = { ...row, message: null } as unknown as Standing;
  if (!isTerminal(phaseOfRank(job.phase))) return 'notEnded';
  const plan = planWrite(ops, writeContext(work));
  if (plan.kind === 'refused') return 'stale';
  saveRecords(work, plan.changes);
  connection.sql(ERASE).run(error && erasedErrorText(error), seq);
  connection.sql('DELETE FROM stages WHERE job_seq = ?').run(seq);
  connection.sql('UPDATE notes SET message = NULL, payload = NULL WHERE job_seq = ?').run(seq);
  eraseEvents(connection, seq);
  if (connection.sql(IS_ERASED).get(seq) !== undefined) return 'erased';
  const after = { ...job, version: job.version + 1 };
  const fact = { type: 'job_erased', at: now, from: job.state, actor } as const;
  log.event(after, { ...fact, cause: null, payload: null });
  connection.sql(ANNOTATE_ENDED).run(after.version, now, seq);
  return 'erased';
}

function eraseEvents(connection: Connection, seq: number): void {
  const rows = connection.sql('SELECT version, payload FROM events WHERE job_seq = ?').all(seq);
  const write = connection.sql(
    'UPDATE events SET message = NULL, payload = ? WHERE job_seq = ? AND version = ?',
  );
  for (const { version, payload } of rows) {
    const text = payload as string | null;
    write.run(text && erasedPayloadText(text), seq, version!);
  }
}
