import type { Fault } from '../core/errors.ts';

/** The parts of JSON Schema that the API's schemas use. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly minProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  /** Our own: what to say instead of what the keywords say. */
  readonly fault?: string;
}

export type Check = (schema: object, value: unknown) => boolean;

type Members = Readonly<Record<string, unknown>>;

/** A schema and a value at one place of a request. */
interface Spot {
  readonly schema: Schema;
  readonly value: unknown;
  readonly pointer: string;
}

/**
 * The faults of a value, one sentence for each member. For a union, the faults of the branch that
 * was evidently meant, or else the names of its branches.
 */
export function faultsOf(schema: object, value: unknown, check: Check): Fault[] {
  const faults: Fault[] = [];
  look({ schema, value, pointer: '' }, check, faults);
  return faults;
}

function look(spot: Spot, check: Check, faults: Fault[]): void {
  const { schema, value, pointer } = spot;
  if (check(schema, value)) return;
  if (schema.anyOf !== undefined && schema.fault === undefined) {
    const meant = meantBranch(schema.anyOf, value);
    if (meant !== null) return look({ ...spot, schema: meant }, check, faults);
  }
  const before = faults.length;
  if (schema.type === 'object' && isMembers(value)) lookAtMembers(spot, value, check, faults);
  if (schema.type === 'array' && Array.isArray(value) && schema.items !== undefined) {
    const { items } = schema;
    value.forEach((item: unknown, index) =>
      look({ schema: items, value: item, pointer: `${pointer}/${index}` }, check, faults),
    );
  }
  if (faults.length === before) faults.push({ pointer, message: expectation(schema) });
}

function lookAtMembers({ schema, pointer }: Spot, value: Members, check: Check, faults: Fault[]) {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const at = (name: string): string => {
    return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  };
  for (const name of required) {
    if (!Object.hasOwn(value, name)) faults.push({ pointer: at(name), message: 'is missing' });
  }
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name]! : byPattern(schema, name);
    if (known !== null) {
      look({ schema: known, value: member, pointer: at(name) }, check, faults);
    } else if (additionalProperties === false) {
      faults.push({ pointer: at(name), message: unknownMember(name, Object.keys(properties)) });
    }
  }
}

/** What a member has to be in a record, where its name can stand. */
function byPattern({ patternProperties = {} }: Schema, name: string): Schema | null {
  const patterns = Object.entries(patternProperties);
  return patterns.find(([pattern]) => new RegExp(pattern).test(name))?.[1] ?? null;
}

/** The branch whose constant member (such as `kind`) the value has, or the only one not null. */
function meantBranch(branches: readonly Schema[], value: unknown): Schema | null {
  const real = branches.filter((branch) => branch.type !== 'null');
  if (real.length === 1) return real[0]!;
  if (!isMembers(value)) return null;
  const fitting = real.filter((branch) =>
    Object.entries(branch.properties ?? {}).some(
      ([name, member]) => member.const !== undefined && member.const === value[name],
    ),
  );
  return fitting.length === 1 ? fitting[0]! : null;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownMember(name: string, known: readonly string[]): string {
  const near = known.find((one) => isNear(one.toLowerCase(), name.toLowerCase()));
  if (near !== undefined) return `is unknown; did you mean "${near}"?`;
  if (known.length === 0) return 'is not a valid name here';
  return `is unknown; known are ${known.join(', ')}`;
}

/** Equal but for one letter too many, too few, or other. */
function isNear(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1 || short.length < 2) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  const rest = short.length === long.length ? short.slice(at + 1) : short.slice(at);
  return rest === long.slice(at + 1);
}

/** What would have been right, in words. */
function expectation(schema: Schema): string {
  return schema.fault ?? `must be ${wanted(schema)}`;
}

function wanted(schema: Schema): string {
  if (schema.anyOf !== undefined) return oneOf(schema.anyOf.map(wanted));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return oneOf(schema.enum.map((one) => JSON.stringify(one)));
  switch (schema.type) {
    case 'integer':
      return `a whole number${range(schema)}`;
    case 'number':
      return `a number${range(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'array':
      return `a list${count(schema.minItems, schema.maxItems, 'items')}`;
    case 'object':
      return object(schema);
    default:
      return text(schema);
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID in lower case',
  'date-time': 'a time such as 2026-11-15T08:00:00.000Z',
};

/** By the member that tells it from others, where there is one. */
function object({ properties = {}, minProperties }: Schema): string {
  const telling = Object.entries(properties).find(([, member]) => member.const !== undefined);
  if (telling !== undefined) {
    return `an object with ${telling[0]} ${JSON.stringify(telling[1].const)}`;
  }
  return minProperties === undefined ? 'an object' : 'an object that is not empty';
}

function text(schema: Schema): string {
  const named = FORMATS[schema.format ?? ''];
  if (named !== undefined) return named;
  const size = count(schema.minLength, schema.maxLength, 'characters');
  return `a text${size}${schema.pattern === undefined ? '' : ` that fits ${schema.pattern}`}`;
}

function oneOf(choices: readonly string[]): string {
  if (choices.length < 2) return choices.join('');
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
}

function range({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

function count(min: number | undefined, max: number | undefined, unit: string): string {
  if (min !== undefined && max !== undefined) return ` of ${min} to ${max} ${unit}`;
  if (min !== undefined) return ` of at least ${min} ${unit}`;
  return max === undefined ? '' : ` of at most ${max} ${unit}`;
}
