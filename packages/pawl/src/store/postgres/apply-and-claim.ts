import type { ClaimRequest } from '../claim.ts';
import { hasRecords, type Move, type MovedAndClaimed } from '../move.ts';
import { applyCall, applyMoves, numberMoves, type OutcomeRow } from './apply.ts';
import { applyParts, applyWith } from './apply-with.ts';
import { asksForNone, claimCall, HEAD_AT } from './claim.ts';
import { isLockTimeout } from './failure.ts';
import { transactRecords } from './records.ts';
import type { Session } from './session.ts';

/**
 * Moves and a claim in one statement, or in one transaction where a move has record ops. It runs
 * for itself: calls that share a statement would have to share the claim.
 */
export async function applyAndClaim(
  session: Session,
  moves: readonly Move[],
  claim: ClaimRequest,
): Promise<MovedAndClaimed> {
  const run = hasRecords(moves) ? runWith : runPlain;
  try {
    return await run(session, moves, { claim, isPatient: false });
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return run(session, moves, { claim, isPatient: true });
  }
}

interface Asked {
  readonly claim: ClaimRequest;
  readonly isPatient: boolean;
}

async function runPlain(
  session: Session,
  moves: readonly Move[],
  { claim, isPatient }: Asked,
): Promise<MovedAndClaimed> {
  const { database } = session;
  const count = moves.length;
  if (asksForNone(claim)) {
    return { outcomes: await applyMoves(session, moves, isPatient), claimed: [] };
  }
  const numbered = await numberMoves(session, moves);
  const { values, outcomesOf } = applyCall(session, numbered, { count, isPatient });
  const asked = await claimCall(session, claim);
  // The time is said once, as the last of the claim's values.
  const all = [...asked.values, ...values.slice(0, -1)];
  const [moved, ...rows] = await database.verbForLists('claim', all);
  const outcomes = JSON.parse((moved![HEAD_AT] as string | null) ?? '[]') as Moved[];
  return {
    outcomes: outcomesOf(outcomes.map(outcomeRowOf)),
    claimed: await asked.claimedIn(rows),
  };
}

/** What became of a part of the moves, as the verb tells it. */
type Moved = readonly [part: number, ords: string, versions: string, at: number];

function outcomeRowOf([part, ords, versions, at]: Moved): OutcomeRow {
  return { part, ords, versions, at };
}

async function runWith(
  session: Session,
  moves: readonly Move[],
  { claim, isPatient }: Asked,
): Promise<MovedAndClaimed> {
  const { database } = session;
  if (asksForNone(claim)) {
    return { outcomes: await applyWith(session, moves, isPatient), claimed: [] };
  }
  const numbered = await numberMoves(session, moves);
  const { values, claimedIn } = await claimCall(session, claim);
  const { outcomes, rows } = await transactRecords(session, async (query) => ({
    outcomes: await applyParts(session, moves, { numbered, query, isPatient }),
    rows: await query<object>(database.call('claim', values.length), values),
  }));
  const lists = rows.map((row): unknown[] => Object.values(row));
  return { outcomes, claimed: await claimedIn(lists) };
}
