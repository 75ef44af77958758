// Routes of plug-ins: what they are told of a request, and that every refusal is in their words.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { type PluginRoute, type RouteContext, isPawlError } from 'pawl/plugin';
import { pluginRoutes } from '@pawl/server/internal/http/plugin-routes';
import type { ServerOptions } from '@pawl/server/internal/http/server';
import { StoreError } from 'pawl/internal/store/store-error';
import { openLocked } from './auth-fixture.ts';
import type { Answer } from './http-fixture.ts';

class Teapot extends Error {}

function words(error: unknown): string {
  if (error instanceof Teapot) return 'teapot';
  return isPawlError(error) ? error.code : 'unknown';
}

const seen: RouteContext[] = [];

const common: Pick<PluginRoute, 'onError'> = {
  onError: (error, request, { caller }) =>
    Response.json(
      { own: words(error), path: new URL(request.url).pathname, caller: caller.id },
      { status: 418, headers: { 'x-own': 'yes' } },
    ),
};

const ROUTES: readonly PluginRoute[] = [
  {
    ...common,
    method: 'POST',
    path: '/own/:id',
    scope: 'jobs:write',
    body: Type.Object({ size: Type.Integer() }),
    bodyBytesMax: 1_000,
    handle: (_request, context) => {
      seen.push(context);
      const { fails } = context.query;
      if (fails === 'own') throw new Teapot();
      if (fails === 'store') throw new StoreError('unchanged', 'the database is away');
      return { id: context.params['id'], body: context.body };
    },
  },
  {
    method: 'GET',
    path: '/own/open',
    scope: 'public',
    handle: (request, { caller }) => ({
      method: request.method,
      mayRead: caller.scopes.has('jobs:read'),
    }),
  },
  {
    method: 'GET',
    path: '/v1/own',
    scope: 'queues:read',
    doc: { operationId: 'readOwn', summary: 'Of a plug-in', tag: 'Queues' },
    answers: { 200: Type.Object({ tenant: Type.String() }) },
    handle: (_request, { caller }) => ({ tenant: caller.tenant }),
  },
];

async function open(more: Partial<ServerOptions> = {}) {
  const routes = [pluginRoutes(ROUTES, new AbortController().signal)];
  const locked = await openLocked({ server: { more: routes, ...more } });
  after(() => locked.api.close());
  return locked;
}

test('a refusal is answered by the route, whoever refuses', async () => {
  const { api, holder } = await open();
  const { api: viewer } = await holder({ roles: ['viewer'] });
  const { api: admin } = await holder({});
  const large = { size: 1, text: 'x'.repeat(2_000) };
  const refused: [Promise<Answer>, string][] = [
    [api.post('/own/1', { size: 1 }), 'UNAUTHENTICATED'],
    [viewer.post('/own/1', { size: 1 }), 'FORBIDDEN'],
    [admin.post('/own/1', { size: 'x' }), 'VALIDATION_ERROR'],
    [admin.call('POST', '/own/1', { body: '{' }), 'VALIDATION_ERROR'],
    [admin.post('/own/1', large), 'PAYLOAD_TOO_LARGE'],
    [admin.post('/own/1?fails=store', { size: 1 }), 'STORE_UNAVAILABLE'],
    [admin.post('/own/1?fails=own', { size: 1 }), 'teapot'],
  ];
  for (const [call, code] of refused) {
    const { status, body } = await call;
    assert.equal(`${status} ${body.own}`, `418 ${code}`);
  }
  const { body, headers } = await api.post('/own/1', { size: 1 });
  assert.deepEqual(body, { own: 'UNAUTHENTICATED', path: '/own/1', caller: 'guest' });
  assert.equal(headers['x-own'], 'yes');
});

test('a route is told the parts of the path, the body and who asks', async () => {
  const { holder } = await open();
  const { api } = await holder({ tenant: 'acme' });
  const { body } = await api.post('/own/7', { size: 3 });
  assert.deepEqual(body, { id: '7', body: { size: 3 } });
  const { caller } = seen.at(-1)!;
  assert.equal(caller.tenant, 'acme');
  assert.ok(caller.scopes.has('jobs:write'));
});

test('the signal of a request ends with its answer, on a connection that goes on', async () => {
  const { api, holder } = await open();
  const { made } = await holder({});
  const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const headers = { authorization: `Bearer ${made.text}`, 'content-type': 'application/json' };
  const warnings: string[] = [];
  const listen = ({ name }: Error): number => warnings.push(name);
  process.on('warning', listen);
  for (let asked = 0; asked < 15; asked++) {
    const answer = await fetch(`${url}/own/${asked}`, {
      method: 'POST',
      headers,
      body: '{"size":1}',
    });
    assert.equal(answer.status, 200);
    await answer.arrayBuffer();
  }
  process.off('warning', listen);
  assert.deepEqual(warnings, []);
  const [first] = seen.slice(-15);
  assert.ok(first!.signal.aborted);
});

test('where a route asks nobody for a credential, everybody is a guest and none is counted', async () => {
  const rate = { perSecond: 1, burst: 1 };
  const { api } = await open({ rate });
  for (let asked = 0; asked < 3; asked++) {
    const { status, body } = await api.get('/own/open');
    assert.equal(status, 200);
    assert.deepEqual(body, { method: 'GET', mayRead: false });
  }
  assert.equal((await api.call('HEAD', '/own/open')).status, 200);
});

test('the document of the API tells the scope of a route of a plug-in', async () => {
  const { api, holder } = await open();
  const { paths } = (await api.get('/openapi.json')).body;
  assert.equal(paths['/v1/own'].get['x-required-scope'], 'queues:read');
  assert.equal(paths['/own/open'], undefined);
  const { api: viewer } = await holder({ roles: ['viewer'] });
  assert.deepEqual((await viewer.get('/v1/own')).body, { tenant: 'default' });
});
