import type { Step } from '../../core/decision.ts';
import type { JobRef } from '../../core/job.ts';
import { rankOf } from '../../core/phase.ts';
import { turnEndOf } from '../control.ts';
import type { Annotation, Move, MoveOutcome } from '../move.ts';
import { isPlainSuccess } from '../success.ts';
import type { Query } from './database.ts';
import { type LifecycleEntry, placeCode } from './dictionary.ts';
import { kindCode, modeCode } from './row.ts';
import { lockWaitMs, type Session } from './session.ts';
import { type NumberedMove, setsOf, SHARED, type SuccessSet, tokenOf } from './success-sets.ts';

const MISSED: MoveOutcome = { kind: 'missed' };

export interface OutcomeRow {
  readonly part: number;
  readonly ords: string | null;
  readonly versions: string | null;
  readonly at: number;
}

export function keyOfRef({ tenant, id }: JobRef): string {
  return `${id} ${tenant}`;
}

/** Everyone locks jobs in the same order; most come in it, and need no sorting. */
function compared(one: NumberedMove, other: NumberedMove): number {
  if (one.move.id === other.move.id) return one.tenant - other.tenant;
  return one.move.id < other.move.id ? -1 : 1;
}

function inOneOrder(all: readonly NumberedMove[]): NumberedMove[] {
  const isSorted = all.every((one, index) => index === 0 || compared(all[index - 1]!, one) <= 0);
  return isSorted ? [...all] : all.toSorted(compared);
}

/** Names that are not known yet are looked up here, before anybody holds a connection. */
export async function numberMoves(
  session: Session,
  moves: readonly Move[],
): Promise<NumberedMove[]> {
  const { names } = session;
  const tenants = await names.findTenants(moves.map(({ tenant }) => tenant));
  await names.learnLifecycles(moves);
  const fences = moves.map(({ fence }) => (fence.kind === 'owner' ? fence.owner : null));
  const owners = await names.owners([...new Set(fences.filter((name) => name !== null))]);
  const numbers = new Map(
    [...new Set(fences.filter((name) => name !== null))].map((name, index) => [
      name,
      owners[index]!,
    ]),
  );
  return moves.flatMap((move, ord) => {
    const tenant = tenants[ord] ?? null;
    const owner = fences[ord] === null ? null : numbers.get(fences[ord]!)!;
    return tenant === null ? [] : [{ move, ord, tenant, owner, lifecycle: names.lifecycle(move) }];
  });
}

export async function applyMoves(
  session: Session,
  moves: readonly Move[],
  isPatient: boolean,
): Promise<MoveOutcome[]> {
  const { database } = session;
  const write: Query = (sql, values) => database.write(sql, values);
  return applyNumbered(session, await numberMoves(session, moves), {
    count: moves.length,
    isPatient,
    write,
  });
}

export async function applyNumbered(
  session: Session,
  all: readonly NumberedMove[],
  { count, isPatient, write }: { count: number; isPatient: boolean; write: Query },
): Promise<MoveOutcome[]> {
  if (all.length === 0) return Array.from({ length: count }, () => MISSED);
  const { values, outcomesOf } = applyCall(session, all, { count, isPatient });
  return outcomesOf(await write(session.database.call('apply_moves', values.length), values));
}

/** What the verb is called with, and how its answer is read. */
interface ApplyCall {
  readonly values: readonly unknown[];
  readonly outcomesOf: (rows: readonly OutcomeRow[]) => MoveOutcome[];
}

/** Of a call without successes: ids, tenants, epochs, results, and what they share. */
export const NO_SETS: readonly null[] = Array.from({ length: 4 + SHARED.length }, () => null);

/** Plain successes go as sets, the rest one by one; all in one statement. */
export function applyCall(
  session: Session,
  all: readonly NumberedMove[],
  { count, isPatient }: { count: number; isPatient: boolean },
): ApplyCall {
  const known = inOneOrder(all);
  const isRepeated = known.some(
    (one, index) => index > 0 && compared(known[index - 1]!, one) === 0,
  );
  if (isRepeated) known.sort((one, other) => one.ord - other.ord);
  const isSet = (one: NumberedMove): boolean =>
    !isRepeated && isPlainSuccess(one.move) && one.move.isCancelWished === null;
  const sets = setsOf(known.filter(isSet));
  const rest = known.filter((one) => !isSet(one)).map(moveWire);
  const values = [
    sets.map(({ items }) => `{${items.map(({ move }) => move.id).join(',')}}`),
    sets.map(({ tenants }) => `{${tenants.join(',')}}`),
    sets.map(({ epochs }) => `{${epochs.join(',')}}`),
    // Without a result none is sent, and the column stays empty.
    sets.map(({ items }) => `[${items.flatMap(({ move }) => move.result ?? []).join(',')}]`),
    ...SHARED.map((name) => sets.map(({ head }) => head[name])),
    rest.length === 0 ? null : JSON.stringify(rest),
    lockWaitMs(isPatient),
    session.now(),
  ];
  return { values, outcomesOf: (rows) => outcomesIn(rows, sets, count) };
}

function outcomesIn(
  rows: readonly OutcomeRow[],
  sets: readonly SuccessSet[],
  count: number,
): MoveOutcome[] {
  const outcomes = Array.from({ length: count }, (): MoveOutcome => MISSED);
  for (const { part, ords, versions, at } of rows) {
    const moved = numbersIn(versions);
    numbersIn(ords).forEach((ord, index) => {
      const own = part === 0 ? ord : sets[part - 1]!.items[ord - 1]!.ord;
      outcomes[own] = { kind: 'moved', version: moved[index]!, at };
    });
  }
  return outcomes;
}

/** The numbers of an array as the server writes it; null is none. */
export function numbersIn(text: string | null): number[] {
  return text === null || text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}

function moveWire(numberedMove: NumberedMove): Record<string, unknown> {
  const { move, ord, tenant, owner, lifecycle } = numberedMove;
  const { fence, annotation } = move;
  const steps = move.steps.map((step, index) => ({
    ...stepFields(step, lifecycle),
    ...(index === move.steps.length - 1
      ? {
          result: move.result,
          checkpoint: move.checkpoint,
          turn: turnCode(move),
          fingerprint: move.fingerprint ?? undefined,
        }
      : {}),
  }));
  return {
    ord,
    tenant,
    id: move.id,
    lifecycle: lifecycle.number,
    state: placeCode(lifecycle, move.place),
    phase: rankOf(move.place.phase),
    epoch: move.epoch,
    fence: fence.kind,
    owner: owner ?? undefined,
    token: tokenOf(move),
    version: fence.kind === 'version' ? fence.version : undefined,
    wished: move.isCancelWished ?? undefined,
    actor: move.actor,
    steps,
    note: annotation === null ? undefined : noteFields(annotation),
  };
}

function turnCode(move: Move): number | undefined {
  const end = turnEndOf(move);
  if (end === null) return undefined;
  return end === 'succeeded' ? 1 : 2;
}

/** JSON inside the wire's JSON travels as text, so that the database does not read it. */
function stepFields(step: Step, lifecycle: LifecycleEntry): Record<string, unknown> {
  const hasError = step.error !== undefined && step.error !== null;
  const payload = {
    ...(hasError ? { error: step.error } : {}),
    ...(step.delayMs === 0 ? {} : { delayMs: step.delayMs }),
  };
  return {
    to_state: placeCode(lifecycle, step.to),
    to_phase: rankOf(step.to.phase),
    to_epoch: step.epoch,
    quiet: step.quiet,
    attempts: step.attempts,
    retry_count: step.retryCount,
    delay_ms: step.delayMs,
    backoff_ms: step.backoffMs ?? undefined,
    error: hasError ? JSON.stringify(step.error) : undefined,
    clears: step.error === null,
    kind: kindCode(step.event),
    cause: step.cause ?? undefined,
    payload: Object.keys(payload).length === 0 ? undefined : JSON.stringify(payload),
  };
}

function noteFields({ event, cause, payload, cancel, wake }: Annotation): Record<string, unknown> {
  return {
    kind: kindCode(event),
    cause: cause ?? undefined,
    payload: payload === null ? undefined : JSON.stringify(payload),
    keeps: cancel === undefined,
    mode: cancel === undefined || cancel === null ? undefined : modeCode(cancel.mode),
    reason: cancel?.reason ?? undefined,
    wakes: wake,
  };
}
