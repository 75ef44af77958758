import type { SQLOutputValue } from 'node:sqlite';
import { rankOf } from '../../core/phase.ts';
import type { Move } from '../move.ts';
import type { KeyColumns } from './admission.ts';
import { bytesToFind } from './row.ts';
import type { Work } from './work.ts';

/** What is left to know of a job that its owner has ended well. */
export interface CompletedRow extends KeyColumns {
  readonly tenant_id: number;
  readonly type: string;
  readonly version: number;
}

const FIND_OWNED = `SELECT seq, tenant_id, type, version, attempts, retry_count, stage, message,
    limit_key, user_key, organisation_key
  FROM jobs WHERE tenant_id = ? AND id = ? AND state = ? AND phase = 3 AND epoch = ?
    AND lease_owner = ? AND lease_expiry > ? AND (? IS NULL OR ? = (cancel_mode IS NOT NULL))`;

/** Names no column that a success leaves as it is: their indexes are not looked at then. */
const COMPLETE = `UPDATE jobs SET state = ?, phase = 5, version = ?, notes = 0, progress = 100,
    lease_owner = NULL, lease_expiry = NULL, lease_until = NULL, claim_request = NULL,
    cancel_mode = NULL, cancel_reason = NULL, updated_at = ?, completed_at = ?, error = NULL,
    result = coalesce(?, result)
  WHERE seq = ?`;

/** The short way of a plain success; undefined where the job does not stand as the move says. */
export function completeOne(work: Work, move: Move): CompletedRow | undefined {
  const { connection, registry, log, now } = work;
  const { place, epoch, fence, actor } = move;
  const tenantId = registry.findTenant(move.tenant);
  const bytes = bytesToFind(move.id);
  if (tenantId === null || bytes === null || fence.kind !== 'owner') return undefined;
  const wished = move.isCancelWished === null ? null : Number(move.isCancelWished);
  const found = connection
    .lists(FIND_OWNED)
    .get(tenantId, bytes, place.state, epoch, fence.owner, now, wished, wished);
  if (found === undefined) return undefined;
  const row = ownedRowOf(found as unknown as SQLOutputValue[]);
  const { state, phase } = move.steps[0]!.to;
  const version = row.version + 1;
  connection.sql(COMPLETE).run(state, version, now, now, move.result ?? null, row.seq);
  const standing = { ...row, state, phase: rankOf(phase), epoch, version, progress: 100 };
  const fact = { type: 'job_succeeded', at: now, from: place.state, actor } as const;
  log.event(standing, { ...fact, cause: null, payload: null });
  return standing;
}

interface OwnedRow extends CompletedRow {
  readonly seq: number;
  readonly attempts: number;
  readonly retry_count: number;
  readonly stage: string | null;
  readonly message: string | null;
}

function ownedRowOf(values: readonly SQLOutputValue[]): OwnedRow {
  return {
    seq: values[0],
    tenant_id: values[1],
    type: values[2],
    version: values[3],
    attempts: values[4],
    retry_count: values[5],
    stage: values[6],
    message: values[7],
    limit_key: values[8],
    user_key: values[9],
    organisation_key: values[10],
  } as OwnedRow;
}
