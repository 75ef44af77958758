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

/** The error of a failed attempt, with its class; the class decides whether the job is retried. */
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

/** Whether an error is a JobFailure, also of another copy of the package. */
export function isJobFailure(error: unknown): error is JobFailure {
  return hasErrorBrand(error, 'JobFailure');
}

/** `throw fail('network_timeout', 'the mail server did not answer')` */
export function fail(errorClass: string, message: string, more?: FailureDetails): JobFailure {
  return new JobFailure(errorClass, message, more);
}

/** The input is invalid. The job is never retried. */
export class ValidationError extends JobFailure {
  constructor(message: string, more?: FailureDetails) {
    super('ValidationError', message, more);
  }
}

/** An error that may not occur again. The job is retried, unless its type says otherwise. */
export class TransientError extends JobFailure {
  constructor(message: string, more?: FailureDetails) {
    super('TransientError', message, more);
  }
}

/**
 * An error that another attempt cannot fix. The job is not retried, unless its type says otherwise.
 */
export class PermanentError extends JobFailure {
  constructor(message: string, more?: FailureDetails) {
    super('PermanentError', message, more);
  }
}

/** Another owner holds the resource. The job is retried, unless its type says otherwise. */
export class LeaseConflictError extends JobFailure {
  constructor(message: string, more?: FailureDetails) {
    super('LeaseConflictError', message, more);
  }
}
