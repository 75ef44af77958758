import { type DlqReason, dlqReasonOf, isKnownErrorClass } from './error-class.ts';
import { type EventType, eventTypeOf } from './event.ts';
import type { JobError } from './job.ts';
import {
  type Guard,
  type Lifecycle,
  opensEpoch,
  type Place,
  placeName,
  rowsOf,
  type Transition,
  type Trigger,
} from './lifecycle.ts';
import { findPath } from './path.ts';
import type { Phase } from './phase.ts';
import { isRetryable, type Policy } from './policy.ts';
import type { Random } from './random.ts';
import { backoffMs } from './retry.ts';

/** What went wrong, as a handler, a worker or an operator reports it. */
export interface Failure {
  readonly class: string;
  readonly message: string;
  readonly code?: string | null;
  readonly stage?: string | null;
  readonly details?: unknown;
}

export type Request =
  | { readonly on: 'submit' | 'start' | 'requeue' | 'release' | 'lose' | 'succeed' }
  | { readonly on: 'snooze' | 'advance'; readonly delayMs: number }
  | { readonly on: 'fail'; readonly error: Failure; readonly deadLetter?: DlqReason | null }
  | { readonly on: 'reject'; readonly error: Failure }
  | { readonly on: 'cancel'; readonly reason: string | null }
  | { readonly on: 'deadLetter'; readonly reason: DlqReason; readonly message: string };

/** What a decision depends on: nothing else, and no clock. */
export interface Facts {
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

/** With a cancel wish pending these end the job instead; a success still wins. */
const YIELDS_TO_CANCEL: readonly Trigger[] = ['fail', 'snooze', 'advance', 'release', 'lose'];

/** Where a trigger may be led by a chain of listed rows when it has no row of its own. */
const CHAIN_GOALS: Partial<Record<Trigger, readonly Phase[]>> = {
  cancel: ['cancelled'],
  fail: ['failed', 'dead'],
  lose: ['failed', 'dead'],
};

/** Chooses the next steps of a job. The only place where a transition is decided. */
export function decide(facts: Facts, asked: Request, random: Random): Decision {
  const request: Request =
    facts.isCancelWished && YIELDS_TO_CANCEL.includes(asked.on)
      ? { on: 'cancel', reason: 'a cancel was pending' }
      : asked;
  const failure = failureOf(facts, request);
  const verdict = judge(facts, request, failure);
  const rows = chooseRows(facts, request.on, verdict.guards);
  if (rows === null) return { isLegal: false, reason: refusal(facts, request.on) };
  const steps = takeRows(facts, request, { rows, failure, verdict, random });
  const deadLetter = deadLetterOf(facts, request, { failure, verdict, end: steps.at(-1)!.to });
  return { isLegal: true, steps, deadLetter };
}

interface Verdict {
  readonly guards: readonly Guard[];
  readonly isExhausted: boolean;
}

interface Course {
  readonly rows: readonly Transition[];
  readonly failure: JobError | null;
  readonly verdict: Verdict;
  readonly random: Random;
}

function failureOf(facts: Facts, request: Request): JobError | null {
  switch (request.on) {
    case 'fail':
    case 'reject':
      return jobErrorOf(facts, request.error);
    case 'lose':
      return jobErrorOf(facts, {
        class: 'worker_lost',
        message: 'the worker stopped renewing its lease',
      });
    case 'deadLetter':
      // A reason is no error class: whether such a class would be retried says nothing here.
      return {
        class: request.reason,
        message: request.message,
        code: null,
        stage: facts.stage,
        retryable: false,
      };
    default:
      return null;
  }
}

function jobErrorOf(facts: Facts, failure: Failure): JobError {
  const retryable = failure.class === 'worker_lost' || isRetryable(facts.policy, failure.class);
  const isDeclared = retryable || isKnownErrorClass(failure.class);
  const hint = `(class "${failure.class}" is declared nowhere, so it is not retried)`;
  return {
    class: failure.class,
    message: isDeclared ? failure.message : `${failure.message} ${hint}`,
    code: failure.code ?? null,
    stage: failure.stage ?? facts.stage,
    retryable,
    ...(failure.details === undefined ? {} : { details: failure.details }),
  };
}

function judge(facts: Facts, request: Request, failure: JobError | null): Verdict {
  if (failure === null) return { guards: [], isExhausted: false };
  const hasAttemptsLeft = facts.attempts < facts.policy.retry.maxAttempts;
  const wishesDeath = request.on === 'fail' && (request.deadLetter ?? null) !== null;
  const mayRetry = failure.retryable && hasAttemptsLeft && !wishesDeath;
  const isExhausted = failure.retryable && !hasAttemptsLeft;
  const deadByPolicy = isExhausted && facts.policy.onExhausted === 'dead_lettered';
  const guards: Guard[] = [];
  if (mayRetry) guards.push('mayRetry');
  if (wishesDeath || deadByPolicy) guards.push('deadLetters');
  return { guards, isExhausted };
}

function chooseRows(
  facts: Facts,
  on: Trigger,
  guards: readonly Guard[],
): readonly Transition[] | null {
  const direct = rowsOf(facts.lifecycle, on, facts.place).find(
    (row) => row.when === null || guards.includes(row.when),
  );
  if (direct !== undefined) return [direct];
  const goals = CHAIN_GOALS[on];
  const isOpen = on === 'cancel' || rowsOf(facts.lifecycle, on, facts.place).length > 0;
  return goals !== undefined && isOpen ? findPath(facts.lifecycle, facts.place, goals) : null;
}

function takeRows(facts: Facts, request: Request, course: Course): readonly Step[] {
  const { rows, verdict } = course;
  const isGranted = verdict.guards.includes('mayRetry');
  let { epoch, attempts, retryCount } = facts;
  return rows.map((row) => {
    if (opensEpoch(row.from, row.to)) epoch += 1;
    if (row.countsRetry) retryCount += 1;
    if (row.when === 'mayRetry' && isGranted) attempts += 1;
    const wait = waitOf(facts, request, { row, isGranted, random: course.random });
    return {
      from: row.from,
      to: row.to,
      epoch,
      quiet: row.quiet,
      attempts,
      retryCount,
      ...wait,
      error: errorAfter(facts, request, { row, failure: course.failure }),
      event: stepEvent(row, isGranted),
      cause: causeOf(request, course.failure),
    };
  });
}

/** A failure that only passes through a waiting state schedules no retry, and must not say so. */
function stepEvent(row: Transition, isGranted: boolean): EventType {
  if (row.when === 'mayRetry' && !isGranted) return 'job_failed';
  return eventTypeOf(row.on, row.to.phase);
}

function waitOf(
  facts: Facts,
  request: Request,
  taken: { row: Transition; isGranted: boolean; random: Random },
): { delayMs: number; backoffMs: number | null } {
  const { row, isGranted, random } = taken;
  if (request.on === 'snooze' || request.on === 'advance') {
    return { delayMs: request.delayMs, backoffMs: null };
  }
  const isImmediate = row.on === 'lose' && row.to.phase === 'ready';
  if (row.when !== 'mayRetry' || !isGranted || isImmediate) return { delayMs: 0, backoffMs: null };
  const retry = { number: facts.attempts, previousMs: facts.backoffMs };
  const delayMs = backoffMs(facts.policy.retry.backoff, retry, random);
  return { delayMs, backoffMs: delayMs };
}

function errorAfter(
  facts: Facts,
  request: Request,
  taken: { row: Transition; failure: JobError | null },
): JobError | null | undefined {
  if (request.on === 'succeed') return null;
  if (taken.failure !== null) return taken.failure;
  const { to } = taken.row;
  if (to.phase !== 'cancelled') return undefined;
  // Where the document's only word for a cancelled job is its word for failure, it has an error.
  const looksFailed = facts.lifecycle.places.some(
    (place) => place.state === to.state && place.phase === 'failed',
  );
  if (!looksFailed) return undefined;
  const reason = request.on === 'cancel' ? request.reason : null;
  return {
    class: 'cancelled',
    message: reason ?? 'the job was cancelled',
    code: null,
    stage: facts.stage,
    retryable: false,
  };
}

function causeOf(request: Request, failure: JobError | null): string | null {
  switch (request.on) {
    case 'lose':
      return 'lease_expired';
    case 'cancel':
      return request.reason ?? 'cancelled';
    default:
      return failure?.class ?? null;
  }
}

function deadLetterOf(
  facts: Facts,
  request: Request,
  outcome: { failure: JobError | null; verdict: Verdict; end: Place },
): DeadLetterDraft | null {
  const { failure, verdict, end } = outcome;
  if (failure === null) return null;
  const wish = request.on === 'fail' ? (request.deadLetter ?? null) : null;
  const { dlq } = facts.policy;
  const isCopied =
    end.phase === 'dead' ||
    (end.phase === 'failed' &&
      (wish !== null || dlq === 'failed' || (dlq === 'exhausted' && verdict.isExhausted)));
  if (!isCopied) return null;
  const given = request.on === 'deadLetter' ? request.reason : wish;
  const reason = given ?? (verdict.isExhausted ? 'exhausted_retries' : dlqReasonOf(failure.class));
  return { reason, failureStage: failure.stage ?? stageOfPhase(facts.place.phase), error: failure };
}

/** Where a job without stages of its own was, in the words of the staged dead-letter queue. */
function stageOfPhase(phase: Phase): string {
  if (phase === 'executing') return 'exec';
  return phase === 'leased' ? 'input' : 'fetch';
}

function refusal(facts: Facts, on: Trigger): string {
  const name = `${facts.lifecycle.name} v${facts.lifecycle.version}`;
  if (on === 'cancel' && !facts.lifecycle.places.some((place) => place.phase === 'cancelled')) {
    return `the lifecycle ${name} has no cancellation`;
  }
  return `the lifecycle ${name} lists no ${on} from ${placeName(facts.place)}`;
}
