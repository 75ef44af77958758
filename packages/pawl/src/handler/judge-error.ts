import { judgeClasses } from '../core/retry-rule.ts';
import {
  type ErrorMatcher,
  type ErrorMatchers,
  isErrorConstructor,
  matcherNames,
} from './error-matcher.ts';
import { isInstance } from './thrown-error.ts';

/**
 * Whether an error is worth another attempt, judged where the error itself is at hand. By name it
 * comes to what the platform would say that only knows the classes; functions, and constructors
 * without a name, are known here alone.
 */
export function judgeError(
  { retryable, fatal }: ErrorMatchers,
  thrown: unknown,
  classes: readonly string[],
): boolean {
  if (fatal.some((matcher) => matches(matcher, thrown))) return false;
  if (retryable?.some((matcher) => matchesUnnamed(matcher, thrown)) === true) return true;
  const rule = {
    retryable: retryable === null ? null : matcherNames(retryable),
    fatal: matcherNames(fatal),
  };
  return judgeClasses(rule, classes).isRetried;
}

function matches(matcher: ErrorMatcher, thrown: unknown): boolean {
  if (typeof matcher === 'string') return false;
  return isErrorConstructor(matcher) ? isInstance(thrown, matcher) : says(matcher, thrown);
}

/** One that has a name is compared by it, so that the more derived class decides. */
function matchesUnnamed(matcher: ErrorMatcher, thrown: unknown): boolean {
  if (typeof matcher === 'string') return false;
  return isErrorConstructor(matcher) && matcher.name !== '' ? false : matches(matcher, thrown);
}

/** A function that throws does not know the error. */
function says(look: (error: unknown) => boolean, thrown: unknown): boolean {
  try {
    return look(thrown);
  } catch {
    return false;
  }
}
