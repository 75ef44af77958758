import type { JsonSchema } from 'pawl/define';

type Members = Record<string, unknown>;

/** Keywords that OpenAPI 3.0 does not have; what they say is said otherwise or not at all. */
const UNKNOWN = new Set(['$schema', '$id', '$defs', 'definitions', '$ref', 'const', 'examples']);
const NESTED = ['items', 'additionalProperties', 'not'] as const;
const LISTS = ['anyOf', 'oneOf', 'allOf'] as const;
const DEPTH_MAX = 12;

/** A JSON Schema as OpenAPI 3.0 writes it, which is what descriptions of processes are made of. */
export function openApiSchemaOf(schema: JsonSchema, root: JsonSchema = schema): JsonSchema {
  return convert(schema, root, 0) as JsonSchema;
}

function convert(schema: unknown, root: JsonSchema, depth: number): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  // A schema that contains itself would never end; from here on anything goes.
  if (depth > DEPTH_MAX) return {};
  const given = resolved(schema as JsonSchema, root);
  const members = Object.entries(given).filter(([name]) => !UNKNOWN.has(name));
  const told: Members = { ...Object.fromEntries(members), ...constant(given), ...typed(given) };
  for (const side of ['Minimum', 'Maximum'] as const) exclusive(told, side);
  const inner = (one: unknown): unknown => convert(one, root, depth + 1);
  for (const name of NESTED) if (told[name] !== undefined) told[name] = inner(told[name]);
  for (const name of LISTS) {
    if (Array.isArray(told[name])) told[name] = told[name].map(inner);
  }
  if (told['properties'] !== undefined) {
    const properties = Object.entries(told['properties'] as Members);
    told['properties'] = Object.fromEntries(properties.map(([name, one]) => [name, inner(one)]));
  }
  return told;
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref: reference, ...rest } = schema;
  if (typeof reference !== 'string') return schema;
  const path = reference.startsWith('#/') ? reference.slice(2).split('/') : [];
  let found: unknown = root;
  for (const part of path) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    found = (found as Members | undefined)?.[name];
  }
  return { ...((found ?? {}) as JsonSchema), ...rest };
}

function constant(given: JsonSchema): Members {
  const [example] = Array.isArray(given['examples']) ? (given['examples'] as unknown[]) : [];
  return {
    ...(given['const'] === undefined ? {} : { enum: [given['const']] }),
    ...(example === undefined ? {} : { example }),
  };
}

/** `["string", "null"]` is a string that may be null. */
function typed({ type }: JsonSchema): Members {
  if (!Array.isArray(type)) return {};
  const real = (type as string[]).filter((one) => one !== 'null');
  const nullable = real.length < type.length ? { nullable: true } : {};
  if (real.length === 1) return { type: real[0], ...nullable };
  return { type: undefined, anyOf: real.map((one) => ({ type: one })), ...nullable };
}

function exclusive(told: Members, side: 'Minimum' | 'Maximum'): void {
  const name = `exclusive${side}`;
  if (typeof told[name] !== 'number') return;
  told[side.toLowerCase()] = told[name];
  told[name] = true;
}
