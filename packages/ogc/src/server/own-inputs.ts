import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { type Fault, invalid, type JsonSchema, type Outgoing } from 'pawl/define';
import { faultsOf } from 'pawl/plugin';
import { propertiesOf, type PublishedType, WHOLE_INPUT } from './own-description.ts';

const FETCH_MS = 20_000;
const FETCH_BYTES_MAX = 8 * 1024 * 1024;
const QUALIFIERS = new Set(['value', 'mediaType', 'encoding', 'schema', 'format']);

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The input of a published type's job, made of the inputs of an execution: qualified values are
 * unwrapped, references fetched, and all of it checked by the type's own schema.
 */
export async function ownInput(
  { input: schema }: PublishedType,
  inputs: Members,
  outgoing: Pick<Outgoing, 'fetch'>,
): Promise<unknown> {
  if (schema === false) return noInputs(inputs);
  const properties = propertiesOf(schema);
  const names = properties === null ? [WHOLE_INPUT] : Object.keys(properties);
  const strange = Object.keys(inputs).filter((name) => !names.includes(name));
  if (strange.length > 0) {
    const message = `is not an input of this process; it has ${names.join(', ')}`;
    throw invalid(strange.map((name) => ({ pointer: `/inputs/${name}`, message })));
  }
  const values: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(inputs)) {
    const of = properties?.[name] ?? schema ?? {};
    values[name] = await valueOf(given, { name, schema: of, outgoing });
  }
  const input = properties === null ? values[WHOLE_INPUT] : values;
  const at = properties === null ? `/inputs/${WHOLE_INPUT}` : '/inputs';
  if (schema !== undefined) checkBySchema(schema, input, at);
  return input ?? null;
}

function noInputs(inputs: Members): null {
  const message = 'must be left out: this process takes no inputs';
  const faults = Object.keys(inputs).map((name) => ({ pointer: `/inputs/${name}`, message }));
  if (faults.length > 0) throw invalid(faults);
  return null;
}

interface Place {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly outgoing: Pick<Outgoing, 'fetch'>;
}

async function valueOf(given: unknown, place: Place): Promise<unknown> {
  if (!isMembers(given)) return given;
  const own = propertiesOf(place.schema) ?? {};
  const { href, value } = given;
  if (typeof href === 'string' && !Object.hasOwn(own, 'href')) return fetched(href, place);
  const isQualified = Object.hasOwn(given, 'value') && !Object.hasOwn(own, 'value');
  return isQualified && Object.keys(given).every((name) => QUALIFIERS.has(name)) ? value : given;
}

/** An input by reference, had through the one way out, which leads to public places only. */
async function fetched(href: string, { name, schema, outgoing }: Place): Promise<unknown> {
  const refused = (why: string): Error => {
    const message = `could not be fetched from its reference: ${why}`;
    return invalid([{ pointer: `/inputs/${name}/href`, message }]);
  };
  const limits = { timeoutMs: FETCH_MS, responseBytesMax: FETCH_BYTES_MAX };
  try {
    const response = await outgoing.fetch(href, limits);
    if (!response.ok) {
      response.discard();
      throw refused(`the answer was ${response.status}`);
    }
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    if (isJson) return await response.json();
    if (schema['contentEncoding'] !== 'base64') return await response.text();
    return Buffer.from(await response.bytes()).toString('base64');
  } catch (error) {
    if (error instanceof Error && error.name === 'OutgoingError') throw refused(error.message);
    throw error;
  }
}

/** What is wrong with a schema by which inputs are to be checked; it is tried once. */
export function faultOfSchema(schema: JsonSchema, pointer: string): Fault[] {
  try {
    Compile(schema as TSchema).Check(null);
    return [];
  } catch (error) {
    const message = `is not a schema that values can be checked by: ${(error as Error).message}`;
    return [{ pointer, message }];
  }
}

function checkBySchema(schema: JsonSchema, value: unknown, at: string): void {
  const { $defs, definitions } = schema;
  const check = (one: object, of: unknown): boolean => {
    const whole = { ...one, ...(one === schema ? {} : { $defs, definitions }) };
    return Compile(whole as TSchema).Check(of ?? null);
  };
  if (check(schema, value)) return;
  const faults: readonly Fault[] = faultsOf(schema, value ?? null, check);
  throw invalid(faults.map(({ pointer, message }) => ({ pointer: at + pointer, message })));
}
