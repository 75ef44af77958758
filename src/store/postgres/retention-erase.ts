import { isUuid } from '../../core/uuid.ts';
import type { JobRef, JsonText } from '../../core/job.ts';
import { isTerminal, phaseOfRank } from '../../core/phase.ts';
import { type EraseOutcome, erasedErrorText, erasedPayloadText } from '../retention.ts';
import { planWrite } from '../record-write.ts';
import type { RecordOp } from '../records.ts';
import type { Query } from './pool.ts';
import { lockRecords, saveRecords, transactRecords } from './records.ts';
import type { Session } from './session.ts';
import { EVENT_COLUMNS, NOW } from './sql-text.ts';

interface Found {
  readonly phase: number;
  readonly born: string;
  readonly error: JsonText | null;
}

/** Takes away what a job said, wherever it was written down, in one transaction. */
export async function eraseJob(
  session: Session,
  { tenant, id }: JobRef,
  { actor, ops }: { actor: string; ops: readonly RecordOp[] },
): Promise<EraseOutcome> {
  const [tenantId] = await session.names.findTenants([tenant]);
  if (typeof tenantId !== 'number' || !isUuid(id)) return 'missing';
  const key = [tenantId, id];
  return transactRecords(session, async (query) => {
    const plan = planWrite(ops, await lockRecords(session, query, ops));
    const [job] = await query<Found>(
      `SELECT phase, born::text, error FROM pawl.jobs WHERE tenant_id = $1 AND id = $2 FOR UPDATE`,
      key,
    );
    if (job === undefined) return 'missing';
    if (!isTerminal(phaseOfRank(job.phase))) return 'notEnded';
    if (plan.kind === 'refused') return 'stale';
    await saveRecords(query, plan.changes);
    await query(ERASE, [...key, job.error && erasedErrorText(job.error)]);
    await query(STAGES, key);
    await query(NOTES, key);
    const isFirst = await eraseEvents(query, key, job.born);
    if (isFirst) await query(ANNOTATE, [...key, session.now(), actor]);
    return 'erased';
  });
}

const ERASE = `UPDATE pawl.jobs SET input = 'null', result = NULL, checkpoint = NULL,
  message = NULL, metadata = NULL, has_stages = false, error = $3::json
  WHERE tenant_id = $1 AND id = $2`;
const STAGES = 'DELETE FROM pawl.stage_results WHERE tenant_id = $1 AND job_id = $2';
const NOTES = `UPDATE pawl.notes SET message = NULL, payload = NULL
  WHERE tenant_id = $1 AND job_id = $2`;

const ANNOTATE = `WITH t AS (SELECT ${NOW.replace('p_now', '$3')} AS now),
  u AS (
    UPDATE pawl.jobs j SET version = j.version + 1, notes = 0, updated_at = t.now FROM t
    WHERE j.tenant_id = $1 AND j.id = $2 RETURNING j.*, t.now),
  e AS (
    INSERT INTO pawl.events (${EVENT_COLUMNS})
    SELECT tenant_id, id, version, born, now, 'job_erased', state, state, phase, epoch, attempts,
      retry_count, progress, stage, NULL, $4, NULL, NULL FROM u)
  INSERT INTO pawl.feed (ts, tenants, jobs, versions)
  SELECT now, ARRAY[tenant_id], ARRAY[id], ARRAY[version] FROM u`;

/** True if the job was not erased before. */
async function eraseEvents(query: Query, key: readonly unknown[], born: string): Promise<boolean> {
  const rows = await query<{ version: number; type: string; payload: JsonText | null }>(
    `SELECT version, type, payload FROM pawl.events
     WHERE tenant_id = $1 AND job_id = $2 AND born = $3::date`,
    [...key, born],
  );
  await query(
    `UPDATE pawl.events e SET message = NULL, payload = x.payload::json
     FROM unnest($4::int[], $5::text[]) AS x(version, payload)
     WHERE e.tenant_id = $1 AND e.job_id = $2 AND e.born = $3::date AND e.version = x.version`,
    [
      ...key,
      born,
      rows.map(({ version }) => version),
      rows.map(({ payload }) => payload && erasedPayloadText(payload)),
    ],
  );
  return rows.every(({ type }) => type !== 'job_erased');
}
