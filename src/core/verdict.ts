import type { DeadLetterDraft, Facts, Failure, Request } from './decision.ts';
import { dlqReasonOf, isKnownErrorClass, isLoss } from './error-class.ts';
import type { JobError } from './job.ts';
import type { Guard, Place, Transition } from './lifecycle.ts';
import type { Phase } from './phase.ts';
import { isRetryable } from './policy.ts';

/** What a failure means for the job: which guards hold, and whether its tries are used up. */
export interface Verdict {
  readonly guards: readonly Guard[];
  readonly isExhausted: boolean;
}

/** The error that a request brings with it, as the job will keep it. */
export function failureOf(facts: Facts, request: Request): JobError | null {
  switch (request.on) {
    case 'fail':
    case 'reject':
    case 'exhaust':
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
  const retryable = isLoss(failure.class) || isRetryable(facts.policy, failure.class);
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

/** Weighs a failure against the policy. */
export function judge(facts: Facts, request: Request, failure: JobError | null): Verdict {
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

/** The error that the job has after a step: undefined keeps the stored one, null clears it. */
export function errorAfter(
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

/** Why it happened, in a word, for the event. */
export function causeOf(request: Request, failure: JobError | null): string | null {
  switch (request.on) {
    case 'lose':
      return 'lease_expired';
    case 'cancel':
      return request.reason ?? 'cancelled';
    case 'deadLetter':
      return request.cause ?? request.reason;
    case 'release':
      return request.cause ?? null;
    default:
      return failure?.class ?? null;
  }
}

/** The dead letter that an end leaves behind, if it leaves one. */
export function deadLetterOf(
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
