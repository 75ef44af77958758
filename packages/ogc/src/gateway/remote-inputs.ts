import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { type Fault, invalid } from 'pawl/define';
import { faultsOf } from 'pawl/plugin';
import type { ProcessDescription, ProcessMember } from '../model/process-description.ts';

type Members = Readonly<Record<string, unknown>>;

/** Members beside the value of a qualified value. */
const QUALIFIERS = new Set(['value', 'mediaType', 'encoding', 'schema', 'format']);

/**
 * Refuses inputs that do not fit the description of a remote process, before they are sent. What
 * the description leaves open, or says in a way that cannot be judged here, is the provider’s part:
 * references, inputs that it does not name, schemas that lie elsewhere.
 */
export function checkRemoteInputs({ inputs }: ProcessDescription, given: Members): void {
  const faults = Object.entries(inputs).flatMap(([name, member]) => {
    const pointer = `/inputs/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (Object.hasOwn(given, name)) return faultsIn(member, given[name], pointer);
    return isRequired(member) ? [{ pointer, message: 'is missing' }] : [];
  });
  if (faults.length > 0) throw invalid(faults);
}

/** The standard's default is one; an input that has a value without being given needs none. */
function isRequired({ minOccurs = 1, schema }: ProcessMember): boolean {
  const isNeeded = typeof minOccurs === 'number' && minOccurs > 0;
  return (
    isNeeded && !(isMembers(schema) && (Object.hasOwn(schema, 'default') || schema['nullable']))
  );
}

function faultsIn(member: ProcessMember, given: unknown, pointer: string): Fault[] {
  const { schema, maxOccurs = 1 } = member;
  if (!isMembers(schema)) return [];
  const check = checkerOf(schema);
  if (check === null) return [];
  const isMany = maxOccurs === 'unbounded' || (typeof maxOccurs === 'number' && maxOccurs > 1);
  const isFine = (value: unknown): boolean =>
    isOpen(value, schema) || check(schema, plain(value, schema));
  if (isFine(given)) return [];
  if (isMany && Array.isArray(given)) {
    return given.flatMap((one: unknown, index) =>
      isFine(one) ? [] : faultsOf(schema, plain(one, schema), check).map(at(`${pointer}/${index}`)),
    );
  }
  return faultsOf(schema, plain(given, schema), check).map(at(pointer));
}

function at(place: string): (fault: Fault) => Fault {
  return ({ pointer, message }) => ({ pointer: place + pointer, message });
}

/** By reference: what it is becomes known where it is fetched. */
function isOpen(value: unknown, schema: Members): boolean {
  return isMembers(value) && typeof value['href'] === 'string' && !hasMember(schema, 'href');
}

/** The value of a qualified value. */
function plain(value: unknown, schema: Members): unknown {
  if (!isMembers(value) || !Object.hasOwn(value, 'value') || hasMember(schema, 'value'))
    return value;
  return Object.keys(value).every((name) => QUALIFIERS.has(name)) ? value['value'] : value;
}

function hasMember({ properties }: Members, name: string): boolean {
  return isMembers(properties) && Object.hasOwn(properties, name);
}

/** Null for a schema that cannot be judged here. */
function checkerOf(schema: Members): ((one: object, value: unknown) => boolean) | null {
  if (/"\$(ref|dynamicRef|recursiveRef)":/.test(JSON.stringify(schema))) return null;
  const check = (one: object, value: unknown): boolean =>
    Compile(judged(one) as TSchema).Check(value ?? null);
  try {
    check(schema, null);
    return check;
  } catch {
    return null;
  }
}

/** OpenAPI 3.0 has its own words for null and for bounds that are left out. */
function judged(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(judged);
  if (!isMembers(schema)) return schema;
  const { nullable, exclusiveMinimum, exclusiveMaximum, format: _, ...rest } = schema;
  const members = Object.entries(rest).map(([name, value]) => [name, judgedMember(name, value)]);
  const bounds = Object.entries({ exclusiveMinimum, exclusiveMaximum }).filter(
    ([, value]) => typeof value === 'number',
  );
  const whole = Object.fromEntries([...members, ...bounds]) as object;
  return nullable === true ? { anyOf: [whole, { type: 'null' }] } : whole;
}

const VALUES = new Set(['enum', 'const', 'default', 'example', 'examples']);

function judgedMember(name: string, value: unknown): unknown {
  if (VALUES.has(name)) return value;
  if (name !== 'properties' || !isMembers(value)) return judged(value);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, judged(one)]));
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
