import type { Step } from '../../core/decision.ts';
import type { JobRef } from '../../core/job.ts';
import { rankOf } from '../../core/phase.ts';
import type { Annotation, Move, MoveOutcome } from '../move.ts';
import { isPlainSuccess } from '../success.ts';
import type { Query } from './pool.ts';
import { lockWaitMs, type Session } from './session.ts';

const MISSED: MoveOutcome = { kind: 'missed' };

interface OutcomeRow {
  readonly ord: number;
  readonly version: number;
  readonly at: number;
}

export function keyOfRef({ tenant, id }: JobRef): string {
  return `${id} ${tenant}`;
}

/** Everyone locks jobs in the same order; most come in it, and need no sorting. */
function inOneOrder(all: readonly Numbered[]): Numbered[] {
  const isSorted = all.every((one, index) => index === 0 || compared(all[index - 1]!, one) <= 0);
  return isSorted ? [...all] : all.toSorted(compared);
}

function compared(one: Numbered, other: Numbered): number {
  if (one.move.id === other.move.id) return one.tenant - other.tenant;
  return one.move.id < other.move.id ? -1 : 1;
}

/** Each statement a transaction of its own. */
function writeOn({ database }: Session): Query {
  return (sql, values) => database.write(sql, values);
}

/** Single steps go as a set, the rest one by one; both in one statement and one transaction. */
export async function applyMoves(
  session: Session,
  moves: readonly Move[],
  { isPatient, write = writeOn(session) }: { isPatient: boolean; write?: Query },
): Promise<MoveOutcome[]> {
  const tenants = await session.names.findTenants(moves.map(({ tenant }) => tenant));
  const outcomes = moves.map((): MoveOutcome => MISSED);
  const known = inOneOrder(
    moves
      .map((move, ord) => ({ move, ord, tenant: tenants[ord]! }))
      .filter(({ tenant }) => tenant !== null),
  );
  if (known.length === 0) return outcomes;
  const isRepeated = known.some(
    (one, index) => index > 0 && compared(known[index - 1]!, one) === 0,
  );
  if (!isRepeated && known.every(({ move }) => isPlainSuccess(move))) {
    if (known.every((one) => isAlike(one, known[0]!))) {
      return completeAlike(session, known, { outcomes, isPatient, write });
    }
    const rows = await complete(session, known, { isPatient, write });
    for (const { ord, version, at } of rows) {
      outcomes[known[ord - 1]!.ord] = { kind: 'moved', version, at };
    }
    return outcomes;
  }
  if (isRepeated) known.sort((one, other) => one.ord - other.ord);
  const steps = known.filter(({ move }) => !isRepeated && isSingleStep(move)).map(stepWire);
  const rest = known.filter(({ move }) => isRepeated || !isSingleStep(move)).map(moveWire);
  const rows = await write<OutcomeRow>('SELECT * FROM pawl.apply_v2($1, $2, $3, $4)', [
    steps.length === 0 ? null : JSON.stringify(steps),
    rest.length === 0 ? null : JSON.stringify(rest),
    lockWaitMs(isPatient),
    session.now(),
  ]);
  for (const { ord, version, at } of rows) outcomes[ord] = { kind: 'moved', version, at };
  return outcomes;
}

function complete(
  session: Session,
  known: readonly Numbered[],
  { isPatient, write }: { isPatient: boolean; write: Query },
): Promise<OutcomeRow[]> {
  const moves = known.map(({ move }) => move);
  return write<OutcomeRow>(
    'SELECT * FROM pawl.complete_v2($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
    [
      known.map(({ tenant }) => tenant),
      moves.map(({ id }) => id),
      moves.map(({ epoch }) => epoch),
      moves.map(({ isCancelWished }) => isCancelWished),
      moves.map(({ fence }) => (fence.kind === 'owner' ? fence.owner : null)),
      moves.map(({ actor }) => actor),
      moves.map(({ place }) => place.state),
      moves.map(({ steps }) => steps[0]!.to.state),
      moves.map(({ result }) => result ?? null),
      lockWaitMs(isPatient),
      session.now(),
    ],
  );
}

/** Successes of one owner from one place to another: told once, not for each of them. */
function isAlike({ move, tenant }: Numbered, first: Numbered): boolean {
  return (
    tenant === first.tenant &&
    move.isCancelWished === null &&
    move.result !== undefined &&
    move.actor === first.move.actor &&
    ownerOf(move) === ownerOf(first.move) &&
    move.place.state === first.move.place.state &&
    move.steps[0]!.to.state === first.move.steps[0]!.to.state
  );
}

function ownerOf({ fence }: Move): string | null {
  return fence.kind === 'owner' ? fence.owner : null;
}

async function completeAlike(
  session: Session,
  known: readonly Numbered[],
  { outcomes, isPatient, write }: { outcomes: MoveOutcome[]; isPatient: boolean; write: Query },
): Promise<MoveOutcome[]> {
  const { tenant, move: first } = known[0]!;
  const [row] = await write<{ ords: string; versions: string; at: number }>(
    'SELECT * FROM pawl.complete_alike_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
    [
      tenant,
      `{${known.map(({ move }) => move.id).join(',')}}`,
      `{${known.map(({ move }) => move.epoch).join(',')}}`,
      `[${known.map(({ move }) => move.result).join(',')}]`,
      ownerOf(first),
      first.actor,
      first.place.state,
      first.steps[0]!.to.state,
      lockWaitMs(isPatient),
      session.now(),
    ],
  );
  const { ords, versions, at } = row!;
  const moved = numbersIn(versions);
  numbersIn(ords).forEach((ord, index) => {
    outcomes[known[ord - 1]!.ord] = { kind: 'moved', version: moved[index]!, at };
  });
  return outcomes;
}

/** The numbers of an array as the server writes it; null is none. */
function numbersIn(text: string | null): number[] {
  return text === null || text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}

interface Numbered {
  readonly move: Move;
  readonly ord: number;
  readonly tenant: number;
}

function isSingleStep(move: Move): boolean {
  const { steps, annotation, fence } = move;
  const isPlain = annotation === null && fence.kind !== 'expired';
  return steps.length === 1 && isPlain;
}

function headWire({ move, ord, tenant }: Numbered): Record<string, unknown> {
  const { fence } = move;
  return {
    ord,
    tenant,
    id: move.id,
    state: move.place.state,
    phase: rankOf(move.place.phase),
    epoch: move.epoch,
    owner: fence.kind === 'owner' ? fence.owner : undefined,
    version: fence.kind === 'version' ? fence.version : undefined,
    wished: move.isCancelWished ?? undefined,
    actor: move.actor,
  };
}

function stepWire(numbered: Numbered): Record<string, unknown> {
  const { move } = numbered;
  return { ...headWire(numbered), ...stepFields(move.steps[0]!), ...payloadFields(move) };
}

function moveWire(numbered: Numbered): Record<string, unknown> {
  const { move } = numbered;
  const steps = move.steps.map((step, index) => ({
    ...stepFields(step),
    ...(index === move.steps.length - 1 && move.annotation === null ? payloadFields(move) : {}),
  }));
  return {
    ...headWire(numbered),
    fence: move.fence.kind,
    steps,
    note:
      move.annotation === null
        ? undefined
        : { ...noteFields(move.annotation), ...payloadFields(move) },
  };
}

function payloadFields({ result, checkpoint }: Move): Record<string, unknown> {
  return { result, checkpoint };
}

/** JSON inside the wire's JSON travels as text, so that the database does not read it. */
function stepFields(step: Step): Record<string, unknown> {
  const hasError = step.error !== undefined && step.error !== null;
  const payload = {
    ...(hasError ? { error: step.error } : {}),
    ...(step.delayMs === 0 ? {} : { delayMs: step.delayMs }),
  };
  return {
    to_state: step.to.state,
    to_phase: rankOf(step.to.phase),
    to_epoch: step.epoch,
    quiet: step.quiet,
    attempts: step.attempts,
    retry_count: step.retryCount,
    delay_ms: step.delayMs,
    backoff_ms: step.backoffMs ?? undefined,
    error: hasError ? JSON.stringify(step.error) : undefined,
    clears: step.error === null,
    event: step.event,
    cause: step.cause ?? undefined,
    payload: Object.keys(payload).length === 0 ? undefined : JSON.stringify(payload),
  };
}

function noteFields({ event, cause, payload, cancel }: Annotation): Record<string, unknown> {
  return {
    event,
    cause: cause ?? undefined,
    payload: payload === null ? undefined : JSON.stringify(payload),
    keeps: cancel === undefined,
    mode: cancel?.mode,
    reason: cancel?.reason ?? undefined,
    quiet: false,
  };
}
