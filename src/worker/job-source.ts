import type { Instant } from '../core/clock.ts';
import type { PawlError } from '../core/errors.ts';
import type { Claim, ClaimOptions } from '../engine/claim.ts';
import type { Beat, BeatResult, Ownership } from '../engine/owner.ts';
import type { Settlement } from '../engine/settle.ts';
import type { WorkerSign } from '../records/workers.ts';

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
  /** Signs of life for those who look; a source may do without. */
  announce?(signs: readonly WorkerSign[]): Promise<void>;
}
