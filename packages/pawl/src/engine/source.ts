import type { Instant } from '../core/clock.ts';
import type { PawlError } from '../core/errors.ts';
import type { FlowAnswer, FlowCall } from '../core/flow.ts';
import type { WorkerSign } from '../records/workers.ts';
import type { Claim, ClaimOptions } from './claim.ts';
import type { Beat, BeatResult, Ownership } from './owner.ts';
import type { Settlement } from './settle.ts';

export type SourceOutcome =
  /** `at`: the database's time of the move, where the source knows it. */
  | { readonly kind: 'moved'; readonly at?: Instant }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly error: PawlError };

/** Where a worker's jobs come from: an engine in this process, or one behind HTTP. */
export interface JobSource {
  claim(options: ClaimOptions): Promise<readonly Claim[]>;
  start(holdings: readonly Ownership[]): Promise<readonly SourceOutcome[]>;
  renew(beats: readonly Beat[]): Promise<readonly BeatResult[]>;
  settle(settlements: readonly Settlement[]): Promise<readonly SourceOutcome[]>;
  /** The ends and then the claim, both or neither; left out where that takes two calls. */
  settleAndClaim?(
    settlements: readonly Settlement[],
    claim: ClaimOptions,
  ): Promise<{ readonly outcomes: readonly SourceOutcome[]; readonly claims: readonly Claim[] }>;
  /** What a handler asks for its waits; left out where jobs cannot wait. */
  flow?(held: Ownership, call: FlowCall): Promise<FlowAnswer>;
  /** Signs of life for those who look; answers with the ids of those that are asked to drain. */
  announce?(signs: readonly WorkerSign[]): Promise<readonly string[]>;
}
