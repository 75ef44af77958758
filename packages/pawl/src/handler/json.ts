import { KEPT_NAME_MAX } from '../core/bounds.ts';
import type { PawlError } from '../core/errors.ts';
import { KEPT_MAX } from '../core/flow.ts';
import type { JsonText } from '../core/job.ts';
import { type PayloadKind, payloadRefusal, untellableRefusal } from '../core/payload.ts';
import { isStorable } from '../core/text.ts';
import { fail, type JobFailure } from './failure.ts';
import { failureOf } from './thrown-error.ts';

type AnyFunction = (...args: never[]) => unknown;

/** What JSON cannot hold, or turns into an empty object. */
type NotSerializable =
  | bigint
  | symbol
  | AnyFunction
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | WeakMap<WeakKey, unknown>
  | WeakSet<WeakKey>
  | PromiseLike<unknown>
  | ArrayBufferLike
  | ArrayBufferView;

type Scalar = string | number | boolean | null;

type ByMethod = { toJSON(...args: never[]): unknown };

/**
 * The type of a value after a round trip through JSON: a `Date` becomes a string, functions and
 * undefined members are dropped, undefined in an array becomes null, `void` becomes undefined. It
 * is `never` for values that JSON cannot represent.
 */
export type Json<Value> = 0 extends 1 & Value
  ? Value
  : unknown extends Value
    ? unknown
    : [Value] extends [void]
      ? [Value] extends [never]
        ? never
        : undefined
      : JsonOf<Value>;

type JsonOf<Value> = Value extends Scalar
  ? Value
  : Value extends void
    ? null
    : Value extends ArrayBufferView
      ? never
      : Value extends ByMethod
        ? Json<ReturnType<Value['toJSON']>>
        : Value extends NotSerializable
          ? never
          : Value extends readonly unknown[]
            ? { [Index in keyof Value]: JsonElement<Value[Index]> }
            : Value extends object
              ? JsonObject<Value>
              : never;

type JsonElement<Value> = 0 extends 1 & Value
  ? Value
  : unknown extends Value
    ? unknown
    : JsonOf<Value>;

type JsonObject<Value> = {
  [Key in keyof Value as KeptKey<Key, Value[Key]>]: {} extends Pick<Value, Key>
    ? Json<Exclude<Value[Key], undefined>>
    : Json<Exclude<Value[Key], undefined>> | Extract<Value[Key], undefined>;
};

type KeptKey<Key, Value> = Key extends symbol ? never : IsDropped<Value> extends true ? never : Key;

/** Neither `any` nor `never` is known to be dropped. */
type IsDropped<Value> = 0 extends 1 & Value
  ? false
  : [Value] extends [never]
    ? false
    : [Value] extends [AnyFunction | symbol | undefined]
      ? true
      : false;

/** The value with `never` in place of what JSON cannot hold: assignable only without any of it. */
type Serializable<Value> = 0 extends 1 & Value
  ? Value
  : Value extends Scalar | void
    ? Value
    : Value extends ArrayBufferView
      ? never
      : Value extends ByMethod
        ? Value
        : Value extends NotSerializable
          ? never
          : Value extends readonly unknown[]
            ? { [Index in keyof Value]: Serializable<Value[Index]> }
            : Value extends object
              ? { [Key in keyof Value]: SerializableMember<Key, Value[Key]> }
              : Value;

type SerializableMember<Key, Value> = Key extends symbol
  ? Value
  : IsDropped<Value> extends true
    ? Value
    : Serializable<Value>;

/** What the compiler shows for a value that JSON cannot hold. */
interface NotJson<Why extends string> {
  readonly '~notJson': Why;
}

/**
 * Intersected with the return type of a function: `unknown`, which changes nothing, for what JSON
 * can hold, and otherwise a member that no value has, so that the function does not compile.
 */
export type RequireJson<Returned> =
  Awaited<Returned> extends Serializable<Awaited<Returned>>
    ? unknown
    : NotJson<'JSON has no bigint, symbol, function, Map, Set or bytes: give plain data instead'>;

/**
 * A handler's value as JSON. Nothing is told as null, because JSON has no word for it; what JSON
 * cannot tell at all is refused, lest it come back as something else.
 */
export function jsonTextOf(name: string, value: unknown): JsonText {
  const untold = (why: string): JobFailure =>
    fail('internal_bug', `the ${name} cannot be written as JSON: ${why}`);
  let json: string | undefined;
  try {
    json = JSON.stringify(value ?? null);
  } catch (error) {
    throw untold(failureOf(error, null).message);
  }
  if (json === undefined) throw untold(`it is a ${typeof value}`);
  return json;
}

/** A handler's value as it is kept: refused if it is too large, or what no database can hold. */
export function jsonOf(kind: PayloadKind, value: unknown, name: string = kind.name): JsonText {
  const json = jsonTextOf(name, value);
  const refusal = untellableRefusal(kind, { value, json }, '') ?? payloadRefusal(kind, json, '');
  if (refusal !== null) throw failureFromRefusal(refusal);
  return json;
}

/** A refusal by the platform of what a handler wants to keep, as the handler meets it. */
export function failureFromRefusal({ code, message, faults }: PawlError): JobFailure {
  const errorClass = code === 'PAYLOAD_TOO_LARGE' ? 'resource_limit_exceeded' : 'internal_bug';
  return fail(errorClass, message, {
    code,
    ...(faults.length === 0 ? {} : { details: { faults } }),
  });
}

/** Why a job can keep nothing more; null where it can. */
export function keptFault(kept: number): JobFailure | null {
  if (kept < KEPT_MAX) return null;
  const message =
    `the job has kept ${kept} results of stages, effects and waits, and ${KEPT_MAX} is the most: ` +
    'give parts of the work to jobs of their own, or keep one result for many steps';
  return fail('configuration_error', message, { code: 'LIMIT_EXCEEDED' });
}

/** The name under which something is kept must be one that every store can find again. */
export function checkKeptName(name: string): void {
  if (name !== '' && name.length <= KEPT_NAME_MAX && isStorable(name)) return;
  const message =
    `what is kept needs a name of 1 to ${KEPT_NAME_MAX} characters, without U+0000 and without ` +
    'halves of surrogate pairs: use a shorter key, or a hash of it';
  throw fail('internal_bug', message, { code: 'VALIDATION_ERROR' });
}
