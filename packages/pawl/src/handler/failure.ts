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

/** It may work the next time: retried, unless the type says otherwise. */
export class TransientError extends JobFailure {
  constructor(message: string, more?: FailureDetails) {
    super('TransientError', message, more);
  }
}

/** It will never work: not retried, unless the type says otherwise. */
export class PermanentError extends JobFailure {
  constructor(message: string, more?: FailureDetails) {
    super('PermanentError', message, more);
  }
}

/** Another owner was there first: retried, unless the type says otherwise. */
export class LeaseConflictError extends JobFailure {
  constructor(message: string, more?: FailureDetails) {
    super('LeaseConflictError', message, more);
  }
}
