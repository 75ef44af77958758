import { workerActor } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import { HEARTBEATS_MISSED_MAX } from '../../core/lease.ts';
import type { Renewal, RenewOutcome } from '../renew.ts';
import {
  deepFreeze,
  eventOf,
  jsonText,
  keyOf,
  type Row,
  type Tables,
  throughJson,
} from './tables.ts';

/** An owner's signs of life, one after the other. */
export function renewLeases(tables: Tables, renewals: readonly Renewal[]): RenewOutcome[] {
  return renewals.map((renewal) => renewOne(tables, renewal));
}

function renewOne(tables: Tables, renewal: Renewal): RenewOutcome {
  const now = tables.clock.now();
  const before = tables.rowOf(renewal);
  if (before === undefined || !isOwner(before, renewal, now)) return { kind: 'lost' };
  const { lease } = tables.policyOf(before.job.policy);
  const isMoved = now >= before.leaseEnd! - lease.ttlMs / 2;
  const leaseEnd = isMoved ? now + lease.ttlMs : before.leaseEnd!;
  const beat = now + HEARTBEATS_MISSED_MAX * lease.heartbeatMs;
  const leaseExpiry = Math.min(leaseEnd, beat, before.leaseLimit ?? Infinity);
  const { job } = before;
  const after = tables.change(before, {
    ...before,
    leaseEnd,
    notes: before.notes + 1 + (renewal.notes?.length ?? 0),
    job: {
      ...job,
      leaseExpiry,
      stage: renewal.stage === undefined ? job.stage : renewal.stage,
      progress: Math.max(job.progress, renewal.progress ?? 0),
      message: renewal.message === undefined ? job.message : renewal.message,
      checkpoint: renewal.checkpoint === undefined ? job.checkpoint : jsonText(renewal.checkpoint),
      updatedAt: now,
    },
  });
  writeNotes(tables, renewal, { before, after, isMoved });
  keepStageResult(tables, renewal, now);
  const { progress, cancel } = after.job;
  return { kind: 'renewed', at: now, leaseExpiry, progress, cancel };
}

function isOwner({ job, token }: Row, renewal: Renewal, now: Instant): boolean {
  return (
    job.owner === renewal.owner &&
    job.epoch === renewal.epoch &&
    (renewal.token ?? token) === token &&
    now < job.leaseExpiry!
  );
}

function writeNotes(
  tables: Tables,
  renewal: Renewal,
  { before, after, isMoved }: { before: Row; after: Row; isMoved: boolean },
): void {
  const sign = isMoved ? ('job_lease_renewed' as const) : ('job_heartbeat' as const);
  const drafts = [{ type: sign, message: null, payload: null }, ...(renewal.notes ?? [])];
  drafts.forEach((draft, index) => {
    tables.log.append(
      eventOf(after.job, {
        note: before.notes + 1 + index,
        type: draft.type,
        at: after.job.updatedAt,
        from: after.job.state,
        message: draft.message ?? after.job.message,
        actor: workerActor(renewal.owner),
        payload: throughJson(draft.payload),
      }),
    );
  });
}

function keepStageResult(tables: Tables, renewal: Renewal, at: Instant): void {
  if (renewal.stageResult === undefined) return;
  const { name, result } = renewal.stageResult;
  const key = keyOf(renewal.tenant, renewal.id);
  const kept = { name, result: jsonText(result), at };
  const others = (tables.stages.get(key) ?? []).filter((one) => one.name !== name);
  tables.stages.set(key, deepFreeze([...others, kept]));
}
