import type { Step } from '../../core/decision.ts';
import type { CancelMode } from '../../core/job.ts';
import { isOwned, isTerminal, rankOf, TERMINAL_RANK_MIN } from '../../core/phase.ts';
import { GATE, gateAfter } from '../gate.ts';
import { leavesItsLine } from '../leaving.ts';
import type { Annotation, Move, MoveOutcome } from '../move.ts';
import { planWrite } from '../record-write.ts';
import { gateKeysOf, type KeyColumns, TouchedKeys } from './admission.ts';
import { type CompletedRow, completeRun, sortOut } from './complete.ts';
import { TurnCounts } from './control.ts';
import { saveRecords, writeContext } from './records.ts';
import { bytesToFind } from './row.ts';
import type { Work } from './work.ts';

/** What a move reads and writes of a job: everything but its payloads. */
interface MovingRow extends KeyColumns {
  seq: number;
  tenant_id: number;
  type: string;
  lifecycle: number;
  state: string;
  phase: number;
  epoch: number;
  version: number;
  gate: number | null;
  run_at: number;
  attempts: number;
  retry_count: number;
  backoff_ms: number | null;
  progress: number;
  notes: number;
  stage: string | null;
  message: string | null;
  lease_owner: string | null;
  lease_expiry: number | null;
  lease_until: number | null;
  claim_request: string | null;
  cancel_mode: CancelMode | null;
  cancel_reason: string | null;
  started_at: number | null;
  completed_at: number | null;
}

const FIND = `SELECT seq, tenant_id, type, lifecycle, state, phase, epoch, version, gate, limit_key,
    user_key, organisation_key, run_at, attempts, retry_count, backoff_ms, progress, notes,
    stage, message, lease_owner, lease_expiry, lease_until, claim_request, cancel_mode,
    cancel_reason, started_at, completed_at
  FROM jobs WHERE tenant_id = ? AND id = ?`;

function stepSql(alsoSets: string): string {
  return `UPDATE jobs SET state = ?, phase = ?, epoch = ?, version = ?, gate = ?, run_at = ?,
    attempts = ?, retry_count = ?, backoff_ms = ?, progress = ?, notes = ?, lease_owner = ?,
    lease_expiry = ?, lease_until = ?, claim_request = ?, cancel_mode = ?, cancel_reason = ?,
    updated_at = ?, started_at = ?, completed_at = ?,
    error = CASE ? WHEN 1 THEN ? ELSE error END${alsoSets}
  WHERE seq = ?`;
}

const STEP = stepSql('');
const LAST_STEP = stepSql(', result = coalesce(?, result), checkpoint = coalesce(?, checkpoint)');

const ANNOTATE = `UPDATE jobs SET version = ?, notes = 0, cancel_mode = ?, cancel_reason = ?,
    updated_at = ?, result = coalesce(?, result), checkpoint = coalesce(?, checkpoint)
  WHERE seq = ?`;

/** Of a job that has ended: the guard wants its event first, and no other column named. */
export const ANNOTATE_ENDED = `UPDATE jobs SET version = ?, notes = 0, updated_at = ?
  WHERE seq = ?`;

type LastOwner = Pick<MovingRow, 'lease_owner' | 'lease_expiry'>;

/** Compare and set: as if one move came after the other. */
export function applyMoves(work: Work, moves: readonly Move[]): MoveOutcome[] {
  const after = { keys: new TouchedKeys(), counts: new TurnCounts() };
  const outcomes: MoveOutcome[] = moves.map(() => MISSED);
  const { runs, others } = sortOut(moves);
  const completed: (CompletedRow | undefined)[] = [];
  for (const run of runs) {
    for (const row of completeRun(work, moves, run)) completed[row.index] = row;
  }
  const isOther = new Set(others);
  // What happened is told in the order in which it was asked for, however it was done.
  for (const [index, move] of moves.entries()) {
    const row = completed[index];
    if (isOther.has(index)) outcomes[index] = walk(work, move, after);
    if (row === undefined) continue;
    work.log.tell(row);
    after.keys.add(row, null);
    after.counts.add(move, row);
    outcomes[index] = { kind: 'moved', version: row.version, at: work.now };
  }
  after.keys.admit(work);
  after.counts.write(work);
  return outcomes;
}

const MISSED: MoveOutcome = { kind: 'missed' };

/** What a call does once it has made its moves. */
interface After {
  /** Limits' keys of the jobs that were moved, which may have freed a slot or want one. */
  readonly keys: TouchedKeys;
  readonly counts: TurnCounts;
}

function walk(work: Work, move: Move, { keys, counts }: After): MoveOutcome {
  const row = find(work, move);
  if (row === undefined || !standsThere(row, move, work.now)) return MISSED;
  const plan = planWrite(move.with ?? [], writeContext(work));
  if (plan.kind === 'refused') return MISSED;
  const last: LastOwner = { lease_owner: row.lease_owner, lease_expiry: row.lease_expiry };
  for (const step of move.steps) takeStep(work, row, { move, step, last });
  if (move.annotation !== null) annotate(work, row, { move, annotation: move.annotation });
  saveRecords(work, plan.changes);
  keys.add(row, row.gate);
  if (leavesItsLine(move)) keys.touchTokens(row);
  counts.add(move, row);
  return { kind: 'moved', version: row.version, at: work.now };
}

function find({ connection, registry }: Work, { tenant, id }: Move): MovingRow | undefined {
  const tenantId = registry.findTenant(tenant);
  const bytes = bytesToFind(id);
  if (tenantId === null || bytes === null) return undefined;
  return connection.sql(FIND).get(tenantId, bytes) as MovingRow | undefined;
}

function standsThere(row: MovingRow, move: Move, now: number): boolean {
  const { place, epoch, isCancelWished } = move;
  return (
    row.state === place.state &&
    row.phase === rankOf(place.phase) &&
    row.epoch === epoch &&
    (isCancelWished === null || isCancelWished === (row.cancel_mode !== null)) &&
    isFenceOpen(row, move, now)
  );
}

function isFenceOpen(row: MovingRow, { fence, place }: Move, now: number): boolean {
  switch (fence.kind) {
    case 'owner':
      return row.lease_owner === fence.owner && now < row.lease_expiry!;
    case 'expired':
      return isOwned(place.phase) && now >= row.lease_expiry!;
    case 'version':
      return row.version === fence.version;
  }
}

function takeStep(
  work: Work,
  row: MovingRow,
  { move, step, last }: { move: Move; step: Step; last: LastOwner },
): void {
  const { state } = row;
  stand(work, row, step);
  const hasOutcome = move.result !== undefined || move.checkpoint !== undefined;
  const isLast = hasOutcome && step === move.steps.at(-1);
  work.connection
    .sql(isLast ? LAST_STEP : STEP)
    .run(
      row.state,
      row.phase,
      row.epoch,
      row.version,
      row.gate,
      row.run_at,
      row.attempts,
      row.retry_count,
      row.backoff_ms,
      row.progress,
      row.notes,
      row.lease_owner,
      row.lease_expiry,
      row.lease_until,
      row.claim_request,
      row.cancel_mode,
      row.cancel_reason,
      work.now,
      row.started_at,
      row.completed_at,
      step.error === undefined ? 0 : 1,
      step.error === undefined || step.error === null ? null : JSON.stringify(step.error),
      ...(isLast ? outcomeOf(move) : []),
      row.seq,
    );
  if (step.quiet) return;
  const { event: type, cause } = step;
  const payload = payloadOf(move, step, last);
  work.log.event(row, { type, at: work.now, from: state, actor: move.actor, cause, payload });
}

function outcomeOf({ result, checkpoint }: Move): [string | null, string | null] {
  return [result ?? null, checkpoint ?? null];
}

/** Brings the row in hand to where the step leads. */
function stand({ registry, now }: Work, row: MovingRow, step: Step): void {
  const { phase } = step.to;
  if (phase === 'ready' || phase === 'waiting') {
    const isBorn = row.phase === rankOf('held');
    row.run_at = isBorn ? Math.max(now, row.run_at) : now + step.delayMs;
  }
  row.state = step.to.state;
  row.phase = rankOf(phase);
  row.epoch = step.epoch;
  row.attempts = step.attempts;
  row.retry_count = step.retryCount;
  row.backoff_ms = step.backoffMs ?? row.backoff_ms;
  row.gate = null;
  if (phase === 'ready')
    row.gate = row.run_at <= now ? gateAfter(GATE.open, gateKeysOf(row)) : GATE.timed;
  if (phase === 'waiting') {
    row.gate =
      registry.claimRow(row.lifecycle, row.state, row.phase) === null ? GATE.requeued : GATE.timed;
  }
  if (!step.quiet) {
    row.version += 1;
    row.notes = 0;
  }
  if (phase === 'executing') row.started_at ??= now;
  if (phase === 'succeeded') row.progress = 100;
  if (isTerminal(phase)) {
    row.completed_at = now;
    row.cancel_mode = null;
    row.cancel_reason = null;
  }
  if (!isOwned(phase)) {
    row.lease_owner = null;
    row.lease_expiry = null;
    row.lease_until = null;
    row.claim_request = null;
  }
}

function payloadOf(
  { fence }: Move,
  { error, delayMs }: Step,
  last: LastOwner,
): Readonly<Record<string, unknown>> | null {
  const payload = {
    ...(error === undefined || error === null ? {} : { error }),
    ...(delayMs === 0 ? {} : { delayMs }),
    ...(fence.kind === 'expired'
      ? { owner: last.lease_owner, leaseExpiry: last.lease_expiry }
      : {}),
  };
  return Object.keys(payload).length === 0 ? null : payload;
}

function annotate(
  { connection, log, now }: Work,
  row: MovingRow,
  { move, annotation }: { move: Move; annotation: Annotation },
): void {
  if (annotation.cancel !== undefined) {
    row.cancel_mode = annotation.cancel?.mode ?? null;
    row.cancel_reason = annotation.cancel?.reason ?? null;
  }
  row.version += 1;
  const { event: type, cause, payload } = annotation;
  log.event(row, { type, at: now, from: row.state, actor: move.actor, cause, payload });
  if (row.phase >= TERMINAL_RANK_MIN) {
    connection.sql(ANNOTATE_ENDED).run(row.version, now, row.seq);
    return;
  }
  connection
    .sql(ANNOTATE)
    .run(row.version, row.cancel_mode, row.cancel_reason, now, ...outcomeOf(move), row.seq);
}
