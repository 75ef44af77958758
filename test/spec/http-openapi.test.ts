// The API's own description: complete, true, and readable without any other host.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CLASSES } from 'pawl/internal/core/error-class';
import { ERRORS } from 'pawl/internal/core/errors';
import { scopeOfRoute } from '@pawl/server/internal/http/access';
import { openApi } from './http-fixture.ts';

const api = await openApi();
const { document } = api.contract;

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: { name: string; in: string }[];
  readonly requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  readonly responses: Record<string, { description: string; content?: Record<string, unknown> }>;
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    method,
    operation: operation as unknown as Described,
  })),
);

test('every route that the server has is in the document', () => {
  const printed = api.app.printRoutes({ commonPrefix: false, includeHooks: false });
  const urls = new Set<string>();
  const stack: string[] = [];
  for (const line of printed.split('\n')) {
    const match = /^([│ ]*)[└├]── ([^ ]*)(?: \(([^)]*)\))?/.exec(line);
    if (match === null) continue;
    const depth = match[1]!.length / 4;
    stack.length = depth;
    stack.push(match[2]!);
    for (const method of (match[3] ?? '').split(', ').filter((one) => one && one !== 'HEAD')) {
      urls.add(`${method} ${stack.join('').replaceAll(/:(\w+)/g, '{$1}')}`);
    }
  }
  assert.ok(urls.size > 30, `only ${urls.size} routes were found`);
  assert.deepEqual([...urls].toSorted(), operations.map(({ name }) => name).toSorted());
});

test('the contract of the platform is there: paths and methods as they were fixed', () => {
  const contract = `GET /livez, GET /readyz, GET /openapi.json, GET /docs, PUT /v1/types/{type},
    GET /v1/types, GET /v1/types/{type}, GET /v1/lifecycles, GET /v1/lifecycles/{name},
    POST /v1/jobs, POST /v1/jobs/batch, GET /v1/jobs, GET /v1/jobs/{id}, GET /v1/jobs/{id}/events,
    GET /v1/events, GET /v1/jobs/{id}/result, POST /v1/jobs/{id}/submit, POST /v1/jobs/{id}/cancel,
    POST /v1/jobs/{id}/rerun, POST /v1/jobs/rerun, GET /v1/failures, GET /v1/failures/jobs,
    POST /v1/jobs/cancel, POST /v1/jobs/{id}/reject, POST /v1/jobs/{id}/dead-letter, GET /v1/dlq,
    GET /v1/dlq/{id}, POST /v1/dlq/{id}/replay, POST /v1/dlq/replay, GET /v1/queues,
    POST /v1/claims, POST /v1/jobs/{id}/start, POST /v1/jobs/{id}/heartbeat,
    POST /v1/jobs/{id}/stages/{name}, POST /v1/jobs/{id}/complete, POST /v1/jobs/{id}/fail,
    POST /v1/jobs/{id}/snooze, POST /v1/jobs/{id}/release, POST /v1/jobs/{id}/cancelled,
    GET /v1/jobs/{id}/why, PATCH /v1/queues/{name}, GET /v1/workers, GET /v1/schedules,
    POST /v1/schedules, GET /v1/schedules/{name}, PUT /v1/schedules/{name},
    DELETE /v1/schedules/{name}, POST /v1/artifacts, GET /v1/artifacts/{id},
    PUT /v1/jobs/{id}/artifacts/{name}`;
  const names = new Set(operations.map(({ name }) => name));
  const missing = contract.split(/,\s+/).filter((name) => !names.has(name));
  assert.deepEqual(missing, []);
});

test('every operation has a name of its own, a summary, its answers and the scope it needs', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const { name, operation, method, path } of operations) {
    assert.ok(operation.summary, name);
    const statuses = Object.keys(operation.responses);
    assert.ok(
      statuses.some((status) => status.startsWith('2')),
      name,
    );
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    assert.ok(scopeOfRoute(method.toUpperCase(), url) !== null, `${name} is in no table of scopes`);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one);
    const inPath = operation.parameters.filter((one) => one.in === 'path').map((one) => one.name);
    assert.deepEqual(inPath, named, name);
  }
});

test('every body has an example, and every example fits its schema', () => {
  for (const { name, operation } of operations) {
    const body = operation.requestBody?.content['application/json'];
    if (body === undefined) continue;
    assert.ok(body.example !== undefined, `${name} has no example`);
    assert.deepEqual(api.contract.schemaErrors(body.schema, body.example), [], name);
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    for (const example of (schema['examples'] ?? []) as unknown[]) {
      assert.deepEqual(api.contract.schemaErrors(schema, example), [], name);
    }
  }
});

test('an Idempotency-Key is accepted and explained on every POST', () => {
  for (const { name, operation, method } of operations.filter((one) => one.method === 'post')) {
    const headers = operation.parameters.filter((one) => one.in === 'header');
    assert.ok(
      headers.some((one) => one.name === 'idempotency-key'),
      `${method} ${name}`,
    );
  }
  assert.match(document.info.description, /Idempotency-Key/);
});

test('[T28] the Job schema has attempts, maxAttempts, stage and all its times', () => {
  const { properties, required } = document.components.schemas['Job'] as {
    properties: Record<string, unknown>;
    required: string[];
  };
  const names = 'attempts maxAttempts stage createdAt updatedAt startedAt completedAt'.split(' ');
  for (const name of names) assert.ok(Object.hasOwn(properties, name), name);
  assert.ok(required.includes('attempts') && required.includes('createdAt'));
});

test('[T29] both SSE endpoints refer to JobEvent', () => {
  for (const path of ['/v1/jobs/{id}/events', '/v1/events']) {
    const { content } = document.paths[path]!['get']!.responses['200']!;
    assert.deepEqual(content!['text/event-stream'], {
      schema: { $ref: '#/components/schemas/JobEvent' },
    });
  }
});

test('[T30] codes of problems, classes of errors and codes of job errors are in it', () => {
  const problem = document.components.schemas['Problem'] as {
    properties: { code: { enum: string[] } };
  };
  assert.deepEqual(problem.properties.code.enum, Object.keys(ERRORS));
  const text = JSON.stringify(document);
  for (const name of Object.keys(ERROR_CLASSES)) assert.ok(text.includes(`\`${name}\``), name);
  assert.ok(text.includes('CONVERT_UNSUPPORTED_FORMAT'));
});

test('[T30] a failed job shows a code of the taxonomy, or its handler’s own', async () => {
  await api.put('/v1/types/convert', { lifecycle: 'task' });
  const first = await api.claimed('convert');
  const error = { class: 'unsupported_format', message: 'a .doc of 1995' };
  const failed = await api.post(`${first.url}/fail`, { ...first.held, error });
  assert.equal(failed.body.error.code, 'CONVERT_UNSUPPORTED_FORMAT');
  const second = await api.claimed('convert');
  const coded = { ...error, code: 'DOC_TOO_OLD' };
  const other = await api.post(`${second.url}/fail`, { ...second.held, error: coded });
  assert.equal(other.body.error.code, 'DOC_TOO_OLD');
});

test('[T40] cancellation, retry and backoff are explained where they are asked for', () => {
  const of = (path: string, method: string): string =>
    String(document.paths[path]![method]!['description']);
  const cancel = of('/v1/jobs/{id}/cancel', 'post');
  for (const word of ['soft', 'hard', '202', '409', 'heartbeat', 'complete']) {
    if (word !== 'soft') assert.ok(cancel.includes(word), word);
  }
  const type = of('/v1/types/{type}', 'put');
  for (const word of ['maxAttempts', 'factor^(n−1)', '`full`', '`equal`', '`decorrelated`']) {
    assert.ok(type.includes(word), word);
  }
});

test('/docs is one page of its own: no script, no other host, a strict policy', async () => {
  const { status, headers, body } = await api.get('/docs');
  assert.equal(status, 200);
  assert.match(
    String(headers['content-security-policy']),
    /^default-src 'none'; style-src 'self';/,
  );
  assert.doesNotMatch(body, /<script|<img|<iframe|style="|https?:\/\//);
  for (const { operation } of operations) assert.ok(body.includes(`id="${operation.operationId}"`));
  const style = await api.get('/docs/style.css');
  assert.equal(style.headers['content-type'], 'text/css; charset=utf-8');
});
