import type { Step } from '../../core/decision.ts';
import { isOwned, isTerminal, rankOf } from '../../core/phase.ts';
import { rankAtOf } from '../../core/rank.ts';
import { turnEndOf } from '../control.ts';
import { GATE, gateAfter } from '../gate.ts';
import { leavesItsLine } from '../leaving.ts';
import type { Annotation, Move, MoveOutcome } from '../move.ts';
import { planWrite } from '../record-write.ts';
import { StoreError } from '../store-error.ts';
import { gateKeysIn, keysOf, type KeysRow, TouchedKeys } from './admit.ts';
import { annotateEnded, refuseEnded } from './annotate.ts';
import { completeRun, sortOut } from './complete.ts';
import { isRefusal, messageOf } from './failure.ts';
import { textOf } from './log.ts';
import { stateCode } from './names.ts';
import { keepPosition } from './positions.ts';
import { findKeys, hasToken } from './find.ts';
import { saveRecords, writeContext } from './records.ts';
import { FLAG, type LiveRow, modeCode, valuesIn } from './row.ts';
import type { Work } from './work.ts';

const MISSED: MoveOutcome = { kind: 'missed' };

/** Compare and set: as if one move came after the other. */
export function applyMoves(work: Work, moves: readonly Move[]): MoveOutcome[] {
  const touched = new TouchedKeys();
  const outcomes: MoveOutcome[] = moves.map(() => MISSED);
  const keys = findKeys(work, moves, ({ fence }) => fence.kind === 'owner' && hasToken(fence));
  const { runs, others } = sortOut(moves, keys);
  for (const run of runs) {
    for (const { index, version } of completeRun(work, moves, { run, keys })) {
      outcomes[index] = { kind: 'moved', version, at: work.now };
    }
  }
  const isMissed = (index: number): boolean => outcomes[index]!.kind === 'missed';
  // What is more than plain is walked through, wherever it stands.
  for (const index of [...runs.flat().filter(isMissed), ...others].sort((a, b) => a - b)) {
    const key = keys[index]!;
    if (key !== null) outcomes[index] = walk(work, moves[index]!, { key, touched });
  }
  touched.admit(work);
  return outcomes;
}

/** A job on its way, with what lies beside its row. */
interface Walker {
  readonly move: Move;
  readonly row: LiveRow;
  readonly keys: KeysRow | null;
  /** Whom the job was taken from, where its lease has run out. */
  readonly lost: Readonly<Record<string, unknown>> | null;
}

function walk(
  work: Work,
  move: Move,
  { key, touched }: { key: number; touched: TouchedKeys },
): MoveOutcome {
  const row = work.connection.sql('live').get(key) as LiveRow | undefined;
  if (row === undefined) {
    if (move.annotation !== null) return annotateEnded(work, move, key) ?? MISSED;
    refuseEnded(work, move, key);
    return MISSED;
  }
  if (!standsThere(work, row, move)) return MISSED;
  const plan = planWrite(move.with ?? [], writeContext(work));
  if (plan.kind === 'refused') return MISSED;
  const keys = row.flags & FLAG.keys ? keysOf(work, key) : null;
  const lost =
    move.fence.kind === 'expired'
      ? { owner: work.names.ownerName(row.owner!), leaseExpiry: row.lease_expiry }
      : null;
  const walker: Walker = { move, row, keys, lost };
  for (const step of move.steps) takeStep(work, walker, step);
  if (move.annotation !== null) annotate(work, walker, move.annotation);
  saveRecords(work, plan.changes);
  if (keys !== null) {
    touched.add(keys, row.gate);
    if (leavesItsLine(move)) touched.touchTokens(keys);
  }
  return { kind: 'moved', version: row.version, at: work.now };
}

function standsThere({ names, now }: Work, row: LiveRow, move: Move): boolean {
  const { place, epoch, isCancelWished, fence } = move;
  const lifecycle = names.lifecycle(move);
  const stands =
    row.lifecycle === lifecycle.number &&
    lifecycle.states[row.state - 1] === place.state &&
    row.phase === rankOf(place.phase) &&
    row.epoch === epoch &&
    (isCancelWished === null || isCancelWished === (row.cancel_mode !== null));
  if (!stands) return false;
  if (fence.kind === 'version') return row.version === fence.version;
  if (fence.kind === 'expired') return isOwned(place.phase) && now >= row.lease_expiry!;
  return (
    row.owner !== null &&
    row.owner === names.findOwner(fence.owner) &&
    (fence.token ?? String(row.token)) === String(row.token) &&
    now < row.lease_expiry!
  );
}

function takeStep(work: Work, walker: Walker, step: Step): void {
  const { row, move } = walker;
  const from = { state: row.state, epoch: row.epoch, version: row.version };
  const isLast = step === move.steps.at(-1);
  try {
    keepDetails(work, walker, { step, isLast });
    stand(work, walker, step);
    const n = step.quiet ? null : tellStep(work, walker, { step, isLast, from: from.state });
    if (isTerminal(step.to.phase)) end(work, walker, n);
    else save(work, walker, { n, from });
  } catch (error) {
    throw isRefusal(error) ? refusalOf(work, walker, { step, from, error }) : error;
  }
}

interface From {
  readonly state: number;
  readonly epoch: number;
  readonly version: number;
}

/** The database's guard says which rule was broken; here is by what. */
function refusalOf(
  { names }: Work,
  { row, move }: Walker,
  { step, from, error }: { step: Step; from: From; error: unknown },
): StoreError {
  const was = names.lifecycleOf(row.lifecycle).states[from.state - 1];
  const rise = `epoch ${from.epoch} → ${step.epoch}, version ${from.version} → ${row.version}`;
  const what = `job ${move.id}, ${was} → ${step.to.state}/${step.to.phase} (${rise})`;
  return new StoreError('refused', `${messageOf(error)} (${what})`, error);
}

/** What a step leaves beside the row. */
function keepDetails(
  { connection }: Work,
  { row, move }: Walker,
  { step, isLast }: { step: Step; isLast: boolean },
): void {
  const { error } = step;
  const checkpoint = (isLast ? move.checkpoint : undefined) ?? null;
  const hasError = error !== undefined && error !== null;
  const isEnd = isTerminal(step.to.phase);
  const isCleared = (row.flags & FLAG.details) > 0 && (error === null || isEnd);
  if (!hasError && checkpoint === null && !isCleared) return;
  const text = hasError ? JSON.stringify(error) : null;
  connection
    .sql('put_details')
    .run(row.key, text, checkpoint, Number(error !== undefined), Number(isEnd));
  row.flags |= FLAG.details;
}

/** Brings the row to where the step leads. */
function stand({ names, now }: Work, { row, keys }: Walker, step: Step): void {
  const { phase, state } = step.to;
  if (phase === 'ready' || phase === 'waiting') {
    const isBorn = row.phase === rankOf('held');
    row.run_at = isBorn ? Math.max(now, row.run_at) : now + step.delayMs;
    const rank = rankAtOf({ runAt: row.run_at, priority: row.priority });
    // Who is requeued keeps the place that its wait gave it, if that is the better one.
    row.rank_at = row.phase === rankOf('waiting') ? Math.min(row.rank_at, rank) : rank;
  }
  row.state = stateCode(names.lifecycleOf(row.lifecycle), state);
  row.phase = rankOf(phase);
  row.epoch = step.epoch;
  row.attempts = step.attempts;
  row.retry_count = step.retryCount;
  row.backoff_ms = step.backoffMs ?? row.backoff_ms;
  row.updated_at = now;
  row.gate = null;
  if (phase === 'ready') row.gate = row.run_at <= now ? gateWhenDue(keys) : GATE.timed;
  if (phase === 'waiting') {
    const isClaimable = names.claimRow(row.lifecycle, row.state, row.phase) !== null;
    row.gate = isClaimable ? GATE.timed : GATE.requeued;
  }
  if (!step.quiet) {
    row.version += 1;
    row.notes = 0;
  }
  if (phase === 'executing') row.started_at ??= now;
  if (phase === 'succeeded') row.progress = 100;
  if (!isOwned(phase)) {
    row.owner = null;
    row.token = null;
    row.lease_expiry = null;
    row.lease_end = null;
    row.lease_limit = null;
  }
}

function gateWhenDue(keys: KeysRow | null): number {
  return keys === null ? GATE.open : gateAfter(GATE.open, gateKeysIn(keys));
}

function tellStep(
  work: Work,
  walker: Walker,
  { step, isLast, from }: { step: Step; isLast: boolean; from: number },
): number {
  const { move, lost } = walker;
  const { error, delayMs } = step;
  const payload = {
    ...(error === undefined || error === null ? {} : { error }),
    ...(delayMs === 0 ? {} : { delayMs }),
    ...lost,
  };
  const end = isLast ? turnEndOf(move) : null;
  return tell(work, walker, {
    type: step.event,
    turn: end === null ? null : end === 'succeeded' ? 1 : 2,
    from,
    cause: step.cause,
    payload: Object.keys(payload).length === 0 ? null : payload,
  });
}

type Said = Pick<Annotation, 'cause' | 'payload'> & {
  readonly type: Annotation['event'];
  readonly turn: number | null;
  readonly from: number;
};

function tell({ connection, log, now }: Work, { row, move }: Walker, said: Said): number {
  const { type, turn, from, cause } = said;
  const { key, lane, lifecycle, state: to, phase } = row;
  const beside = row.flags & FLAG.details ? connection.sql('details').get(key)! : null;
  const texts = {
    key,
    stage: (beside?.['stage'] ?? null) as string | null,
    message: (beside?.['message'] ?? null) as string | null,
    cause,
    payload: textOf(said.payload),
  };
  const entry = { at: now, lane, lifecycle, type, turn, from, to, phase, actor: move.actor };
  return log.write(entry, [row], [texts]);
}

/** What a step may change of a row, in the order of `set_live`. */
const SAVED = `key state phase epoch version notes gate flags attempts retry_count rank_at run_at
  updated_at started_at backoff_ms owner token lease_expiry lease_end lease_limit cancel_mode
  more_n`.split(/\s+/);

/** What stays of a row that ends, in the order of `end`. */
const KEPT = `key state phase epoch version flags attempts retry_count progress run_at started_at
  backoff_ms born_n claim_n more_n revision`.split(/\s+/);

/** The row goes on, with one more position where it has an entry. */
function save({ connection }: Work, { row, keys }: Walker, told: { n: number | null; from: From }) {
  if (told.n !== null) {
    const { version } = told.from;
    Object.assign(row, keepPosition(connection, told.n, { ...row, version }));
  }
  connection.sql('set_live').run(...valuesIn(row, SAVED));
  if (keys === null) return;
  connection.sql('set_keys').run(row.key, row.gate, row.rank_at, Number(row.owner !== null));
}

/** A quiet end would have no entry, and is refused by the guard since it has no version either. */
function end({ connection, now }: Work, { row, keys, move }: Walker, n: number | null): void {
  const { fingerprint = null, result = null } = move;
  connection.sql('end').run(...valuesIn(row, KEPT), now, n ?? 0, fingerprint, result);
  connection.sql('leave_range').run(row.key, row.key);
  if (keys !== null) connection.sql('drop_keys').run(row.key);
}

function annotate(work: Work, walker: Walker, annotation: Annotation): void {
  const { row, move } = walker;
  const { event: type, cause, payload, cancel } = annotation;
  const from = { state: row.state, epoch: row.epoch, version: row.version };
  if (cancel !== undefined) {
    row.cancel_mode = cancel === null ? null : modeCode(cancel.mode);
    const reason = cancel?.reason ?? null;
    if (reason !== null || row.flags & FLAG.details) {
      work.connection.sql('put_cancel_reason').run(row.key, reason);
      row.flags |= FLAG.details;
    }
  }
  if (move.checkpoint !== undefined) {
    work.connection.sql('put_details').run(row.key, null, move.checkpoint, 0, 0);
    row.flags |= FLAG.details;
  }
  if (annotation.wake === true) wakeUp(work, walker);
  row.version += 1;
  row.notes = 0;
  row.updated_at = work.now;
  const n = tell(work, walker, { type, turn: null, from: row.state, cause, payload });
  save(work, walker, { n, from });
}

/** Only who waits for its time is woken: others are in line already. */
function wakeUp({ connection, now }: Work, { row, keys }: Walker): void {
  if (row.gate !== GATE.timed && row.gate !== GATE.requeued) return;
  const runAt = connection.sql('birth').get(row.key)!['created_at'] as number;
  row.run_at = now;
  row.rank_at = rankAtOf({ runAt, priority: row.priority });
  if (row.gate === GATE.timed) row.gate = gateWhenDue(keys);
}
