import type { Instant } from '../core/clock.ts';
import type { Job, JobRef, JsonText } from '../core/job.ts';
import { type JobLabels, labelsIn } from '../core/job-labels.ts';
import type { Place } from '../core/lifecycle.ts';
import type { RecordOp, Refusal } from './records.ts';
import type { StageResult } from './stage-result.ts';
import { type UniqueClaim, uniqueRunAt } from './unique.ts';

/** One job per (tenant, key) within the window; the hash tells a repeat from a reuse. */
export interface IdempotencyClaim {
  readonly key: string;
  readonly payloadHash: string;
  readonly windowMs: number;
}

/** A job to be inserted. Labels that are left out are null. */
export interface NewJob extends JobRef, Partial<JobLabels> {
  readonly type: string;
  readonly queue: string;
  readonly lifecycle: string;
  readonly lifecycleVersion: number;
  readonly policy: number;
  readonly maxAttempts: number;
  /**
   * Where the job stands at birth, one event each: version 1 is `job_created` in the first place,
   * version 2 (if there is a second) `job_queued`. Epoch 1, attempts 0, progress 0.
   */
  readonly places: readonly Place[];
  readonly priority: number;
  /** Not claimable before this time; null is now. */
  readonly runAt: Instant | null;
  readonly deadlineAt: Instant | null;
  readonly input: JsonText;
  readonly metadata: JsonText | null;
  readonly idempotency: IdempotencyClaim | null;
  readonly unique?: UniqueClaim;
  /** Stage results that the job's first attempt finds, kept at its birth. Left out: none. */
  readonly stages?: readonly Omit<StageResult, 'at'>[];
  readonly actor: string;
}

/**
 * `created`: the job is new, born at the database's time `at`. `replayed`: the key (with this
 * hash) already made the job `id`. `conflict`: the key made `id` from another payload. `exists`:
 * the id is taken. `busy`: the type allows one active job per document, and that is `id`.
 * `throttled`, `debounced`, `replaced`: the job `id` stands for the newcomer by its unique key (and
 * from now on by its idempotency key too). The key is looked at first, then the unique key, then
 * the id, then the document. Two items of one call behave as if they came
 * one after the other. A key whose window has passed (now >= its birth + windowMs as then given),
 * or whose job is gone, is free again.
 */
export type InsertOutcome =
  | { readonly kind: 'created'; readonly at: Instant }
  | {
      readonly kind:
        | 'replayed'
        | 'conflict'
        | 'exists'
        | 'busy'
        | 'throttled'
        | 'debounced'
        | 'replaced';
      readonly id: string;
    };

export interface InsertOptions {
  /**
   * All or nothing: where one item is neither created nor stood for by another job (`conflict`,
   * `exists`, `busy`) nothing is written, and `created` says what would have been.
   */
  readonly isWhole?: boolean;
}

/** Inserts jobs without record ops. */
export type InsertJobs = (
  jobs: readonly NewJob[],
  options?: InsertOptions,
) => Promise<InsertOutcome[]>;

const REFUSALS: ReadonlySet<InsertOutcome['kind']> = new Set(['conflict', 'exists', 'busy']);

/** Whether an outcome refuses a call that is to be written as a whole. */
export function isRefusal({ kind }: InsertOutcome): boolean {
  return REFUSALS.has(kind);
}

/**
 * Record ops in the transaction of an insert: all or nothing. If a condition fails, the call is
 * refused and no job is created. `outcomeMark(i)` in a body is replaced by the outcome of job i
 * (its kind, and its id unless it was created); a put with `ifCreated` is skipped unless that job
 * was.
 */
export interface InsertWithOptions extends InsertOptions {
  readonly with: readonly RecordOp[];
}

export type InsertWithOutcome =
  | {
      readonly kind: 'inserted';
      readonly at: Instant;
      readonly outcomes: readonly InsertOutcome[];
    }
  | Refusal;

/** The job that an insert at time `at` has stored: what a caller need not read back. */
export function jobAtBirth(job: NewJob, at: Instant): Job {
  const place = job.places.at(-1)!;
  return {
    tenant: job.tenant,
    id: job.id,
    type: job.type,
    queue: job.queue,
    lifecycle: job.lifecycle,
    lifecycleVersion: job.lifecycleVersion,
    policy: job.policy,
    state: place.state,
    phase: place.phase,
    epoch: 1,
    version: job.places.length,
    priority: job.priority,
    runAt: job.runAt ?? uniqueRunAt(job.unique, at),
    deadlineAt: job.deadlineAt,
    attempts: 0,
    maxAttempts: job.maxAttempts,
    retryCount: 0,
    backoffMs: null,
    revision: null,
    isPinned: false,
    progress: 0,
    stage: null,
    message: null,
    owner: null,
    leaseExpiry: null,
    cancel: null,
    createdAt: at,
    updatedAt: at,
    startedAt: null,
    completedAt: null,
    error: null,
    input: job.input,
    result: null,
    checkpoint: null,
    metadata: job.metadata,
    ...labelsIn(job),
  };
}
