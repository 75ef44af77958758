import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { ROLE_SCOPES, type Scope } from 'pawl/internal/contract/role';
import { type SchemaDoc, schemaLink } from './schemas.ts';
import { code, madeOf, table } from './table.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: { readonly type?: string; readonly description?: string };
}

type Content = Readonly<
  Record<string, { readonly schema?: { readonly $ref?: string }; readonly example?: unknown }>
>;

export interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { description: string; content?: Content }>>;
  readonly 'x-required-scope'?: string;
  readonly 'x-rules'?: readonly { readonly pointer: string; readonly rule: string }[];
}

export interface OpenApi {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaDoc>> };
}

/** A document that a platform with everything in it serves. */
export async function readOpenApi(path: string = '/openapi.json'): Promise<OpenApi> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-reference-'));
  const configuration = readConfiguration({ PORT: '0', PAWL_DATA: folder });
  const platform = await startPlatform(configuration, { warn: () => undefined });
  try {
    return (await (await fetch(`${platform.url}${path}`)).json()) as OpenApi;
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function kindsOf(content: Content | undefined): string {
  return Object.entries(content ?? {})
    .map(([type, { schema }]) => {
      const name = schema?.$ref?.split('/').at(-1);
      return name === undefined ? type : `${schemaLink(name)} (${type})`;
    })
    .join(', ');
}

/** What can happen to every request, told once. */
const COMMON: ReadonlySet<string> = new Set([
  'VALIDATION_ERROR',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVER_BUSY',
  'STORE_UNAVAILABLE',
]);

/** Successes one by one, refusals by their codes: each is explained once, in errors.md. */
function answersOf({ responses }: Operation): string[] {
  const good = Object.entries(responses).filter(([status]) => status < '400');
  const codes = Object.entries(responses)
    .filter(([status]) => status >= '400')
    .flatMap(([, { description }]) => [...description.matchAll(/`([A-Z_]{4,})`:/g)])
    .flatMap(([, name]) => (COMMON.has(name!) ? [] : [code(name!)]));
  const lines = good.map(([status, { description, content }]) => {
    const kinds = kindsOf(content);
    return `- **${status}** ${description}${kinds === '' ? '' : ` ${kinds}`}`;
  });
  return codes.length === 0 ? lines : [...lines, `- also refused with ${codes.join(', ')}`];
}

/** Who may do it: roles that have the scope. */
function rolesWith(scope: string): string {
  const roles = Object.entries(ROLE_SCOPES).filter(([, own]) => own.includes(scope as Scope));
  return roles.length === 0 ? '' : ` (roles ${roles.map(([role]) => role).join(', ')})`;
}

/** A body that the server accepts, as the document has it. */
function exampleOf(content: Content): string[] {
  const { example } = content['application/json'] ?? {};
  if (example === undefined || Object.keys(example as object).length === 0) return [];
  return ['```json', JSON.stringify(example), '```', ''];
}

/** What no schema can say, one line a rule. */
function rulesIn({ 'x-rules': rules = [] }: Operation): string[] {
  if (rules.length === 0) return [];
  const lines = rules.map(({ pointer, rule }) => {
    const said = rule === '…' ? 'must be as the `inputSchema` of the type says' : rule;
    return `- ${code(pointer || '/')} ${said}`;
  });
  return ['Beyond the schema:', '', ...lines, ''];
}

function section(name: string, operation: Operation): string[] {
  const { summary, description, parameters, requestBody } = operation;
  const scope = operation['x-required-scope'];
  const rows = parameters.map((one) => [
    code(one.name),
    `${one.in}${one.required ? '' : ', optional'}`,
    one.description ?? one.schema.description ?? '',
  ]);
  return [
    `### ${name}`,
    '',
    `${summary}.${scope === undefined ? '' : ` Scope ${code(scope)}${rolesWith(scope)}.`}`,
    '',
    ...(description === undefined ? [] : [description, '']),
    ...(rows.length === 0 ? [] : [...table(['parameter', 'in', 'means'], rows), '']),
    ...(requestBody === undefined
      ? []
      : [`Body: ${kindsOf(requestBody.content)}`, '', ...exampleOf(requestBody.content)]),
    ...rulesIn(operation),
    ...answersOf(operation),
    '',
  ];
}

/** docs/reference/http.md, whole. */
export function httpPage({ info, tags, paths }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const known = new Set(tags.map(({ name }) => name));
  const others = operations.flatMap(({ operation }) => operation.tags);
  const unnamed = [...new Set(others)].filter((name) => !known.has(name));
  const groups = [...tags, ...unnamed.map((name) => ({ name, description: '' }))];
  return [
    '# HTTP API',
    '',
    madeOf('the OpenAPI document'),
    'A running server has that document at `/openapi.json`, and a page of it at `/docs`.',
    'What bodies and answers have in them, field by field: [schemas.md](schemas.md).',
    `Every request can be refused with ${[...COMMON].map(code).join(', ')}`,
    '([what to do then](errors.md)); what else can happen stands with each operation.',
    '',
    info.description.trim(),
    '',
    ...groups.flatMap(({ name, description }) => [
      `## ${name}`,
      '',
      ...(description === '' ? [] : [description, '']),
      ...operations
        .filter(({ operation }) => operation.tags[0] === name)
        .flatMap((one) => section(one.name, one.operation)),
    ]),
  ].join('\n');
}
