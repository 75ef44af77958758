import type { Instant } from '../core/clock.ts';
import type { JobEvent } from '../core/event.ts';
import type { Job, JobError } from '../core/job.ts';
import type { LabelName } from '../core/job-labels.ts';
import { isTerminal, type Phase } from '../core/phase.ts';
import { delayOf, errorOf, isAnnotation } from './trail.ts';

/** What is fixed when a job is made and no event repeats. */
export type BirthFacts = Pick<
  Job,
  | 'tenant'
  | 'id'
  | 'type'
  | 'queue'
  | 'lifecycle'
  | 'lifecycleVersion'
  | 'policy'
  | 'maxAttempts'
  | 'deadlineAt'
  | 'input'
  | 'metadata'
  | LabelName
>;

/** What the events say about the row; a later renewal or quiet move may have gone further. */
export interface FoldedFacts {
  readonly state: string;
  readonly phase: Phase;
  readonly epoch: number;
  readonly version: number;
  readonly attempts: number;
  readonly retryCount: number;
  readonly backoffMs: number | null;
  readonly progress: number;
  readonly stage: string | null;
  readonly message: string | null;
  readonly error: JobError | null;
  readonly isCancelWished: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly startedAt: Instant | null;
  readonly completedAt: Instant | null;
}

/** Rebuilds the row from its events, in version order and without notes. Null: there are none. */
export function foldEvents(
  birth: BirthFacts,
  events: readonly JobEvent[],
): (BirthFacts & FoldedFacts) | null {
  const [first, ...later] = events;
  if (first === undefined) return null;
  let facts = applyEvent(atBirth(first), first);
  for (const event of later) facts = applyEvent(facts, event);
  return { ...birth, ...facts };
}

function atBirth(first: JobEvent): FoldedFacts {
  return {
    state: first.to,
    phase: first.phase,
    epoch: first.epoch,
    version: 0,
    attempts: 0,
    retryCount: 0,
    backoffMs: null,
    progress: 0,
    stage: null,
    message: null,
    error: null,
    isCancelWished: false,
    createdAt: first.at,
    updatedAt: first.at,
    startedAt: null,
    completedAt: null,
  };
}

function applyEvent(facts: FoldedFacts, event: JobEvent): FoldedFacts {
  const isEnd = isTerminal(event.phase) && !isAnnotation(event);
  const isWish = event.type === 'job_cancel_requested';
  return {
    state: event.to,
    phase: event.phase,
    epoch: event.epoch,
    version: event.version,
    attempts: event.attempt,
    retryCount: event.retryCount,
    backoffMs: backoffAfter(facts, event),
    progress: event.progress,
    stage: event.stage,
    message: event.message,
    error: event.type === 'job_succeeded' ? null : (errorOf(event) ?? facts.error),
    isCancelWished: !isEnd && (isWish || facts.isCancelWished),
    createdAt: facts.createdAt,
    updatedAt: event.at,
    startedAt: facts.startedAt ?? (event.phase === 'executing' ? event.at : null),
    completedAt: isEnd ? event.at : facts.completedAt,
  };
}

/**
 * A retry that costs an attempt chooses a backoff, of 0 ms too; one that a table lets go round
 * without a guard, and a lost job that is ready at once, keep the one they had.
 */
function backoffAfter(facts: FoldedFacts, event: JobEvent): number | null {
  const isRetry = event.type === 'job_retry_scheduled' && errorOf(event) !== null;
  const isChosen = isRetry && (delayOf(event) > 0 || event.attempt > facts.attempts);
  return isChosen ? delayOf(event) : facts.backoffMs;
}
