import { brandErrors, hasErrorBrand } from '../core/error-brand.ts';
import { PawlError } from '../core/errors.ts';
import type { JobError } from '../core/job.ts';
import type { DeadLetterSnapshot, JobSnapshot } from './job-snapshot.ts';

/** What both bad ends of a job say of it. */
abstract class EndedBadly extends Error {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: number;
  readonly job: JobSnapshot;

  constructor(message: string, job: JobSnapshot) {
    super(message, job.error === null ? undefined : { cause: errorAgain(job.error) });
    this.id = job.id;
    this.type = job.type;
    this.state = job.state;
    this.attempts = job.attempts;
    this.job = job;
  }
}

/** The job ended as failed or dead. The error of its handler is in `error` and `cause`. */
export class JobFailed extends EndedBadly {
  /** As it was kept: class, message, code, stage, and the rest that was known of it. */
  readonly error: JobError;
  readonly deadLetter: DeadLetterSnapshot | null;

  constructor(job: JobSnapshot, deadLetter: DeadLetterSnapshot | null) {
    const error = job.error ?? UNKNOWN;
    const tries = job.attempts === 1 ? '1 attempt' : `${job.attempts} attempts`;
    const how = `job ${job.id} of type "${job.type}" ended as ${job.state} after ${tries}`;
    super(`${how}: ${error.class}: ${error.message}`, job);
    this.name = 'JobFailed';
    this.error = error;
    this.deadLetter = deadLetter;
  }
}

/** The job was cancelled before it could succeed. */
export class JobCancelled extends EndedBadly {
  readonly error: JobError | null;

  constructor(job: JobSnapshot) {
    super(`job ${job.id} of type "${job.type}" was cancelled`, job);
    this.name = 'JobCancelled';
    this.error = job.error;
  }
}

/**
 * The job does not exist: retention removed it, or the transaction that created it was not
 * committed.
 */
export class JobGone extends PawlError {
  readonly id: string;

  constructor(id: string, cause?: unknown) {
    const why = 'retention removed it, or the transaction that created it is not committed';
    super('NOT_FOUND', `there is no job ${id}: ${why}`, { cause });
    this.name = 'JobGone';
    this.id = id;
  }
}

/** The job did not end within the caller's `timeout`. The job itself continues. */
export class WaitTimeout extends Error {
  readonly id: string;
  readonly state: string | null;

  constructor(id: string, { state, why }: { state: string | null; why: string }) {
    super(`job ${id} has not ended ${why}${state === null ? '' : `: it is ${state}`}`);
    this.name = 'WaitTimeout';
    this.id = id;
    this.state = state;
  }
}

brandErrors(JobFailed.prototype, 'JobFailed');
brandErrors(JobCancelled.prototype, 'JobCancelled');
brandErrors(WaitTimeout.prototype, 'WaitTimeout');

/** Whether an error is a JobFailed, also of another copy of the package. */
export function isJobFailed(error: unknown): error is JobFailed {
  return hasErrorBrand(error, 'JobFailed');
}

/** Whether an error is a JobCancelled, also of another copy of the package. */
export function isJobCancelled(error: unknown): error is JobCancelled {
  return hasErrorBrand(error, 'JobCancelled');
}

/** For a lifecycle that ends badly without an error. */
const UNKNOWN: JobError = {
  class: 'unknown',
  message: 'no error was kept',
  code: null,
  stage: null,
  retryable: false,
};

/** The handler's error as an Error, so that consoles and trackers show its name and stack. */
function errorAgain(kept: JobError): Error {
  const error = new Error(kept.message);
  error.name = kept.class;
  const { stack } = kept as { readonly stack?: string };
  if (stack === undefined) delete error.stack;
  else error.stack = stack;
  return error;
}
