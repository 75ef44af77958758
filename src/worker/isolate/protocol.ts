import type { AttemptFacts, Keep, Report } from '../../handler/attempt-port.ts';
import type { Outcome } from '../../handler/execute.ts';
import type { StopFacts } from '../../handler/stop.ts';

/** Which job to run: the module's export must be the job of this type. */
export interface RunOrder {
  readonly kind: 'run';
  readonly module: string;
  readonly export: string;
  readonly type: string;
  readonly facts: AttemptFacts;
}

/** What a worker says to the thread or process of a handler. */
export type ToChild =
  | RunOrder
  | { readonly kind: 'stop'; readonly stop: StopFacts }
  /** The write of this number is durable, or will never be. */
  | { readonly kind: 'kept'; readonly number: number; readonly stop: StopFacts | null };

export type FromChild =
  | { readonly kind: 'tell'; readonly reports: readonly Report[] }
  | { readonly kind: 'keep'; readonly number: number; readonly write: Keep }
  | { readonly kind: 'ended'; readonly outcome: Outcome };
