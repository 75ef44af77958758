import type { Instant } from '../../core/clock.ts';
import type { Step } from '../../core/decision.ts';
import type { Job } from '../../core/job.ts';
import { samePlace } from '../../core/lifecycle.ts';
import { isOwned, isTerminal } from '../../core/phase.ts';
import { rankAtOf } from '../../core/rank.ts';
import { leavesItsLine } from '../leaving.ts';
import type { Annotation, Fence, Move, MoveOutcome } from '../move.ts';
import { planWrite } from '../record-write.ts';
import { admitKeys, gateStateOf, tokenKeysOf, touchedBy } from './admission.ts';
import { countTurn } from './control.ts';
import { saveRecords, writeContext } from './records.ts';
import { eventOf, jsonText, type Row, type Tables, throughJson } from './tables.ts';

/** Compare and set, one move after the other. */
export function applyMoves(tables: Tables, moves: readonly Move[]): MoveOutcome[] {
  const outcomes = moves.map((move) => applyOne(tables, move));
  const moved = moves.filter((_, index) => outcomes[index]!.kind === 'moved');
  const left = moved.filter(leavesItsLine).flatMap((move) => tokenKeysOf(tables, move));
  admitKeys(tables, [...touchedBy(tables, moved), ...left]);
  return outcomes;
}

function applyOne(tables: Tables, move: Move): MoveOutcome {
  const before = tables.rowOf(move);
  const now = tables.clock.now();
  if (before === undefined || !standsThere(before, move, now)) return { kind: 'missed' };
  const plan = planWrite(move.with ?? [], writeContext(tables));
  if (plan.kind === 'refused') return { kind: 'missed' };
  let row = before;
  for (const step of move.steps) row = takeStep(tables, row, { move, step, first: before.job });
  if (move.annotation !== null) row = annotate(tables, row, { move, annotation: move.annotation });
  row = storeOutcome(tables, row, move);
  saveRecords(tables, plan.changes);
  countTurn(tables, move, row.job.type);
  return { kind: 'moved', version: row.job.version, at: now };
}

function standsThere(row: Row, move: Move, now: Instant): boolean {
  const { job } = row;
  return (
    samePlace(job, move.place) &&
    job.epoch === move.epoch &&
    (move.isCancelWished === null || move.isCancelWished === (job.cancel !== null)) &&
    isFenceOpen(row, move.fence, now)
  );
}

function isFenceOpen({ job, token }: Row, fence: Fence, now: Instant): boolean {
  switch (fence.kind) {
    case 'owner':
      return (
        job.owner === fence.owner && (fence.token ?? token) === token && now < job.leaseExpiry!
      );
    case 'expired':
      return isOwned(job.phase) && now >= job.leaseExpiry!;
    case 'version':
      return job.version === fence.version;
  }
}

function takeStep(
  tables: Tables,
  row: Row,
  { move, step, first }: { move: Move; step: Step; first: Job },
): Row {
  const now = tables.clock.now();
  const { job } = row;
  const runAt = runAtAfter(job, step, now);
  const staysOwned = isOwned(step.to.phase);
  const after = tables.change(row, {
    ...row,
    rankAt: rankAfter(row, step, runAt),
    ...gateStateOf(row, step.to.phase === 'ready' && runAt <= now),
    leaseEnd: staysOwned ? row.leaseEnd : null,
    claimRequest: staysOwned ? row.claimRequest : null,
    token: staysOwned ? row.token : null,
    job: { ...job, ...jobAfter(job, step, now), runAt },
  });
  if (!step.quiet) {
    tables.log.append(
      eventOf(after.job, {
        type: step.event,
        at: now,
        from: job.state,
        actor: move.actor,
        cause: step.cause,
        payload: payloadOf(move, step, first),
      }),
    );
  }
  return after;
}

function jobAfter(job: Job, step: Step, now: Instant): Partial<Job> {
  const { to } = step;
  const isEnd = isTerminal(to.phase);
  const staysOwned = isOwned(to.phase);
  return {
    ...to,
    epoch: step.epoch,
    version: step.quiet ? job.version : job.version + 1,
    attempts: step.attempts,
    retryCount: step.retryCount,
    backoffMs: step.backoffMs ?? job.backoffMs,
    error: step.error === undefined ? job.error : throughJson(step.error),
    progress: to.phase === 'succeeded' ? 100 : job.progress,
    owner: staysOwned ? job.owner : null,
    leaseExpiry: staysOwned ? job.leaseExpiry : null,
    cancel: isEnd ? null : job.cancel,
    startedAt: to.phase === 'executing' ? (job.startedAt ?? now) : job.startedAt,
    completedAt: isEnd ? now : job.completedAt,
    updatedAt: now,
  };
}

function runAtAfter(job: Job, step: Step, now: Instant): Instant {
  if (step.to.phase !== 'ready' && step.to.phase !== 'waiting') return job.runAt;
  return job.phase === 'held' ? Math.max(now, job.runAt) : now + step.delayMs;
}

/** Who is requeued keeps the place that its wait gave it, if that is the better one. */
function rankAfter({ job, rankAt }: Row, step: Step, runAt: Instant): number {
  if (step.to.phase !== 'ready' && step.to.phase !== 'waiting') return rankAt;
  const rank = rankAtOf({ priority: job.priority, runAt });
  return job.phase === 'waiting' ? Math.min(rankAt, rank) : rank;
}

function payloadOf(move: Move, step: Step, first: Job): Readonly<Record<string, unknown>> | null {
  const payload = {
    ...(step.error === undefined || step.error === null ? {} : { error: step.error }),
    ...(step.delayMs === 0 ? {} : { delayMs: step.delayMs }),
    ...(move.fence.kind === 'expired'
      ? { owner: first.owner, leaseExpiry: first.leaseExpiry }
      : {}),
  };
  return Object.keys(payload).length === 0 ? null : throughJson(payload);
}

function annotate(
  tables: Tables,
  row: Row,
  { move, annotation }: { move: Move; annotation: Annotation },
): Row {
  const { job } = row;
  const now = tables.clock.now();
  const cancel = annotation.cancel === undefined ? job.cancel : annotation.cancel;
  const version = job.version + 1;
  const after = tables.change(row, {
    ...row,
    ...(annotation.wake === true ? wakeOf(tables, row) : {}),
    job: { ...job, ...runAtOf(row, annotation, now), version, cancel, updatedAt: now },
  });
  tables.log.append(
    eventOf(after.job, {
      type: annotation.event,
      at: now,
      from: job.state,
      actor: move.actor,
      cause: annotation.cause,
      payload: throughJson(annotation.payload),
    }),
  );
  return after;
}

/** Only who waits for its time is woken: others are in line already. */
function isAsleep({ job, isOpen, parkedAt }: Row): boolean {
  return (job.phase === 'ready' || job.phase === 'waiting') && !isOpen && parkedAt === null;
}

function runAtOf(row: Row, { wake }: Annotation, runAt: Instant): { runAt?: Instant } {
  return wake === true && isAsleep(row) ? { runAt } : {};
}

function wakeOf(tables: Tables, row: Row): Partial<Row> {
  if (!isAsleep(row)) return {};
  const { priority, createdAt } = row.job;
  const rankAt = rankAtOf({ priority, runAt: createdAt });
  const isClaimed = row.job.phase === 'ready' || tables.claimRowOf(row.job) !== undefined;
  return { rankAt, ...(isClaimed ? gateStateOf(row, true) : {}) };
}

function storeOutcome(tables: Tables, row: Row, move: Move): Row {
  if (move.result === undefined && move.checkpoint === undefined) return row;
  const result = move.result === undefined ? row.job.result : jsonText(move.result);
  const checkpoint = move.checkpoint === undefined ? row.job.checkpoint : jsonText(move.checkpoint);
  return tables.change(row, { ...row, job: { ...row.job, result, checkpoint } });
}
