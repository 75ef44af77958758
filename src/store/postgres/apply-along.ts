import type { Move, MoveOutcome } from '../move.ts';
import { judge, keysOf, type RecordChange, textOfKey } from '../record-write.ts';
import { applyMoves } from './apply.ts';
import type { Query } from './pool.ts';
import { keepRecords, lockGround, withRecords } from './records.ts';
import type { Session } from './session.ts';

const MISSED: MoveOutcome = { kind: 'missed' };

/**
 * Moves with records that go along: records are locked and judged first, so that a move whose
 * records refuse is not made, and the records of a move that missed are not written.
 */
export function applyAlong(
  session: Session,
  moves: readonly Move[],
  isPatient: boolean,
): Promise<MoveOutcome[]> {
  return withRecords(session, async (query) => {
    const outcomes: MoveOutcome[] = [];
    for (const part of partsOf(moves)) {
      outcomes.push(...(await applyPart(session, part, { query, isPatient })));
    }
    return outcomes;
  });
}

/** Cut where a record comes a second time: whether it was written before is known only then. */
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
  { query, isPatient }: { query: Query; isPatient: boolean },
): Promise<MoveOutcome[]> {
  const ops = moves.flatMap((move) => move.with ?? []);
  const ground = await lockGround(session, query, ops);
  const judged = moves.map((move) => judge(move.with ?? [], ground));
  const granted = moves.filter((_, index) => judged[index]!.kind === 'granted');
  const applied = await applyMoves(session, granted, { isPatient, write: query });
  const changes: RecordChange[] = [];
  let next = 0;
  const outcomes = judged.map((judgement) => {
    if (judgement.kind === 'refused') return MISSED;
    const outcome = applied[next++]!;
    if (outcome.kind === 'moved') changes.push(...judgement.changes);
    return outcome;
  });
  await keepRecords(query, changes);
  return outcomes;
}
