import type { DlqReason } from './error-class.ts';
import type { EventType } from './event.ts';
import type { JobError } from './job.ts';
import type { Lifecycle, Place } from './lifecycle.ts';
import type { Policy } from './policy.ts';

/** What led to a failure. */
export interface FailureCause {
  readonly class: string;
  readonly message: string;
  readonly code?: string | null;
  readonly stack?: string | null;
  readonly details?: unknown;
}

/** What went wrong, as a handler, a worker or an operator reports it. */
export interface Failure {
  readonly class: string;
  readonly message: string;
  readonly code?: string | null;
  readonly stage?: string | null;
  readonly details?: unknown;
  readonly stack?: string | null;
  readonly causes?: readonly FailureCause[];
  /** The class and those it is derived from, the most derived first; `class` alone if left out. */
  readonly classes?: readonly string[];
  /** Whether the worker, which has the error itself, would try again. */
  readonly retryable?: boolean;
}

export type Request =
  | { readonly on: 'submit' | 'start' | 'requeue' | 'lose' | 'succeed' }
  /** `cause`: where it is not the owner who gives the job back. */
  | { readonly on: 'release'; readonly cause?: string }
  | { readonly on: 'snooze' | 'advance'; readonly delayMs: number }
  | { readonly on: 'fail'; readonly error: Failure; readonly deadLetter?: DlqReason | null }
  | { readonly on: 'reject' | 'exhaust'; readonly error: Failure }
  | { readonly on: 'cancel'; readonly reason: string | null }
  | {
      readonly on: 'deadLetter';
      readonly reason: DlqReason;
      readonly message: string;
      /** For the event, where the reason alone does not say it. */
      readonly cause?: string;
    };

/** What a decision depends on: nothing else, and no clock. */
export interface Facts {
  readonly type: string;
  readonly lifecycle: Lifecycle;
  readonly policy: Policy;
  readonly place: Place;
  readonly epoch: number;
  readonly attempts: number;
  readonly retryCount: number;
  readonly backoffMs: number | null;
  readonly stage: string | null;
  readonly isCancelWished: boolean;
}

/** One listed row, taken: everything the job's row and its event need. */
export interface Step {
  readonly from: Place;
  readonly to: Place;
  readonly epoch: number;
  readonly quiet: boolean;
  readonly attempts: number;
  readonly retryCount: number;
  /** From now until the job is due again. */
  readonly delayMs: number;
  /** The wait chosen by the backoff, where one was; null keeps what is stored. */
  readonly backoffMs: number | null;
  /** Undefined keeps the stored error, null clears it. */
  readonly error: JobError | null | undefined;
  readonly event: EventType;
  readonly cause: string | null;
}

export interface DeadLetterDraft {
  readonly reason: DlqReason;
  readonly failureStage: string;
  readonly error: JobError;
}

export type Decision =
  | {
      readonly isLegal: true;
      readonly steps: readonly Step[];
      readonly deadLetter: DeadLetterDraft | null;
    }
  | { readonly isLegal: false; readonly reason: string };
