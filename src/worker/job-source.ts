import type { PawlError } from '../core/errors.ts';
import type { Claim, ClaimOptions } from '../engine/claim.ts';
import type { Beat, BeatResult, Ownership } from '../engine/owner.ts';
import type { Settlement } from '../engine/settle.ts';

export type SourceOutcome =
  | { readonly kind: 'moved' | 'unchanged' }
  | { readonly kind: 'refused'; readonly error: PawlError };

/** Where a worker's jobs come from: an engine in this process, or one behind HTTP. */
export interface JobSource {
  claim(options: ClaimOptions): Promise<readonly Claim[]>;
  start(holdings: readonly Ownership[]): Promise<readonly SourceOutcome[]>;
  renew(beats: readonly Beat[]): Promise<readonly BeatResult[]>;
  settle(settlements: readonly Settlement[]): Promise<readonly SourceOutcome[]>;
}
