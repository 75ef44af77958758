import type { FlowAnswer, FlowCall } from '../core/flow.ts';
import type { WorkerSign } from '../records/workers.ts';
import type { Claim, ClaimOptions } from './claim.ts';
import type { Beat, BeatResult, Ownership } from './owner.ts';
import type { Settlement } from './settle.ts';
import type { SettledAndClaimed } from './settle-and-claim.ts';

/** What a worker works through: an engine, or anything that does the same over a wire. */
export interface Source<Outcome> {
  claim(options: ClaimOptions): Promise<readonly Claim[]>;
  start(holdings: readonly Ownership[]): Promise<readonly Outcome[]>;
  renew(beats: readonly Beat[]): Promise<readonly BeatResult[]>;
  settle(settlements: readonly Settlement[]): Promise<readonly Outcome[]>;
  /** The ends and then the claim, both or neither; left out where that takes two calls. */
  settleAndClaim?(
    settlements: readonly Settlement[],
    claim: ClaimOptions,
  ): Promise<SettledAndClaimed<Outcome>>;
  /** What a handler asks for its waits; left out where jobs cannot wait. */
  flow?(held: Ownership, call: FlowCall): Promise<FlowAnswer>;
  /** Signs of life for those who look; a source may do without. */
  announce?(signs: readonly WorkerSign[]): Promise<void>;
}
