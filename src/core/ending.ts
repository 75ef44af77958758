import type { Failure } from './decision.ts';
import type { DlqReason } from './error-class.ts';
import type { JsonText } from './job.ts';

/** How an owner's turn ended. Only `fail` spends an attempt. */
export type Ending =
  | { readonly kind: 'succeed'; readonly result?: JsonText }
  | { readonly kind: 'fail'; readonly error: Failure; readonly deadLetter?: DlqReason | null }
  | { readonly kind: 'snooze'; readonly delayMs: number; readonly checkpoint?: JsonText }
  /** The remote has begun: wait for it under the next state's name. */
  | { readonly kind: 'advance'; readonly delayMs: number; readonly checkpoint?: JsonText }
  /** The turn waits for these, none of which is decided as far as it knows. */
  | { readonly kind: 'suspend'; readonly waits: readonly string[] }
  /** `cause`: why, in a word, for the history. */
  | { readonly kind: 'release'; readonly cause?: string }
  /** The owner honours a cancel wish. */
  | { readonly kind: 'cancelled'; readonly checkpoint?: JsonText };
