import type { Instant } from '../core/clock.ts';
import type { DlqReason } from '../core/error-class.ts';
import type { JobEvent } from '../core/event.ts';
import type { Job, JobError, JsonText } from '../core/job.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { Policy } from '../core/policy.ts';

/** `unknown`: the answer was lost, so the operation may or may not have happened. */
export type Outcome = 'ok' | 'fail' | 'unknown';

/** A client's request for a new job. */
export interface SubmitOperation {
  readonly kind: 'submit';
  readonly tenant: string;
  readonly outcome: Outcome;
  /** The id that the client brought or was told; null if it knows none. */
  readonly jobId: string | null;
  /** The correlation id of the request, by which its job is known when the answer was lost. */
  readonly correlationId: string | null;
  readonly idempotency: { readonly key: string; readonly windowMs: number } | null;
}

/** An owner's report of success. */
export interface CompleteOperation {
  readonly kind: 'complete';
  readonly tenant: string;
  readonly outcome: Outcome;
  readonly jobId: string;
  readonly owner: string;
  readonly epoch: number;
  readonly result: JsonText | null;
}

export type Operation = SubmitOperation | CompleteOperation;

/** A handler's own record of one run, kept outside the platform. Null: it was cut off. */
export interface LedgerEntry {
  readonly tenant: string;
  readonly jobId: string;
  readonly epoch: number;
  readonly attempt: number;
  readonly owner: string;
  readonly startedAt: Instant;
  readonly endedAt: Instant | null;
}

/** What is checked of a dead letter. */
export interface DeadLetterCopy {
  readonly tenant: string;
  readonly jobId: string;
  readonly reasonCode: DlqReason;
  readonly lastError: JobError;
  readonly attempts: number;
}

/** Everything that a run has left behind. Without a history or a ledger their checks are mute. */
export interface HistoryInput {
  readonly lifecycles: readonly Lifecycle[];
  readonly policies: ReadonlyMap<number, Policy>;
  readonly jobs: readonly Job[];
  /** In any order, notes among them unless `areNotesKept` is false. */
  readonly events: readonly JobEvent[];
  readonly deadLetters: readonly DeadLetterCopy[];
  /** True unless said otherwise. */
  readonly areNotesKept?: boolean;
  readonly history?: readonly Operation[];
  readonly ledger?: readonly LedgerEntry[];
  /** Ids (as `tenant/id`) that retention has removed, legally. */
  readonly purged?: ReadonlySet<string>;
}
