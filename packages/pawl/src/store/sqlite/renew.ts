import { workerActor } from '../../core/actor.ts';
import { HEARTBEATS_MISSED_MAX } from '../../core/lease.ts';
import type { NoteDraft, Renewal, RenewOutcome } from '../renew.ts';
import { findKeys, hasToken } from './find.ts';
import { textOf } from './log.ts';
import { cancelOf, FLAG, type LiveRow } from './row.ts';
import type { Work } from './work.ts';

/** What lies beside the row and is told by notes. */
interface Beside {
  readonly stage: string | null;
  readonly message: string | null;
  readonly cancelReason: string | null;
}

/** An owner's signs of life, one after the other. */
export function renewLeases(work: Work, renewals: readonly Renewal[]): RenewOutcome[] {
  const keys = findKeys(work, renewals, hasToken);
  return renewals.map((renewal, index) => renewOne(work, renewal, keys[index]!));
}

function renewOne(work: Work, renewal: Renewal, key: number | null): RenewOutcome {
  const { connection, names, now } = work;
  const row = key === null ? undefined : findOwned(work, renewal, key);
  if (row === undefined) return { kind: 'lost' };
  const { lease } = names.policy(row.policy);
  const isMoved = now >= row.lease_end! - lease.ttlMs / 2;
  const leaseEnd = isMoved ? now + lease.ttlMs : row.lease_end!;
  const beat = now + HEARTBEATS_MISSED_MAX * lease.heartbeatMs;
  const leaseExpiry = Math.min(leaseEnd, beat, row.lease_limit ?? Infinity);
  row.progress = Math.max(row.progress, renewal.progress ?? 0);
  const beside = keepWork(work, row, renewal);
  const sign = isMoved ? ('job_lease_renewed' as const) : ('job_heartbeat' as const);
  const drafts = [{ type: sign, message: null, payload: null }, ...(renewal.notes ?? [])];
  const notes = row.notes + drafts.length;
  const values = [leaseExpiry, leaseEnd, row.progress, notes, row.flags, now];
  connection.sql('renew').run(row.key, ...values);
  writeNotes(work, row, { actor: workerActor(renewal.owner), drafts, beside });
  const { progress } = row;
  const cancel = cancelOf(row.cancel_mode, beside.cancelReason);
  return { kind: 'renewed', at: now, leaseExpiry, progress, cancel };
}

function findOwned(
  { connection, names, now }: Work,
  { owner, epoch, token }: Renewal,
  key: number,
): LiveRow | undefined {
  const row = connection.sql('owned_job').get(key, epoch, names.findOwner(owner), now);
  if (row === undefined || (token ?? String(row['token'])) !== String(row['token']))
    return undefined;
  return row as LiveRow;
}

function keepWork({ connection, now }: Work, row: LiveRow, renewal: Renewal): Beside {
  const { checkpoint, stageResult } = renewal;
  const stored = row.flags & FLAG.details ? connection.sql('details').get(row.key)! : {};
  const { stage = (stored['stage'] ?? null) as string | null } = renewal;
  const { message = (stored['message'] ?? null) as string | null } = renewal;
  const says = renewal.stage !== undefined || renewal.message !== undefined;
  if (says || checkpoint !== undefined) {
    connection.sql('report').run(row.key, stage, message, checkpoint ?? null);
    row.flags |= FLAG.details;
  }
  if (stageResult !== undefined) {
    connection.sql('put_stage').run(row.key, stageResult.name, stageResult.result, now);
    row.flags |= FLAG.stages;
  }
  return { stage, message, cancelReason: (stored['cancel_reason'] ?? null) as string | null };
}

function writeNotes(
  { log, now }: Work,
  row: LiveRow,
  { actor, drafts, beside }: { actor: string; drafts: readonly NoteDraft[]; beside: Beside },
): void {
  drafts.forEach(({ type, message, payload }, index) => {
    const note = { type, at: now, actor, note: row.notes + 1 + index, payload: textOf(payload) };
    log.note({ ...row, ...note, stage: beside.stage, message: message ?? beside.message });
  });
}
