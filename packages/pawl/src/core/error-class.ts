import type { JobError } from './job.ts';

/** Why a job ended in the dead-letter queue. */
export const DLQ_REASONS = [
  'parse_error',
  'validation_failed',
  'dependency_unavailable',
  'timeout',
  'exhausted_retries',
  'policy_violation',
  'infrastructure_failure',
  'compensation_failed',
] as const;

export type DlqReason = (typeof DLQ_REASONS)[number];

export function isDlqReason(word: string): word is DlqReason {
  return (DLQ_REASONS as readonly string[]).includes(word);
}

interface ErrorClass {
  readonly isRetryable: boolean;
  readonly dlqReason: DlqReason;
}

function retried(dlqReason: DlqReason): ErrorClass {
  return { isRetryable: true, dlqReason };
}

function final(dlqReason: DlqReason): ErrorClass {
  return { isRetryable: false, dlqReason };
}

/** The classes of the source documents. A type's own lists have the last word. */
const CLASSES = {
  transient_storage: retried('infrastructure_failure'),
  network_timeout: retried('timeout'),
  ai_rate_limit: retried('dependency_unavailable'),
  model_overloaded: retried('dependency_unavailable'),
  validation_error: final('validation_failed'),
  unsupported_format: final('parse_error'),
  quota_exceeded: final('policy_violation'),
  internal_bug: final('infrastructure_failure'),
  corruption_detected: final('parse_error'),
  transient_system_error: retried('infrastructure_failure'),
  timeout: retried('timeout'),
  queue_overload: retried('infrastructure_failure'),
  dependency_unavailable: retried('dependency_unavailable'),
  invalid_document: final('parse_error'),
  job_validation: final('validation_failed'),
  permanent_timeout: final('timeout'),
  configuration_error: final('policy_violation'),
  resource_limit_exceeded: final('policy_violation'),
  ValidationError: final('validation_failed'),
  TransientError: retried('dependency_unavailable'),
  PermanentError: final('policy_violation'),
  LeaseConflictError: retried('infrastructure_failure'),
  deadline_exceeded: final('timeout'),
  worker_lost: retried('infrastructure_failure'),
  handler_crashed: retried('infrastructure_failure'),
} as const satisfies Record<string, ErrorClass>;

export type ErrorClassName = keyof typeof CLASSES;

export const ERROR_CLASSES: Readonly<Record<string, ErrorClass>> = CLASSES;

/** What ran the attempt died with it, which no type's list can know in advance: always retried. */
const LOSSES: readonly string[] = ['worker_lost', 'handler_crashed'];

export function isLoss(errorClass: string): boolean {
  return LOSSES.includes(errorClass);
}

function find(errorClass: string): ErrorClass | undefined {
  return Object.hasOwn(ERROR_CLASSES, errorClass) ? ERROR_CLASSES[errorClass] : undefined;
}

/** True of a class that is never retried unless a type lists it. */
export function isFinalClass(errorClass: string): boolean {
  return find(errorClass)?.isRetryable === false;
}

/**
 * The dead-letter reason of an error that ended a job for good, by the first of its classes that
 * has one; exhaustion has its own reason.
 */
export function dlqReasonOf(classes: readonly string[]): DlqReason {
  const known = classes.map(find).find((one) => one !== undefined);
  return known?.dlqReason ?? 'infrastructure_failure';
}

/** The stable code of an error: that of the handler, or one such as CONVERT_UNSUPPORTED_FORMAT. */
export function errorCodeOf(type: string, error: Pick<JobError, 'class' | 'code'>): string {
  if (error.code !== null && error.code !== '') return error.code;
  const words = `${type}_${error.class}`.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2');
  return words.replaceAll(/[^A-Za-z\d]+/g, '_').toUpperCase();
}
