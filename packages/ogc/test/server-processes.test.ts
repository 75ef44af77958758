// Pawl's own types as processes: which are shown, how they are described, and what they give.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import * as valibot from 'valibot';
import { z } from 'zod';
import { defineJob } from 'pawl/internal/handler/define-job';
import { fromTypebox } from 'pawl/internal/handler/typebox';
import { distributed } from 'pawl/internal/lifecycles/distributed';
import { openApiSchemaOf } from '../src/server/openapi-schema.ts';
import { openOgcServer, pathOf } from './server-fixture.ts';

const area = defineJob('geo:area', {
  lifecycle: distributed,
  expose: { title: 'Area', description: 'Of <boxes> & more', version: '2.1.0' },
  input: z.object({
    bbox: z.array(z.number()).min(4).max(6),
    unit: z.enum(['m2', 'km2']).default('m2'),
    nested: z.object({ depth: z.number().int().positive() }).optional(),
  }),
  result: z.object({ area: z.number(), box: z.object({ bbox: z.array(z.number()) }) }),
  run: ({ input }) => ({ area: input.bbox.length, box: { bbox: input.bbox } }),
});

const picture = defineJob('picture', {
  expose: true,
  input: fromTypebox(Type.Object({ text: Type.String({ minLength: 1 }) })),
  result: fromTypebox(
    Type.Object({
      image: Type.String({ contentMediaType: 'image/png', contentEncoding: 'base64' }),
    }),
  ),
  run: () => ({ image: Buffer.from('pixels').toString('base64') }),
});

const files = defineJob('files', {
  expose: true,
  run: async ({ artifact }) => {
    await artifact('a b.txt', 'hello', { contentType: 'text/plain' });
  },
});

const plain = defineJob('plain', {
  expose: true,
  input: valibot.object({ name: valibot.string() }),
  run: ({ input }) => ({ hello: input.name }),
});

const secret = defineJob('secret', { run: () => null });

const server = await openOgcServer({ jobs: [area, picture, files, plain, secret] });

test('types that are published are processes, the others are not', async () => {
  const { json } = await server.get('/processes');
  const ids = json.processes.map(({ id }: { id: string }) => id);
  assert.deepEqual(ids.toSorted(), ['echo', 'files', 'geo:area', 'picture', 'plain']);
  assert.equal((await server.get('/processes/secret')).status, 404);
  const refused = await server.post('/processes/secret/execution', {});
  assert.equal(refused.status, 404);
});

test('a type that takes no input has none to describe, and refuses one', async () => {
  assert.deepEqual((await server.get('/processes/files')).json.inputs, {});
  const path = '/processes/files/execution';
  for (const body of [{}, { inputs: {} }]) {
    assert.equal((await server.post(path, body)).status, 204, JSON.stringify(body));
  }
  const refused = await server.post(path, { inputs: { input: {} } });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /\/inputs\/input: must be left out: this process takes no inputs/);
});

test('the list is cut into pages that lead to each other', async () => {
  const first = await server.get('/processes?limit=2');
  const linkOf = (json: { links: { rel: string; href: string }[] }, rel: string) =>
    json.links.find((link) => link.rel === rel)?.href;
  const second = await server.get(pathOf(server, linkOf(first.json, 'next')!));
  assert.equal(second.json.processes.length, 2);
  assert.notDeepEqual(second.json.processes, first.json.processes);
  const back = await server.get(pathOf(server, linkOf(second.json, 'prev')!));
  assert.deepEqual(back.json.processes, first.json.processes);
  const last = await server.get(pathOf(server, linkOf(second.json, 'next')!));
  assert.equal(linkOf(last.json, 'next'), undefined);
});

test('a zod schema describes inputs and outputs, in the words of OpenAPI 3.0', async () => {
  const { json } = await server.get('/processes/geo%3Aarea');
  assert.equal(json.title, 'Area');
  assert.equal(json.version, '2.1.0');
  assert.deepEqual(Object.keys(json.inputs), ['bbox', 'unit', 'nested']);
  assert.equal(json.inputs.bbox.minOccurs, 1);
  assert.equal(json.inputs.unit.minOccurs, 0);
  assert.deepEqual(json.inputs.unit.schema.enum, ['m2', 'km2']);
  const { depth } = json.inputs.nested.schema.properties;
  assert.equal(depth.exclusiveMinimum, true);
  assert.equal(depth.minimum, 0);
  assert.deepEqual(json.outputs.area.schema, { type: 'number' });
  const execute = json.links.find(({ rel }: { rel: string }) => rel.endsWith('/execute'));
  assert.equal(execute.href, `${server.url}/processes/geo%3Aarea/execution`);
});

test('the inputs are the input of the job, checked before it is made', async () => {
  const path = '/processes/geo:area/execution';
  const body = { inputs: { bbox: [1, 2, 3, 4] }, response: 'document' };
  const { status, json } = await server.post(path, body);
  assert.equal(status, 200);
  assert.deepEqual(json, { area: 4, box: { value: { bbox: [1, 2, 3, 4] } } });
  const wrong = await server.post(path, { inputs: { bbox: [1], unit: 'acre' } });
  assert.equal(wrong.status, 400);
  assert.deepEqual(
    wrong.json.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/inputs/bbox', '/inputs/unit'],
  );
});

test('bytes are themselves where one raw output is asked for, and base64 in a document', async () => {
  const inputs = { text: 'x' };
  const raw = await server.post('/processes/picture/execution', { inputs });
  assert.equal(raw.headers.get('content-type'), 'image/png');
  assert.equal(raw.text, 'pixels');
  const body = { inputs, response: 'document' };
  const { json } = await server.post('/processes/picture/execution', body);
  const value = Buffer.from('pixels').toString('base64');
  assert.deepEqual(json.image, { value, encoding: 'base64', mediaType: 'image/png' });
});

test('a job that gave nothing but files gives them by reference', async () => {
  const { status, headers } = await server.post('/processes/files/execution', {});
  assert.equal(status, 204);
  const [, href] = /^<([^>]+)>; rel="item"; type="text\/plain"/.exec(headers.get('link')!)!;
  const file = await server.get(pathOf(server, href!));
  assert.equal(file.text, 'hello');
});

test('a schema that cannot say itself as JSON Schema leaves one input and one output', async () => {
  const { json } = await server.get('/processes/plain');
  assert.deepEqual(Object.keys(json.inputs), ['input']);
  assert.deepEqual(Object.keys(json.outputs), ['result']);
  const inputs = { input: { value: { name: 'Ada' } } };
  const answer = await server.post('/processes/plain/execution', { inputs });
  assert.deepEqual(answer.json, { hello: 'Ada' });
});

test('a type registered over the native API is published by its definition', async () => {
  const expose = {
    title: 'Remote',
    input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    result: { type: 'object', properties: { n: { type: 'integer' } } },
  };
  const body = JSON.stringify({ lifecycle: 'task', expose });
  const put = await fetch(`${server.url}/v1/types/remote`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body,
  });
  assert.equal(put.status, 201);
  const { json } = await server.get('/processes/remote');
  assert.deepEqual(json.inputs.n.schema, { type: 'integer' });
  const wrong = await server.post('/processes/remote/execution', { inputs: { n: 1.5 } });
  assert.equal(wrong.status, 400);
});

test('pages by Accept or by f=html: escaped, without scripts, for every resource', async () => {
  const body = { inputs: { message: '<b>' } };
  const { headers } = await server.post('/processes/echo/execution', body);
  const job = pathOf(server, headers.get('link')!.split(';')[0]!);
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const paths = ['/conformance', '/ogc/api', '/processes', '/processes/geo:area', '/jobs'];
  for (const path of [...paths, job, `${job}/results`]) {
    const page = await server.get(path, html);
    assert.equal(page.status, 200, path);
    assert.match(page.headers.get('content-type')!, /^text\/html/, path);
    assert.match(page.headers.get('content-security-policy')!, /default-src 'none'/);
    assert.doesNotMatch(page.text, /<script|<b>|Of <boxes>/, path);
    const same = await server.get(`${path}?f=html`);
    assert.match(same.headers.get('content-type')!, /^text\/html/, path);
    const asJson = await server.get(`${path}?f=json`, html);
    assert.doesNotMatch(asJson.headers.get('content-type')!, /html/, path);
  }
  assert.match((await server.get('/processes/geo:area', html)).text, /Of &lt;boxes&gt; &amp; more/);
});

test('JSON is for everybody who does not ask for a page', async () => {
  for (const accept of ['*/*', 'application/json', 'application/json, text/html', 'text/turtle']) {
    const { headers } = await server.get('/processes', { accept });
    assert.match(headers.get('content-type')!, /^application\/json/, accept);
  }
});

test('the API describes itself in OpenAPI 3.0: every route of it, and none besides', async () => {
  const { headers, json } = await server.get('/ogc/api');
  assert.equal(headers.get('content-type'), 'application/vnd.oai.openapi+json;version=3.0');
  assert.match(json.openapi, /^3\.0\./);
  const told = Object.entries<object>(json.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(told.toSorted(), [
    'DELETE /jobs/{jobId}',
    'DELETE /processes/{processId}',
    'GET /',
    'GET /conformance',
    'GET /jobs',
    'GET /jobs/{jobId}',
    'GET /jobs/{jobId}/results',
    'GET /jobs/{jobId}/results/{outputId}',
    'GET /ogc/api',
    'GET /processes',
    'GET /processes/{processId}',
    'GET /processes/{processId}/package',
    'POST /processes',
    'POST /processes/{processId}/execution',
    'PUT /processes/{processId}',
  ]);
  const native = await server.get('/openapi.json');
  assert.deepEqual(
    Object.keys(native.json.paths).filter((path) => /^\/(?:processes|jobs|conf)/.test(path)),
    [],
  );
});

test('addresses may end with a slash', async () => {
  for (const path of ['/conformance/', '/processes/', '/processes/echo/', '/jobs/']) {
    assert.equal((await server.get(path)).status, 200, path);
  }
  const body = { inputs: { message: 'x' } };
  assert.equal((await server.post('/processes/echo/execution/', body)).status, 200);
});

test('what OpenAPI 3.0 has no word for is said otherwise', () => {
  const schema = {
    $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } },
    type: 'object',
    properties: {
      kind: { const: 'a' },
      note: { type: ['string', 'null'], examples: ['x', 'y'] },
      low: { type: 'number', exclusiveMaximum: 5 },
      any: { type: ['string', 'number'] },
    },
  };
  const { properties } = openApiSchemaOf(schema) as { properties: Record<string, unknown> };
  assert.deepEqual(JSON.parse(JSON.stringify(properties)), {
    kind: { enum: ['a'] },
    note: { type: 'string', nullable: true, example: 'x' },
    low: { type: 'number', maximum: 5, exclusiveMaximum: true },
    any: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  });
  const endless = openApiSchemaOf(schema.$defs.Node, schema);
  assert.doesNotMatch(JSON.stringify(endless), /\$ref/);
});
