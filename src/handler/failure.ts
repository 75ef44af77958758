import type { Failure } from '../core/decision.ts';
import { brandErrors, hasErrorBrand } from '../core/error-brand.ts';
import type { DlqReason } from '../core/error-class.ts';

/** What a failure says besides its class and message. */
export interface FailureDetails {
  readonly code?: string;
  readonly details?: unknown;
  /** Ends the job at once and files it under this reason. */
  readonly deadLetter?: DlqReason;
  readonly cause?: unknown;
}

/** A failed attempt in the platform's terms: its class decides whether it is tried again. */
export class JobFailure extends Error {
  readonly class: string;
  readonly code: string | null;
  readonly details: unknown;
  readonly deadLetter: DlqReason | null;

  constructor(errorClass: string, message: string, more: FailureDetails = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = errorClass;
    this.class = errorClass;
    this.code = more.code ?? null;
    this.details = more.details;
    this.deadLetter = more.deadLetter ?? null;
  }
}

brandErrors(JobFailure.prototype, 'JobFailure');

/** True for a JobFailure of this copy of the package, or of another. */
export function isJobFailure(error: unknown): error is JobFailure {
  return hasErrorBrand(error, 'JobFailure');
}

/** `throw fail('network_timeout', 'the mail server did not answer')` */
export function fail(errorClass: string, message: string, more?: FailureDetails): JobFailure {
  return new JobFailure(errorClass, message, more);
}

/** The input, or what a handler found in it, is wrong: never retried. */
export class ValidationError extends JobFailure {
  constructor(message: string, more?: FailureDetails) {
    super('ValidationError', message, more);
  }
}

/** It may work the next time: retried where the type allows it. */
export class TransientError extends JobFailure {
  constructor(message: string, more?: FailureDetails) {
    super('TransientError', message, more);
  }
}

/** It will never work: not retried. */
export class PermanentError extends JobFailure {
  constructor(message: string, more?: FailureDetails) {
    super('PermanentError', message, more);
  }
}

/** Another owner was there first: retried where the type allows it. */
export class LeaseConflictError extends JobFailure {
  constructor(message: string, more?: FailureDetails) {
    super('LeaseConflictError', message, more);
  }
}

/**
 * What is reported of whatever a handler threw. Errors that are no JobFailure count by their name,
 * so a plain `Error` is of the class "Error", which nobody declared and which is not retried.
 */
export function failureOf(thrown: unknown, stage: string | null): Failure {
  if (isJobFailure(thrown)) {
    const { class: errorClass, message, code, details } = thrown;
    return {
      class: errorClass,
      message,
      code,
      stage,
      ...plain(details),
    };
  }
  if (!(thrown instanceof Error)) return { class: 'Error', message: String(thrown), stage };
  const { code } = thrown as { code?: unknown };
  const known = typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {};
  return { class: thrown.name || 'Error', message: thrown.message, stage, ...known };
}

/** Details as JSON tells them: they are stored so, and must not break what carries them there. */
function plain(details: unknown): { details?: unknown } {
  try {
    const json = JSON.stringify(details);
    return json === undefined ? {} : { details: JSON.parse(json) as unknown };
  } catch (error) {
    return { details: `not to be told as JSON: ${String(error)}` };
  }
}
