import type { Failure } from './decision.ts';
import { isFinalClass, isLoss } from './error-class.ts';
import type { Policy } from './policy.ts';

/** What a type or a lifecycle says about which errors are retried. */
export type RetryRule = Pick<Policy, 'retryable' | 'fatal' | 'isRetryFixed'>;

/**
 * Why an error is retried or not. `loss`: what ran the attempt died with it. `judged`: the worker
 * said so, which has the error itself. `fatal`, `listed`, `unlisted`: by the lists. `final`: a
 * class that is final everywhere. `default`: nothing speaks against it.
 */
export interface RetryJudgement {
  readonly isRetried: boolean;
  readonly by: 'loss' | 'judged' | 'fatal' | 'listed' | 'unlisted' | 'final' | 'default';
  /** The class that decided it. */
  readonly errorClass: string;
}

/** The classes by which an error is judged, the most derived first. */
export function classesOf({ class: errorClass, classes = [] }: Failure): readonly string[] {
  return classes.includes(errorClass) ? classes : [errorClass, ...classes];
}

/** Whether a failure is worth another attempt. How many are left is not looked at. */
export function judgeRetry(rule: RetryRule, failure: Failure): RetryJudgement {
  const { class: errorClass, retryable } = failure;
  if (isLoss(errorClass)) return { isRetried: true, by: 'loss', errorClass };
  const byClass = judgeClasses(rule, classesOf(failure));
  if (rule.isRetryFixed || retryable === undefined || byClass.isRetried === retryable) {
    return byClass;
  }
  return { isRetried: retryable, by: 'judged', errorClass };
}

/**
 * By name alone. Fatal wins. Of a list and the classes that are final everywhere, the one that
 * names the more derived class wins: a list with "Error" does not mean a PermanentError.
 */
export function judgeClasses(rule: RetryRule, classes: readonly string[]): RetryJudgement {
  const fatal = classes.find((name) => rule.fatal.includes(name));
  if (fatal !== undefined) return { isRetried: false, by: 'fatal', errorClass: fatal };
  for (const errorClass of classes) {
    if (rule.retryable?.includes(errorClass)) return { isRetried: true, by: 'listed', errorClass };
    if (isFinalClass(errorClass)) return { isRetried: false, by: 'final', errorClass };
  }
  const errorClass = classes[0] ?? 'Error';
  if (rule.retryable === null) return { isRetried: true, by: 'default', errorClass };
  return { isRetried: false, by: 'unlisted', errorClass };
}

/** What is retried, for a person. */
export function retriedText({ retryable }: RetryRule): string {
  if (retryable === null) return 'everything except fatal errors';
  return retryable.length === 0 ? 'lost workers' : retryable.join(', ');
}

/** Why an error was not retried although attempts were left, and what to change. */
export function retryHint(type: string, rule: RetryRule, judgement: RetryJudgement): string {
  const { by, errorClass } = judgement;
  switch (by) {
    case 'fatal':
      return `not retried: "${errorClass}" is fatal for type "${type}"`;
    case 'judged':
      return `not retried: the worker judged it so by \`fatal\` or \`retryable\` of "${type}"`;
    case 'final':
      return rule.isRetryFixed
        ? `not retried: "${errorClass}" is final`
        : `not retried: "${errorClass}" is final, unless \`retryable\` of type "${type}" lists it`;
    default: {
      const only = `not retried: type "${type}" retries only ${retriedText(rule)}`;
      return rule.isRetryFixed ? only : `${only}; add "${errorClass}" to \`retryable\``;
    }
  }
}
