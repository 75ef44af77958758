import type { Failure } from '../../core/decision.ts';
import type { FlowAnswer, FlowCall } from '../../core/flow.ts';
import type { KeptArtifact } from '../../handler/artifact.ts';
import type { AttemptFacts, Keep, Report } from '../../handler/attempt-port.ts';
import type { Outcome } from '../../handler/execute.ts';
import type { StopFacts } from '../../handler/stop.ts';
import type { StreamWord } from './stream.ts';

/** Which job to run: the module's export must be the job of this type. */
export interface RunOrder {
  readonly kind: 'run';
  readonly module: string;
  readonly export: string;
  readonly type: string;
  readonly facts: AttemptFacts;
}

/** What a handler asks of its worker. The content of an artifact flows under the same number. */
export type Wish =
  | { readonly kind: 'keep'; readonly write: Keep }
  | { readonly kind: 'put'; readonly name: string; readonly contentType: string }
  | { readonly kind: 'open'; readonly id: string }
  | { readonly kind: 'flow'; readonly call: FlowCall };

/** What comes of a wish: an artifact, what is known of waits, or nothing. */
export type Granted = KeptArtifact | FlowAnswer | null;

/** Done, with what came of it; or why it will never be. */
export type Answer =
  | { readonly kind: 'done'; readonly granted: Granted }
  | { readonly kind: 'stop'; readonly stop: StopFacts }
  | { readonly kind: 'failure'; readonly failure: Failure };

/** What a worker says to the thread or process of a handler. */
export type ToChild =
  | RunOrder
  | { readonly kind: 'stop'; readonly stop: StopFacts }
  | { readonly kind: 'answer'; readonly number: number; readonly answer: Answer }
  | StreamWord;

export type FromChild =
  | { readonly kind: 'tell'; readonly reports: readonly Report[] }
  | { readonly kind: 'ask'; readonly number: number; readonly wish: Wish }
  /** Clean: it left nothing behind that could harm the next. */
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly isClean: boolean }
  /** An error that nobody caught, when the attempt it came from had ended. */
  | { readonly kind: 'late'; readonly jobId: string | null; readonly failure: Failure }
  | StreamWord;
