import { BOUNDS, CAUSES_MAX } from './bounds.ts';
import type { Failure, FailureCause } from './decision.ts';
import type { ErrorCause } from './job.ts';
import { jsonBytes, keptText, textCost } from './kept-text.ts';
import { plainValue } from './plain-value.ts';
import { boundedText, textOf, utf8Bytes } from './text.ts';

/** What is left when class, code, stage, hint and the names of members have theirs. */
const BODY_BYTES = BOUNDS.error - 4 * 1_024;
/** What is shared out where that is not enough: marks and labels of causes need some as well. */
const SHARED_BYTES = BODY_BYTES - 5 * 1_024;
/** Escapes may make a text longer as JSON; then it must leave bytes for the other parts. */
const MESSAGE_JSON_BYTES = 1.5 * BOUNDS.errorMessage;
/** A stack whose escapes would take everything leaves this much to details and causes. */
const DETAILS_BYTES_MIN = 1_024;
const CAUSES_BYTES_MIN = 8 * 768;
const CLASSES_MAX = 16;
/** More of a name than could be kept is only counted. */
const LABEL_NEAR = 1_024;
/** With fewer bytes left than this, a cause is told by its class and message alone. */
const BUDGET_MIN = 64;

/** How many bytes an error may still take as JSON. */
class Budget {
  left: number;

  constructor(bytes: number) {
    this.left = bytes;
  }

  text(text: string, bytesMax: number, jsonBytesMax: number = this.left): string {
    const max = Math.max(0, Math.min(jsonBytesMax, this.left));
    const kept = keptText(text, { bytesMax: Math.min(bytesMax, max), jsonBytesMax: max });
    this.left -= textCost(kept);
    return kept;
  }

  value(value: unknown, bytesMax: number): unknown {
    const max = Math.min(bytesMax, this.left, BOUNDS.error);
    const kept = plainValue(value, Math.max(0, max));
    this.left -= valueCost(kept);
    return kept;
  }
}

/** A failure that is fit to be stored. */
export interface BoundedFailure extends Failure {
  readonly stack?: string;
  readonly causes?: readonly ErrorCause[];
}

/**
 * The one place that every error passes on its way into a store, and on its way out of a handler's
 * thread, process or machine: bounded, without secrets, and only of what every store can hold.
 * Doing it again changes nothing.
 */
export function boundedFailure(failure: Failure): BoundedFailure {
  const whole = boundedIn(new Budget(Infinity), failure);
  if (costOf(whole) <= BODY_BYTES) return whole;
  // Too large together: the parts share the budget, and are cut once more.
  return boundedIn(new Budget(SHARED_BYTES), failure);
}

function boundedIn(budget: Budget, failure: Failure): BoundedFailure {
  const { code, stage, classes, retryable } = failure;
  const told = typeof code === 'string' || typeof code === 'number';
  return {
    class: boundedLabel(failure.class) || 'Error',
    ...boundedBody(budget, failure),
    code: told ? boundedLabel(code) : null,
    stage: stage === null || stage === undefined ? null : boundedLabel(stage),
    ...(Array.isArray(classes) ? { classes: classes.slice(0, CLASSES_MAX).map(boundedLabel) } : {}),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
  };
}

type Body = Pick<BoundedFailure, 'message' | 'stack' | 'details' | 'causes'>;

/** The parts that may be long, the most telling first. */
function boundedBody(budget: Budget, failure: Failure): Body {
  const { stack, details } = failure;
  const causes = Array.isArray(failure.causes) ? (failure.causes as readonly FailureCause[]) : [];
  const message = budget.text(textOf(failure.message), BOUNDS.errorMessage, MESSAGE_JSON_BYTES);
  const keptBack =
    (details === undefined ? 0 : DETAILS_BYTES_MIN) + (causes.length === 0 ? 0 : CAUSES_BYTES_MIN);
  const frames =
    typeof stack === 'string' && stack !== ''
      ? { stack: budget.text(stack, BOUNDS.errorStack, budget.left - keptBack) }
      : {};
  const share = causes.length === 0 ? budget.left : Math.floor(budget.left / 2);
  const value = details === undefined ? undefined : budget.value(details, share);
  const kept = boundedCauses(budget, causes);
  return {
    message,
    ...(value === undefined ? {} : { details: value }),
    ...frames,
    ...(kept.length === 0 ? {} : { causes: kept }),
  };
}

/** What the parts that may be long take as JSON; of sealed ones, what was sealed counts. */
function costOf({ message, stack, details, causes = [] }: BoundedFailure): number {
  const parts = [textCost(message), textCost(stack ?? ''), valueCost(details)];
  return [...parts, ...causes.map(causeCost)].reduce((sum, bytes) => sum + bytes, 0);
}

/** Names hold no control characters, which would also make them longer as JSON. */
function boundedLabel(text: unknown): string {
  const whole = textOf(text);
  const near = whole.slice(0, LABEL_NEAR).replaceAll(/\p{Cc}/gu, '\uFFFD');
  return boundedText(near, BOUNDS.errorLabel, utf8Bytes(whole.slice(LABEL_NEAR)));
}

function boundedCauses(budget: Budget, causes: readonly FailureCause[]): ErrorCause[] {
  const isWhole = causes.length <= CAUSES_MAX;
  const kept = isWhole ? causes : causes.slice(0, CAUSES_MAX - 1);
  const bounded = kept.map((cause, at) => {
    const own = new Budget(Math.floor(budget.left / (kept.length - at)));
    const result = boundedCause(own, cause);
    budget.left -= causeCost(result);
    return result;
  });
  if (isWhole) return bounded;
  return [...bounded, { class: '…', message: `${causes.length - kept.length} causes more` }];
}

function boundedCause(budget: Budget, cause: FailureCause): ErrorCause {
  const label = boundedLabel(cause.class) || 'Error';
  const { code, stack, details } = cause;
  const told = typeof code === 'string' ? { code: boundedLabel(code) } : {};
  budget.left -= jsonBytes({ class: label, message: '', stack: '', details: '', ...told });
  const message = budget.text(textOf(cause.message), BOUNDS.errorMessage, budget.left / 2);
  const hasStack = typeof stack === 'string' && stack !== '' && budget.left > BUDGET_MIN;
  const frames = hasStack ? { stack: budget.text(stack, BOUNDS.errorStack) } : {};
  const hasDetails = details !== undefined && budget.left > BUDGET_MIN;
  const value = hasDetails ? budget.value(details, budget.left) : undefined;
  return {
    class: label,
    message,
    ...told,
    ...frames,
    ...(value === undefined ? {} : { details: value }),
  };
}

function causeCost({ message, stack, details, ...labels }: ErrorCause): number {
  const names = jsonBytes({ ...labels, message: '', stack: '', details: '' });
  return names + textCost(message) + textCost(stack ?? '') + valueCost(details);
}

function valueCost(value: unknown): number {
  if (value === undefined) return 0;
  return typeof value === 'string' ? textCost(value) : jsonBytes(value);
}
