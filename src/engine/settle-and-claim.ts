import type { ClaimedJob, ClaimRequest } from '../store/claim.ts';
import type { Move, MoveOutcome } from '../store/move.ts';
import type { Store } from '../store/store.ts';
import { type Claim, type ClaimOptions, claimRequest, claimsOf } from './claim.ts';
import type { EngineContext } from './context.ts';
import { settle, type Settlement } from './settle.ts';
import type { MoveWriter, TransitionOutcome } from './transition.ts';

export interface SettledAndClaimed {
  readonly outcomes: readonly TransitionOutcome[];
  readonly claims: readonly Claim[];
}

/**
 * Reports the end of turns and takes the next jobs in one commit. An end that is refused does not
 * keep the claim from being made. After a lost answer the same call, with the same request id,
 * finds the same jobs, and its ends count as reported again.
 */
export async function settleAndClaim(
  context: EngineContext,
  settlements: readonly Settlement[],
  options: ClaimOptions,
): Promise<SettledAndClaimed> {
  const request = claimRequest(options);
  if (request === null) return { outcomes: await settle(context, settlements), claims: [] };
  const writer = new ClaimingWriter(context.store, request);
  const outcomes = await settle(context, settlements, writer);
  // Where there was nothing to move, the claim is a call of its own.
  const taken = writer.taken ?? (await context.store.claim(request));
  return { outcomes, claims: await claimsOf(context, taken) };
}

/** The claim goes with the first moves; those that have to be planned again go without. */
class ClaimingWriter implements MoveWriter {
  readonly #store: Store;
  readonly #request: ClaimRequest;
  taken: readonly ClaimedJob[] | null = null;

  constructor(store: Store, request: ClaimRequest) {
    this.#store = store;
    this.#request = request;
  }

  get hasWritten(): boolean {
    return this.taken !== null && this.taken.length > 0;
  }

  async apply(moves: readonly Move[]): Promise<readonly MoveOutcome[]> {
    if (this.taken !== null) return this.#store.apply(moves);
    const { outcomes, claimed } = await this.#store.apply(moves, this.#request);
    this.taken = claimed;
    return outcomes;
  }
}
