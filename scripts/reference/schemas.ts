// docs/reference/schemas.md: every body and answer of the API, field by field.
import type { OpenApi } from './http.ts';
import { code, madeOf, table } from './table.ts';

/** What is read of a schema; the document has more. */
export interface SchemaDoc {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: SchemaDoc;
  readonly properties?: Readonly<Record<string, SchemaDoc>>;
  readonly additionalProperties?: boolean | SchemaDoc;
  readonly patternProperties?: Readonly<Record<string, SchemaDoc>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly SchemaDoc[];
  readonly oneOf?: readonly SchemaDoc[];
  readonly examples?: readonly unknown[];
}

export function schemaLink(name: string): string {
  return `[${name}](schemas.md#${name.toLowerCase()})`;
}

/** What a value is: `integer`, `"soft" or "hard"`, a list of something, another schema. */
function kindOf(schema: SchemaDoc): string {
  const { $ref, type, enum: values, items, anyOf, oneOf = anyOf, properties } = schema;
  if ($ref !== undefined) return schemaLink($ref.split('/').at(-1)!);
  if (values !== undefined) return values.map((one) => code(JSON.stringify(one))).join(' or ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (oneOf !== undefined) return oneOf.map(kindOf).join(' or ');
  if (items !== undefined) return `list of ${kindOf(items)}`;
  if (properties !== undefined) return 'object';
  if (type === 'string' && schema.format === 'date-time') return 'time (RFC 3339, UTC)';
  if (type === 'string' && schema.format === 'uuid') return 'UUID in lower case';
  if (type === 'string') return 'text';
  return type ?? 'any JSON';
}

function rulesOf(schema: SchemaDoc): string[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems } = schema;
  const parts = [
    minimum === undefined ? null : `at least ${minimum}`,
    exclusiveMinimum === undefined ? null : `above ${exclusiveMinimum}`,
    maximum === undefined ? null : `at most ${maximum}`,
    minLength === undefined ? null : `at least ${minLength} characters`,
    maxLength === undefined ? null : `at most ${maxLength} characters`,
    minItems === undefined ? null : `at least ${minItems} items`,
    maxItems === undefined ? null : `at most ${maxItems} items`,
    schema.pattern === undefined ? null : code(schema.pattern),
    schema.default === undefined ? null : `default: ${code(JSON.stringify(schema.default))}`,
  ];
  return parts.filter((part) => part !== null);
}

/** The alternatives of a nullable member have the rules. */
function meaningOf(schema: SchemaDoc): string {
  const { anyOf = [], description = '' } = schema;
  const inner = anyOf.filter(({ $ref, type }) => $ref === undefined && type !== 'null');
  const rules = [schema, ...inner].flatMap(rulesOf).join(', ');
  const texts = [description, ...inner.map((one) => one.description ?? '')];
  const text = texts.filter((one) => one !== '').join(' ');
  return [rules === '' ? '' : `${rules}.`, text].filter((one) => one !== '').join(' ');
}

/** The members of an object, and of objects within it that have no name of their own. */
function rowsOf(schema: SchemaDoc, path = ''): string[][] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const optional = required.includes(name) ? '' : ', optional';
    const own = [code(at), `${kindOf(member)}${optional}`, meaningOf(member)];
    return [own, ...insideOf(member, at)];
  });
}

function insideOf(member: SchemaDoc, at: string): string[][] {
  const { items, anyOf = [], oneOf = anyOf } = member;
  if (items !== undefined) return insideOf(items, `${at}[]`);
  return [member, ...oneOf].flatMap((one) => (one.properties === undefined ? [] : rowsOf(one, at)));
}

function section(name: string, schema: SchemaDoc): string[] {
  const { description, examples = [], oneOf } = schema;
  const rows = rowsOf(schema);
  const [example] = examples;
  return [
    `## ${name}`,
    '',
    ...(description === undefined ? [] : [description, '']),
    ...(oneOf === undefined ? [] : [`One of ${oneOf.map(kindOf).join(', ')}.`, '']),
    ...(rows.length === 0 ? [] : [...table(['member', 'is', 'rules and meaning'], rows), '']),
    ...(example === undefined ? [] : ['```json', JSON.stringify(example, null, 2), '```', '']),
  ];
}

/** docs/reference/schemas.md, whole. */
export function schemasPage({ components }: OpenApi): string {
  const names = Object.keys(components.schemas).toSorted();
  return [
    '# Bodies and answers of the HTTP API',
    '',
    madeOf('the OpenAPI document'),
    'What the [operations](http.md) accept and return, by their names in the OpenAPI document.',
    'Members that are not listed are refused in requests. Durations are milliseconds and end in',
    '`Ms`, times are UTC and end in `At`.',
    '',
    ...names.flatMap((name) => section(name, components.schemas[name]!)),
  ].join('\n');
}
