import type { ErrorClassName } from '../core/error-class.ts';
import type { Fault } from '../core/errors.ts';

/** An error class as a program has it, abstract or not: a subclass of it matches as well. */
export type ErrorConstructor = abstract new (...args: never[]) => Error;

/** Which errors are meant: by the name of their class, the class itself, or a look at them. */
export type ErrorMatcher = string | ErrorConstructor | ((error: unknown) => boolean);

/** What a type says of the errors of its handler; null: everything but what is fatal. */
export interface ErrorMatchers {
  readonly retryable: readonly ErrorMatcher[] | null;
  readonly fatal: readonly ErrorMatcher[];
}

/** What a list may hold: anything, or with `errors` only those and what the platform knows. */
export type MatcherOf<Errors extends readonly ErrorConstructor[]> = readonly [] extends Errors
  ? ErrorMatcher
  : Errors[number] | NameOf<Errors[number]> | ErrorClassName | ((error: unknown) => boolean);

/** Known only where the class says so: `override readonly name = 'BadAddress'`. */
type NameOf<Of extends ErrorConstructor> = Of extends ErrorConstructor
  ? string extends InstanceType<Of>['name']
    ? never
    : InstanceType<Of>['name']
  : never;

/** Tells an error class from a function that looks at an error, also one of another realm. */
export function isErrorConstructor(matcher: unknown): matcher is ErrorConstructor {
  if (typeof matcher !== 'function') return false;
  const prototype: unknown = matcher.prototype;
  // Methods have none, one called `class` included.
  if (typeof prototype !== 'object' || prototype === null) return false;
  if (prototype === Error.prototype || prototype instanceof Error) return true;
  return /^class\b/.test(Function.prototype.toString.call(matcher));
}

/** What can be stored of a list, and told to workers elsewhere: the names in it. */
export function matcherNames(matchers: readonly ErrorMatcher[]): readonly string[] {
  const names = matchers.map((one) => (isErrorConstructor(one) ? one.name : one));
  return [...new Set(names.filter((name) => typeof name === 'string' && name !== ''))] as string[];
}

export function checkMatchers(pointer: string, matchers: readonly unknown[]): Fault[] {
  return matchers.flatMap((one, index) => {
    const isFit = typeof one === 'function' || (typeof one === 'string' && one !== '');
    const message = 'must be the name of an error class, the class itself or a function';
    return isFit ? [] : [{ pointer: `${pointer}/${index}`, message }];
  });
}
