import type { FastifyInstance, FastifySchema } from 'fastify';
import { type ErrorCode, ERRORS } from '../core/errors.ts';
import { scopeOfRoute } from './access.ts';
import { ALWAYS_ANSWERED } from './load-shedding.ts';
import { EVENT_EXAMPLE, EXAMPLES, JOB_EXAMPLE } from './openapi-examples.ts';
import { INTRODUCTION, TAGS } from './openapi-text.ts';
import { ProblemSchema } from './schema/problem.ts';

/** A route as it was registered. */
export interface RouteDoc {
  readonly method: string;
  readonly url: string;
  readonly schema: FastifySchema;
}

type Json = Record<string, unknown>;

/** Notes every route that is registered from now on; HEAD goes without saying. */
export function collectRoutes(app: FastifyInstance): RouteDoc[] {
  const found: RouteDoc[] = [];
  app.addHook('onRoute', ({ method, url, schema }) => {
    for (const one of [method].flat()) {
      if (one !== 'HEAD') found.push({ method: one, url, schema: schema ?? {} });
    }
  });
  return found;
}

const HIDDEN = new Set(['$id', 'fault']);

/** Copies schemas, with those that have a name put aside and referred to. */
class Components {
  readonly schemas: Record<string, Json> = {};

  add(schema: unknown): Json {
    return this.#copy(schema) as Json;
  }

  #copy(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#copy(one));
    if (typeof value !== 'object' || value === null) return value;
    const { $id: name, $ref } = value as { $id?: unknown; $ref?: unknown };
    // A schema that has itself in it.
    if (typeof $ref === 'string' && $ref.endsWith('#')) {
      return { $ref: `#/components/schemas/${$ref.slice(0, -1)}` };
    }
    if (typeof name !== 'string') return this.#members(value);
    if (!Object.hasOwn(this.schemas, name)) {
      this.schemas[name] = {};
      this.schemas[name] = this.#members(value);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #members(value: object): Json {
    const members = Object.entries(value).filter(([name]) => !HIDDEN.has(name));
    return Object.fromEntries(members.map(([name, member]) => [name, this.#copy(member)]));
  }
}

interface Members {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

function parameters(components: Components, schema: unknown, where: string): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Members;
  return Object.entries(properties).map(([name, member]) => {
    const { description, ...rest } = components.add(member);
    const common = { name, in: where, required: where === 'path' || required.includes(name) };
    return { ...common, ...(description === undefined ? {} : { description }), schema: rest };
  });
}

/** What every route can answer with, beside what it names itself. */
function commonErrors({ method, url, schema }: RouteDoc, isPublic: boolean): ErrorCode[] {
  const hasInput = [schema.body, schema.params, schema.querystring].some(
    (one) => one !== undefined,
  );
  return [
    ...(hasInput ? (['VALIDATION_ERROR'] as const) : []),
    ...(isPublic ? [] : (['UNAUTHENTICATED', 'FORBIDDEN'] as const)),
    ...(method === 'GET'
      ? []
      : (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'REQUEST_TIMEOUT'] as const)),
    ...(method === 'GET' ? [] : (['OUTCOME_UNKNOWN'] as const)),
    ...(isPublic ? [] : (['RATE_LIMITED', 'INTERNAL_ERROR', 'STORE_UNAVAILABLE'] as const)),
    ...(ALWAYS_ANSWERED.has(url) ? [] : (['SERVER_BUSY'] as const)),
  ];
}

function errorResponses(components: Components, codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(new Set(codes), (code) => ERRORS[code].status);
  const schema = components.add(ProblemSchema);
  return Object.fromEntries(
    [...byStatus].map(([status, own]) => {
      const description = own.map((code) => `\`${code}\`: ${ERRORS[code].hint}`).join(' ');
      return [String(status), { description, content: { 'application/problem+json': { schema } } }];
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

function answer(components: Components, status: string, given: Answer): Json {
  const description = given.description ?? DONE[status] ?? 'See the schema.';
  if (given.type === 'undefined') return { description };
  if (given.content !== undefined) return { description, content: components.add(given.content) };
  return {
    description: DONE[status] ?? description,
    content: { 'application/json': { schema: components.add(given) } },
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
    schema: components.add(schema.body),
    ...(example === undefined ? {} : { example }),
  };
  const required = method === 'PUT' || isNeeded(schema.body);
  return { requestBody: { required, content: { 'application/json': json } } };
}

function operationOf(components: Components, route: RouteDoc): Json {
  const { method, url, schema } = route;
  const scope = scopeOfRoute(method, url);
  const answers = Object.entries((schema.response ?? {}) as Record<string, Answer>);
  const codes = [...(schema.errors ?? []), ...commonErrors(route, scope === 'public')];
  return {
    ...(schema.tags === undefined ? {} : { tags: schema.tags }),
    operationId: schema.operationId,
    summary: schema.summary,
    ...(schema.description === undefined ? {} : { description: schema.description }),
    parameters: [
      ...parameters(components, schema.params, 'path'),
      ...parameters(components, schema.querystring, 'query'),
      ...parameters(components, schema.headers, 'header'),
    ],
    ...bodyOf(components, route),
    responses: {
      ...Object.fromEntries(
        answers.map(([status, given]) => [status, answer(components, status, given)]),
      ),
      ...errorResponses(components, codes),
    },
    security: scope === 'public' ? [] : [{ bearer: [] }],
    ...(scope === 'public' || scope === null ? {} : { 'x-required-scope': scope }),
  };
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
export function openApiOf(routes: readonly RouteDoc[]): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const route of routes.filter(({ schema }) => schema.describedElsewhere !== true)) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}');
    const method = route.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operationOf(components, route) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Pawl', version: '1', description: INTRODUCTION },
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
