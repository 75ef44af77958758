import type { Instant } from '../core/clock.ts';
import type { PawlError } from '../core/errors.ts';
import type { Source } from '../engine/source.ts';

export type SourceOutcome =
  /** `at`: the database's time of the move, where the source knows it. */
  | { readonly kind: 'moved'; readonly at?: Instant }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly error: PawlError };

/** Where a worker's jobs come from: an engine in this process, or one behind HTTP. */
export type JobSource = Source<SourceOutcome>;
