import type { Move, MoveOutcome } from '../move.ts';
import { keysOf, planWrite, type RecordChange, textOfKey } from '../record-write.ts';
import { applyNumbered, numberMoves } from './apply.ts';
import type { Query } from './database.ts';
import { lockRecords, saveRecords, transactRecords } from './records.ts';
import type { Session } from './session.ts';
import type { NumberedMove } from './success-sets.ts';

const MISSED: MoveOutcome = { kind: 'missed' };

/**
 * Moves with record ops. Records are locked and checked first: a move whose ops are refused is not
 * attempted, and the ops of a move that misses are not written.
 */
export async function applyWith(
  session: Session,
  moves: readonly Move[],
  isPatient: boolean,
): Promise<MoveOutcome[]> {
  const numbered = await numberMoves(session, moves);
  return transactRecords(session, (query) =>
    applyParts(session, moves, { numbered, query, isPatient }),
  );
}

/** As statements of a transaction that the caller has begun. */
export async function applyParts(
  session: Session,
  moves: readonly Move[],
  given: Given,
): Promise<MoveOutcome[]> {
  const outcomes: MoveOutcome[] = [];
  for (const part of partsOf(moves)) outcomes.push(...(await applyPart(session, part, given)));
  return outcomes;
}

interface Given {
  readonly numbered: readonly NumberedMove[];
  readonly query: Query;
  readonly isPatient: boolean;
}

/** Split where a record occurs again: its state is known only after the earlier moves. */
function partsOf(moves: readonly Move[]): Move[][] {
  const parts: Move[][] = [];
  let seen = new Set<string>();
  for (const move of moves) {
    const keys = keysOf(move.with ?? []).map(textOfKey);
    const isNew = parts.length === 0 || keys.some((key) => seen.has(key));
    if (isNew) {
      parts.push([]);
      seen = new Set();
    }
    parts.at(-1)!.push(move);
    for (const key of keys) seen.add(key);
  }
  return parts;
}

async function applyPart(
  session: Session,
  moves: readonly Move[],
  given: Given,
): Promise<MoveOutcome[]> {
  const { query, isPatient } = given;
  const ops = moves.flatMap((move) => move.with ?? []);
  const context = await lockRecords(session, query, ops);
  const plans = moves.map((move) => planWrite(move.with ?? [], context));
  const accepted = moves.filter((_, index) => plans[index]!.kind === 'accepted');
  const known = given.numbered
    .filter(({ move }) => accepted.includes(move))
    .map((one) => ({ ...one, ord: accepted.indexOf(one.move) }));
  const applied = await applyNumbered(session, known, {
    count: accepted.length,
    isPatient,
    write: query,
  });
  const changes: RecordChange[] = [];
  let next = 0;
  const outcomes = plans.map((plan) => {
    if (plan.kind === 'refused') return MISSED;
    const outcome = applied[next++]!;
    if (outcome.kind === 'moved') changes.push(...plan.changes);
    return outcome;
  });
  await saveRecords(session, query, changes);
  return outcomes;
}
