import { boundedFailure } from '../core/bounded-error.ts';
import { CAUSES_MAX } from '../core/bounds.ts';
import type { Failure } from '../core/decision.ts';
import type { ErrorCause } from '../core/job.ts';
import { boundedText, textOf } from '../core/text.ts';
import { isJobFailure, JobFailure } from './failure.ts';

/**
 * What can be said of whatever a handler threw: its class and those it is derived from, message,
 * code, stack, causes and own properties. It never throws itself, and what it says is bounded.
 */
export function failureOf(thrown: unknown, stage: string | null): Failure {
  const { errorClass, classes } = classesOf(thrown);
  return boundedFailure({
    ...partsOf(thrown),
    class: errorClass,
    classes,
    stage,
    causes: causesOf(thrown),
  });
}

/** `instanceof` for a value that may be a hostile proxy. */
export function isInstance<Class>(
  value: unknown,
  constructor: abstract new (...parameters: never[]) => Class,
): value is Class {
  try {
    return value instanceof constructor;
  } catch {
    return false;
  }
}

/** A member of a value that may be hostile, or undefined. */
export function readMember(value: unknown, name: PropertyKey): unknown {
  try {
    return isObject(value) ? Reflect.get(value, name) : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function textMember(value: unknown, name: string): string | null {
  const member = readMember(value, name);
  return typeof member === 'string' ? member : null;
}

const DEPTH_MAX = 16;

/** The names of its constructors, the most derived first; `Object` says nothing. */
function constructorNames(thrown: unknown): string[] {
  const names: string[] = [];
  try {
    let prototype: unknown = isObject(thrown) ? Reflect.getPrototypeOf(thrown) : null;
    for (let depth = 0; depth < DEPTH_MAX && isObject(prototype); depth++) {
      if (prototype === Object.prototype || prototype === Function.prototype) break;
      const name = textMember(readMember(prototype, 'constructor'), 'name');
      if (name !== null && name !== '' && !names.includes(name)) names.push(name);
      prototype = Reflect.getPrototypeOf(prototype);
    }
  } catch {
    // A hostile proxy: what was read so far is what can be said.
  }
  return names.filter((name) => name !== 'Object');
}

/**
 * A JobFailure is of the class that it was given. Any other error is of its most derived class,
 * unless it was given a name that is none of its constructors': `AbortError` of a DOMException.
 */
function classesOf(thrown: unknown): { errorClass: string; classes: string[] } {
  const names = constructorNames(thrown);
  const given = isJobFailure(thrown) ? textMember(thrown, 'class') : textMember(thrown, 'name');
  if (given === null || given === '' || names.includes(given)) {
    const isNamed = isJobFailure(thrown) && given !== null && given !== '';
    const errorClass = (isNamed ? given : names[0]) ?? 'Error';
    return { errorClass, classes: names.length === 0 ? [errorClass] : names };
  }
  const at = isJobFailure(thrown) ? names.indexOf(JobFailure.name) : 0;
  return { errorClass: given, classes: names.toSpliced(Math.max(0, at), 0, given) };
}

type Parts = Pick<Failure, 'message' | 'code' | 'stack' | 'details'>;

function partsOf(thrown: unknown): Parts {
  if (!isObject(thrown)) return { message: primitiveText(thrown) };
  const message = textMember(thrown, 'message') ?? (isInstance(thrown, Error) ? UNREADABLE : null);
  if (message === null) {
    return { message: 'an object that is not an Error was thrown', details: thrown };
  }
  const code = readMember(thrown, 'code');
  const hasCode = (typeof code === 'string' && code !== '') || typeof code === 'number';
  const stack = stackOf(thrown, message);
  const details = detailsOf(thrown);
  return {
    message,
    ...(hasCode ? { code: String(code) } : {}),
    ...(stack === null ? {} : { stack }),
    ...(details === undefined ? {} : { details }),
  };
}

const UNREADABLE = 'the message of the error cannot be read';

function primitiveText(thrown: unknown): string {
  return typeof thrown === 'string' ? thrown : `${textOf(thrown)} was thrown`;
}

/** The message is kept by itself; a long one in front of the frames would leave them no room. */
const HEADING_BYTES_MAX = 1_024;

function stackOf(thrown: object, message: string): string | null {
  const stack = textMember(thrown, 'stack');
  if (stack === null || message.length <= HEADING_BYTES_MAX) return stack;
  const at = stack.indexOf(message);
  if (at < 0) return stack;
  const heading = boundedText(message, HEADING_BYTES_MAX);
  return stack.slice(0, at) + heading + stack.slice(at + message.length);
}

const MEMBERS_MAX = 200;

/** Told elsewhere, or the platform's own. */
const TOLD: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause', 'code']);
const TOLD_OF_FAILURES: ReadonlySet<string> = new Set(['class', 'details', 'deadLetter']);

/** The details that a JobFailure was given, else the error's own enumerable properties. */
function detailsOf(thrown: object): unknown {
  const isFailure = isJobFailure(thrown);
  const given = isFailure ? readMember(thrown, 'details') : undefined;
  if (given !== undefined) return given;
  const isOwn = (name: string): boolean =>
    !TOLD.has(name) && !(isFailure && TOLD_OF_FAILURES.has(name));
  const names = ownNames(thrown).filter(isOwn).slice(0, MEMBERS_MAX);
  if (names.length === 0) return undefined;
  const members = names.map((name) => [name, readMember(thrown, name)] as const);
  const known = members.filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function ownNames(value: object): string[] {
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}

/** More causes than this are not even counted. */
const COUNTED_MAX = 1_000;

/** What led to the error: its cause first, then those of an AggregateError, and theirs in turn. */
function causesOf(thrown: unknown): ErrorCause[] {
  const seen = new Set<unknown>([thrown]);
  const found: unknown[] = [];
  const visit = (error: unknown): void => {
    for (const cause of directCauses(error)) {
      if (found.length >= COUNTED_MAX) return;
      if (isObject(cause) && seen.has(cause)) continue;
      seen.add(cause);
      found.push(cause);
      visit(cause);
    }
  };
  visit(thrown);
  return found.map((cause, at) => (at < CAUSES_MAX ? causeOf(cause) : NOT_TOLD));
}

/** Stands for one that is only counted. */
const NOT_TOLD: ErrorCause = { class: 'Error', message: '' };

function directCauses(error: unknown): unknown[] {
  const cause = readMember(error, 'cause');
  const errors = isInstance(error, AggregateError) ? readMember(error, 'errors') : undefined;
  const many: unknown[] = [];
  const length = readMember(errors, 'length');
  if (typeof length === 'number') {
    for (let at = 0; at < length && at < COUNTED_MAX; at++) many.push(readMember(errors, at));
  }
  return cause === undefined || cause === null ? many : [cause, ...many];
}

function causeOf(thrown: unknown): ErrorCause {
  const { message, code, stack, details } = partsOf(thrown);
  return {
    class: classesOf(thrown).errorClass,
    message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof stack === 'string' ? { stack } : {}),
    ...(details === undefined ? {} : { details }),
  };
}
