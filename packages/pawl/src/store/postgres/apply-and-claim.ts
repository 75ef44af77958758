import type { ClaimRequest } from '../claim.ts';
import { hasRecords, type Move, type MovedAndClaimed } from '../move.ts';
import { applyCall, applyMoves, numberMoves, type OutcomeRow } from './apply.ts';
import { applyParts, applyWith } from './apply-with.ts';
import { asksForNone, claimedIn, claimValues } from './claim.ts';
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

/** Where a row of the verb tells of moves, behind the columns of the claim. */
const PART_AT = 7;

async function runPlain(
  session: Session,
  moves: readonly Move[],
  { claim, isPatient }: Asked,
): Promise<MovedAndClaimed> {
  const { database, names } = session;
  const count = moves.length;
  if (asksForNone(claim)) {
    return { outcomes: await applyMoves(session, moves, isPatient), claimed: [] };
  }
  const numbered = await numberMoves(session, moves);
  const { values, outcomesOf } = applyCall(session, numbered, { count, isPatient });
  // The time is said once, as the last of the moves' values.
  const asked = (await claimValues(session, claim)).slice(0, -1);
  const rows = await database.verbForLists('apply_and_claim', [...values, ...asked]);
  const start = rows.findIndex((row) => row[PART_AT] === null);
  const end = start === -1 ? rows.length : start;
  return {
    outcomes: outcomesOf(rows.slice(0, end).map(outcomeRowOf)),
    claimed: await claimedIn(rows.slice(end), names, claim),
  };
}

function outcomeRowOf(row: readonly unknown[]): OutcomeRow {
  const [part, ords, versions, at] = row.slice(PART_AT) as [number, string, string, number];
  return { part, ords, versions, at };
}

async function runWith(
  session: Session,
  moves: readonly Move[],
  { claim, isPatient }: Asked,
): Promise<MovedAndClaimed> {
  const { database, names } = session;
  if (asksForNone(claim)) {
    return { outcomes: await applyWith(session, moves, isPatient), claimed: [] };
  }
  const numbered = await numberMoves(session, moves);
  const asked = await claimValues(session, claim);
  const { outcomes, rows } = await transactRecords(session, async (query) => ({
    outcomes: await applyParts(session, moves, { numbered, query, isPatient }),
    rows: await query<object>(database.call('claim', asked.length), asked),
  }));
  const lists = rows.map((row): unknown[] => Object.values(row));
  return { outcomes, claimed: await claimedIn(lists, names, claim) };
}
