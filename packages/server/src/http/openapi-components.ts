import { STORABLE } from 'pawl/internal/contract/values';

export type Json = Record<string, unknown>;

/** The members of an object, as a schema has them. */
export interface Members {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

const HIDDEN = new Set(['$id', 'fault']);
const SCHEMAS = '#/components/schemas/';
/** By what members of unions are told apart. */
const DISCRIMINATORS = ['kind', 'mode'] as const;

/** Copies schemas, with those that have a name put aside and referred to. */
export class Components {
  readonly schemas: Record<string, Json> = {};

  add(schema: unknown): Json {
    return this.#copy(schema) as Json;
  }

  /** The same for a body or an answer: one without a name is called after its operation. */
  addNamed(schema: unknown, name: string): Json {
    const { $id, type } = schema as { $id?: unknown; type?: unknown };
    const isNameless = $id === undefined && type === 'object';
    return this.add(isNameless ? { ...(schema as Json), $id: name } : schema);
  }

  #copy(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#copy(one));
    if (typeof value !== 'object' || value === null) return value;
    const { $id: name, $ref } = value as { $id?: unknown; $ref?: unknown };
    // A schema that has itself in it.
    if (typeof $ref === 'string' && $ref.endsWith('#')) {
      return { $ref: `${SCHEMAS}${$ref.slice(0, -1)}` };
    }
    if (typeof name !== 'string') return this.#discriminated(this.#members(value));
    if (!Object.hasOwn(this.schemas, name)) {
      this.schemas[name] = {};
      this.schemas[name] = this.#discriminated(this.#members(value));
    }
    return { $ref: `${SCHEMAS}${name}` };
  }

  /** A union whose members a constant tells apart says so, for clients that are made from it. */
  #discriminated(schema: Json): Json {
    const { anyOf = [], ...rest } = schema as { anyOf?: readonly { $ref?: string }[] };
    const members = anyOf.map(({ $ref = '' }) => ({
      $ref,
      constants: constantsOf(this.schemas[$ref.slice(SCHEMAS.length)]),
    }));
    if (members.length < 2) return schema;
    const propertyName = DISCRIMINATORS.find((name) =>
      members.every(({ constants }) => typeof constants[name] === 'string'),
    );
    if (propertyName === undefined) return schema;
    const mapping = members.map(({ $ref, constants }) => [constants[propertyName], $ref]);
    const discriminator = { propertyName, mapping: Object.fromEntries(mapping) };
    return { ...rest, oneOf: anyOf, discriminator };
  }

  #members(value: object): Json {
    const members = Object.entries(value).filter(([name]) => !HIDDEN.has(name));
    const copy = Object.fromEntries(members.map(([name, one]) => [name, this.#copy(one)]));
    return copy['properties'] === undefined ? withType(copy) : copy;
  }
}

/**
 * The same for who has no halves of surrogate pairs, as texts of most languages: their patterns
 * cannot name them.
 */
const READABLE = '^[^\\u0000]*$';

/** What typed languages need to know: that an enumeration is of texts, how large a number is. */
function withType(schema: Json): Json {
  const { type, enum: values, maximum } = schema;
  if (schema['pattern'] === STORABLE) return { ...schema, pattern: READABLE };
  if (Array.isArray(values) && values.every((value) => typeof value === 'string')) {
    return { type: 'string', ...schema };
  }
  if (type !== 'integer') return schema;
  const isSmall = typeof maximum === 'number' && maximum < 2 ** 31;
  return { ...schema, format: isSmall ? 'int32' : 'int64' };
}

/** The members of an object that have one value each. */
function constantsOf(schema: Json | undefined): Record<string, unknown> {
  const { properties = {} } = (schema ?? {}) as Members;
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, one['const']]));
}
