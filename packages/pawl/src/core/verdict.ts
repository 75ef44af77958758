import { boundedFailure } from './bounded-error.ts';
import { BOUNDS } from './bounds.ts';
import type { DeadLetterDraft, Facts, Failure, Request } from './decision.ts';
import { type DlqReason, dlqReasonOf } from './error-class.ts';
import type { JobError } from './job.ts';
import type { Guard, Place, Transition } from './lifecycle.ts';
import type { Phase } from './phase.ts';
import { classesOf, judgeRetry, retryHint } from './retry-rule.ts';
import { boundedText } from './text.ts';

/** What a failure means for the job: which guards hold, and whether its tries are used up. */
export interface Verdict {
  readonly guards: readonly Guard[];
  readonly isExhausted: boolean;
}

/** The error that a request brings with it, as the job will keep it. */
export function failureOf(facts: Facts, request: Request): JobError | null {
  switch (request.on) {
    case 'fail':
      return jobErrorOf(facts, request.error, {
        mayWishRetry: (request.deadLetter ?? null) === null,
      });
    case 'reject':
    case 'exhaust':
      return jobErrorOf(facts, request.error, { mayWishRetry: false });
    case 'lose':
      return jobErrorOf(facts, LOSS, { mayWishRetry: true });
    case 'deadLetter':
      return wordOf(facts, { class: request.reason, message: request.message });
    default:
      return null;
  }
}

const LOSS: Failure = {
  class: 'worker_lost',
  message: 'the worker stopped renewing its lease',
};

function jobErrorOf(
  facts: Facts,
  reported: Failure,
  { mayWishRetry }: { mayWishRetry: boolean },
): JobError {
  const {
    class: errorClass,
    message,
    code,
    stage,
    details,
    stack,
    causes,
    ...judged
  } = boundedFailure(reported);
  const { policy } = facts;
  const judgement = judgeRetry(policy, { class: errorClass, message, ...judged });
  const isSurprising = mayWishRetry && !judgement.isRetried && hasAttemptsLeft(facts);
  const hint = isSurprising ? retryHint(facts.type, policy, judgement) : null;
  return {
    class: errorClass,
    message,
    code: code ?? null,
    stage: stage ?? facts.stage,
    retryable: judgement.isRetried,
    ...(hint === null ? {} : { hint: boundedText(hint, BOUNDS.errorHint) }),
    ...(details === undefined ? {} : { details }),
    ...(stack === undefined ? {} : { stack }),
    ...(causes === undefined ? {} : { causes }),
  };
}

/** What somebody said of a job. It has no class of an error, so nothing in it is retried. */
function wordOf(facts: Facts, said: Failure): JobError {
  const { class: word, message } = boundedFailure(said);
  return { class: word, message, code: null, stage: facts.stage, retryable: false };
}

function hasAttemptsLeft({ attempts, policy }: Facts): boolean {
  return attempts < policy.retry.maxAttempts;
}

/** Weighs a failure against the policy. */
export function judge(facts: Facts, request: Request, failure: JobError | null): Verdict {
  if (failure === null) return { guards: [], isExhausted: false };
  const isLeft = hasAttemptsLeft(facts);
  const wishesDeath = request.on === 'fail' && (request.deadLetter ?? null) !== null;
  const mayRetry = failure.retryable && isLeft && !wishesDeath;
  const isExhausted = failure.retryable && !isLeft;
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
  return wordOf(facts, { class: 'cancelled', message: reason ?? 'the job was cancelled' });
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
  const reason = given ?? (verdict.isExhausted ? 'exhausted_retries' : reasonOf(request, failure));
  return { reason, failureStage: failure.stage ?? stageOfPhase(facts.place.phase), error: failure };
}

function reasonOf(request: Request, failure: JobError): DlqReason {
  return dlqReasonOf('error' in request ? classesOf(request.error) : [failure.class]);
}

/** Where a job without stages of its own was, in the words of the staged dead-letter queue. */
function stageOfPhase(phase: Phase): string {
  if (phase === 'executing') return 'exec';
  return phase === 'leased' ? 'input' : 'fetch';
}
