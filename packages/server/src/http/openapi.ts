import type { FastifyInstance, FastifySchema } from 'fastify';
import { type ErrorCode, ERRORS } from 'pawl/internal/core/errors';
import type { AnyScope } from 'pawl/internal/contract/role';
import { type PUBLIC, scopeOfRoute, SIGNED_IN } from './access.ts';
import { ALWAYS_ANSWERED } from './load-shedding.ts';
import { Components, type Json, type Members } from './openapi-components.ts';
import { EVENT_EXAMPLE, EXAMPLES, JOB_EXAMPLE } from './openapi-examples.ts';
import { COMMON_RULES, RULES } from './openapi-rules.ts';
import { INTRODUCTION, TAGS } from './openapi-text.ts';
import { ProblemSchema } from 'pawl/internal/contract/problem';

/** A route as it was registered. */
export interface RouteDoc {
  readonly method: string;
  readonly url: string;
  readonly schema: FastifySchema;
  /** What a credential must allow; null: nobody may use it. */
  readonly scope: AnyScope | typeof PUBLIC | typeof SIGNED_IN | null;
}

/** Notes every route that is registered from now on; HEAD goes without saying. */
export function collectRoutes(app: FastifyInstance): RouteDoc[] {
  const found: RouteDoc[] = [];
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    for (const one of [method].flat()) {
      if (one === 'HEAD') continue;
      const scope = config?.scope ?? scopeOfRoute(one, url);
      found.push({ method: one, url, schema: schema ?? {}, scope });
    }
  });
  return found;
}

function parameters(components: Components, schema: unknown, where: string): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Members;
  return Object.entries(properties).map(([name, member]) => {
    const { description, ...rest } = components.add(member);
    const common = { name, in: where, required: where === 'path' || required.includes(name) };
    return { ...common, ...(description === undefined ? {} : { description }), schema: rest };
  });
}

/**
 * Those of all three places. A header that can be sent in the query as well is told of in the text:
 * names that differ by hyphens alone are one name in many languages.
 */
function parametersOf(components: Components, schema: FastifySchema): Json[] {
  const query = parameters(components, schema.querystring, 'query');
  const inQuery = new Set(query.map(({ name }) => plainName(name)));
  const headers = parameters(components, schema.headers, 'header');
  return [
    ...parameters(components, schema.params, 'path'),
    ...query,
    ...headers.filter(({ name }) => !inQuery.has(plainName(name))),
  ];
}

function plainName(name: unknown): string {
  return String(name).replaceAll('-', '').toLowerCase();
}

/** `acceptJob` → `AcceptJobRequest`. */
function nameOf({ operationId = '' }: FastifySchema, suffix: 'Request' | 'Answer'): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1) + suffix;
}

/** What every route can answer with, beside what it names itself. */
function commonErrors({ method, url }: RouteDoc, isPublic: boolean): ErrorCode[] {
  return [
    'VALIDATION_ERROR',
    ...(isPublic ? [] : (['UNAUTHENTICATED', 'FORBIDDEN'] as const)),
    ...(method === 'GET'
      ? []
      : (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'REQUEST_TIMEOUT'] as const)),
    ...(method === 'GET' ? [] : (['OUTCOME_UNKNOWN', 'STORE_NOT_WRITABLE'] as const)),
    ...(isPublic ? [] : (['RATE_LIMITED', 'INTERNAL_ERROR', 'STORE_UNAVAILABLE'] as const)),
    ...(ALWAYS_ANSWERED.has(url) ? [] : (['SERVER_BUSY'] as const)),
  ];
}

function errorResponses(
  components: Components,
  codes: readonly ErrorCode[],
  hasPages: boolean,
): Json {
  const byStatus = Map.groupBy(new Set(codes), (code) => ERRORS[code].status);
  const schema = components.add(ProblemSchema);
  const page = hasPages ? { 'text/html': { schema: { type: 'string' } } } : {};
  return Object.fromEntries(
    [...byStatus].map(([status, own]) => {
      const description = own.map((code) => `\`${code}\`: ${ERRORS[code].hint}`).join(' ');
      const content = { 'application/problem+json': { schema }, ...page };
      return [String(status), { description, content }];
    }),
  );
}

const DONE: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted.',
};

/** A schema, or a description with one schema a media type. */
type Answer = { readonly description?: string; readonly content?: Json; readonly type?: string };

function answer(components: Components, name: string, [status, given]: [string, Answer]): Json {
  const description = given.description ?? DONE[status] ?? 'See the schema.';
  if (given.type === 'undefined') return { description };
  if (given.content !== undefined) {
    const { 'application/json': json, ...others } = given.content as Record<string, Json>;
    const named = json && { schema: components.addNamed(json['schema'], name) };
    const content = { ...(named && { 'application/json': named }), ...components.add(others) };
    return { description, content };
  }
  return {
    description: DONE[status] ?? description,
    content: { 'application/json': { schema: components.addNamed(given, name) } },
  };
}

/** What is sent: JSON by its schema with an example, or bytes as they are. */
function bodyOf(components: Components, { method, schema }: RouteDoc): Json {
  if (schema.bytes !== undefined) {
    const content = { 'application/octet-stream': { schema: {} } };
    return { requestBody: { description: schema.bytes, required: true, content } };
  }
  if (schema.body === undefined) return {};
  const example = EXAMPLES[schema.operationId ?? ''];
  const json = {
    schema: components.addNamed(schema.body, nameOf(schema, 'Request')),
    ...(example === undefined ? {} : { example }),
  };
  // A POST that needs nothing more than its address may leave the body out.
  const required = method !== 'POST' || isNeeded(schema.body);
  return { requestBody: { required, content: { 'application/json': json } } };
}

/** Where credentials are not asked for, one may be sent all the same. */
function securityOf({ scope }: RouteDoc, isOpen: boolean): Json[] {
  if (scope === 'public') return [];
  return isOpen ? [{}, { bearer: [] }] : [{ bearer: [] }];
}

const UNCHANGED = 'The answer is as it was: `If-None-Match` named its `ETag`.';

/** What every answer in JSON can be instead, to who has it already. */
function unchangedOf({ method }: RouteDoc, answers: Json): Json {
  const { content = {} } = (answers['200'] ?? {}) as { content?: Json };
  const isTagged = method === 'GET' && 'application/json' in content;
  return isTagged ? { 304: { description: UNCHANGED }, ...answers } : answers;
}

function operationOf(components: Components, route: RouteDoc, isOpen: boolean): Json {
  const { schema, scope } = route;
  const answers = Object.entries((schema.response ?? {}) as Record<string, Answer>);
  const named = answers.map((one) => [one[0], answer(components, nameOf(schema, 'Answer'), one)]);
  const codes = [...(schema.errors ?? []), ...commonErrors(route, scope === 'public')];
  return {
    ...(schema.tags === undefined ? {} : { tags: schema.tags }),
    operationId: schema.operationId,
    summary: schema.summary,
    ...(schema.description === undefined ? {} : { description: schema.description }),
    parameters: parametersOf(components, schema),
    ...bodyOf(components, route),
    responses: {
      ...unchangedOf(route, Object.fromEntries(named)),
      ...errorResponses(components, codes, schema.hasPages === true),
    },
    security: securityOf(route, isOpen),
    ...(scope === 'public' || scope === SIGNED_IN || scope === null
      ? {}
      : { 'x-required-scope': scope }),
    ...rulesOf(schema),
  };
}

function rulesOf({ operationId = '' }: FastifySchema): Json {
  const rules = RULES[operationId];
  return rules === undefined ? {} : { 'x-rules': rules };
}

function isNeeded(body: unknown): boolean {
  return ((body as Members).required ?? []).length > 0;
}

function withExamples(schemas: Record<string, Json>): Record<string, Json> {
  const examples = { Job: JOB_EXAMPLE, JobEvent: EVENT_EXAMPLE };
  for (const [name, example] of Object.entries(examples)) {
    if (schemas[name] !== undefined) schemas[name] = { ...schemas[name], examples: [example] };
  }
  return schemas;
}

/** The OpenAPI 3.1 document of the routes, made of the very schemas that validate. */
export function openApiOf(routes: readonly RouteDoc[], isOpen: boolean): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const route of routes.filter(({ schema }) => schema.describedElsewhere !== true)) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}');
    const method = route.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operationOf(components, route, isOpen) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Pawl', version: '1', description: INTRODUCTION },
    'x-rules': COMMON_RULES,
    tags: TAGS,
    paths,
    components: {
      schemas: withExamples(components.schemas),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key (`pawl_…`) or a token of the configured identity provider.',
        },
      },
    },
  };
}
