import { workerActor } from '../../core/actor.ts';
import { HEARTBEATS_MISSED_MAX } from '../../core/lease.ts';
import type { CancelMode } from '../../core/job.ts';
import type { NoteDraft, Renewal, RenewOutcome } from '../renew.ts';
import { bytesToFind, cancelOfRow, type Row } from './row.ts';
import type { Work } from './work.ts';

interface OwnedRow extends Row {
  seq: number;
  policy: number;
  state: string;
  phase: number;
  epoch: number;
  version: number;
  attempts: number;
  retry_count: number;
  progress: number;
  notes: number;
  stage: string | null;
  message: string | null;
  lease_until: number;
  lease_limit: number | null;
  cancel_mode: CancelMode | null;
  cancel_reason: string | null;
}

const FIND_OWNED = `SELECT seq, policy, state, phase, epoch, version, attempts, retry_count,
    progress, notes, stage, message, lease_until, lease_limit, cancel_mode, cancel_reason
  FROM jobs WHERE tenant_id = ? AND id = ? AND epoch = ? AND lease_owner = ? AND lease_expiry > ?`;

const RENEW = `UPDATE jobs SET lease_expiry = ?, lease_until = ?, progress = ?, stage = ?,
    message = ?, notes = ?, updated_at = ? WHERE seq = ?`;

const KEEP_CHECKPOINT = 'UPDATE jobs SET checkpoint = ? WHERE seq = ?';
const KEEP_STAGE = 'REPLACE INTO stages (job_seq, name, result, at) VALUES (?, ?, ?, ?)';

/** An owner's signs of life, one after the other. */
export function renewLeases(work: Work, renewals: readonly Renewal[]): RenewOutcome[] {
  return renewals.map((renewal) => renewOne(work, renewal));
}

function renewOne(work: Work, renewal: Renewal): RenewOutcome {
  const { connection, registry, now } = work;
  const row = findOwned(work, renewal);
  if (row === undefined) return { kind: 'lost' };
  const { lease } = registry.policy(row.policy);
  const isMoved = now >= row.lease_until - lease.ttlMs / 2;
  const leaseUntil = isMoved ? now + lease.ttlMs : row.lease_until;
  const beat = now + HEARTBEATS_MISSED_MAX * lease.heartbeatMs;
  const leaseExpiry = Math.min(leaseUntil, beat, row.lease_limit ?? Infinity);
  row.progress = Math.max(row.progress, renewal.progress ?? 0);
  if (renewal.stage !== undefined) row.stage = renewal.stage;
  if (renewal.message !== undefined) row.message = renewal.message;
  const sign = isMoved ? ('job_lease_renewed' as const) : ('job_heartbeat' as const);
  const drafts = [{ type: sign, message: null, payload: null }, ...(renewal.notes ?? [])];
  connection
    .sql(RENEW)
    .run(
      leaseExpiry,
      leaseUntil,
      row.progress,
      row.stage,
      row.message,
      row.notes + drafts.length,
      now,
      row.seq,
    );
  writeNotes(work, row, { actor: workerActor(renewal.owner), drafts });
  keepWork(work, row.seq, renewal);
  const { progress } = row;
  return { kind: 'renewed', at: now, leaseExpiry, progress, cancel: cancelOfRow(row) };
}

function findOwned({ connection, registry, now }: Work, renewal: Renewal): OwnedRow | undefined {
  const tenantId = registry.findTenant(renewal.tenant);
  const id = bytesToFind(renewal.id);
  if (tenantId === null || id === null) return undefined;
  const row = connection.sql(FIND_OWNED).get(tenantId, id, renewal.epoch, renewal.owner, now);
  return row as OwnedRow | undefined;
}

function writeNotes(
  { log, now }: Work,
  row: OwnedRow,
  { actor, drafts }: { actor: string; drafts: readonly NoteDraft[] },
): void {
  drafts.forEach(({ type, message, payload }, index) => {
    const standing = message === null ? row : { ...row, message };
    const fact = { type, at: now, from: row.state, actor, cause: null, payload };
    log.note(standing, row.notes + 1 + index, fact);
  });
}

function keepWork({ connection, now }: Work, seq: number, renewal: Renewal): void {
  const { checkpoint, stageResult } = renewal;
  if (checkpoint !== undefined) connection.sql(KEEP_CHECKPOINT).run(checkpoint, seq);
  if (stageResult !== undefined) {
    connection.sql(KEEP_STAGE).run(seq, stageResult.name, stageResult.result, now);
  }
}
