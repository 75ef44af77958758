import type { ClaimRequest } from '../claim.ts';
import type { Move, MovedAndClaimed } from '../move.ts';
import { applyMoves } from './apply.ts';
import { claimJobs } from './claim.ts';
import type { Work } from './work.ts';

/** One crossing between threads and one commit for a worker that ends a job and takes the next. */
export function applyAndClaim(
  work: Work,
  moves: readonly Move[],
  claim: ClaimRequest,
): MovedAndClaimed {
  const outcomes = applyMoves(work, moves);
  return { outcomes, claimed: claimJobs(work, claim) };
}
