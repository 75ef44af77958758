// A Pawl that a program has opened, served by itself or inside a server of the program's own.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { defineJob, openPawl, type Pawl } from 'pawl';
import { definePlugin } from 'pawl/plugin';
import { handler, serve } from '@pawl/server';
import { eventually } from '../support/eventually.ts';

const hello = defineJob('hello', { run: () => 'world' });

async function open(context: TestContext): Promise<Pawl> {
  const pawl = await openPawl({ database: ':memory:', jobs: [hello] });
  context.after(() => pawl.close());
  pawl.work();
  return pawl;
}

test('serve answers the programs of this machine, dashboard included, and others not at all', async (context) => {
  const pawl = await open(context);
  const server = await serve(pawl, { port: 0 });
  context.after(() => server.close());
  const job = await pawl.enqueue(hello);
  await job.result();
  const answer = await fetch(`${server.url}/v1/jobs/${job.id}`);
  assert.equal(((await answer.json()) as { state: string }).state, 'succeeded');
  const page = await fetch(server.url, { headers: { accept: 'text/html' } });
  assert.match(page.headers.get('content-type') ?? '', /^(?:text\/html|application\/json)/);
  await assert.rejects(serve(pawl, { host: '0.0.0.0' }), /refused: use "pawl start", or mount/);
});

test('what plug-ins of the program bring is served with it', async (context) => {
  const plugin = definePlugin({
    name: 'weather',
    routes: [
      { method: 'GET', path: '/v1/weather', scope: 'public', handle: () => ({ wind: 'north' }) },
    ],
  });
  const pawl = await openPawl({ database: ':memory:', jobs: [], plugins: [plugin] });
  context.after(() => pawl.close());
  const { fetch: ask, close } = await handler(pawl);
  context.after(() => close());
  const answer = await ask(new Request('http://app.example/v1/weather'));
  assert.deepEqual([answer.status, await answer.json()], [200, { wind: 'north' }]);
});

test('a handler is mounted below a path of a node:http server, as whoever the program says', async (context) => {
  const pawl = await open(context);
  const { node, close } = await handler(pawl, {
    identify: ({ headers }) =>
      headers['x-user'] === undefined
        ? null
        : { tenant: 'acme', principal: String(headers['x-user']), role: 'viewer' },
  });
  const server = createServer((request, response) => {
    request.url = request.url!.replace(/^\/jobs-admin/, '');
    node(request, response);
  });
  context.after(() => close());
  context.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jobs-admin/v1/jobs`;
  assert.equal((await fetch(url)).status, 401);
  const headers = { 'x-user': 'ada', 'content-type': 'application/json' };
  assert.equal((await fetch(url, { headers })).status, 200);
  const refused = await fetch(url, { method: 'POST', headers, body: '{"type":"hello"}' });
  assert.equal(refused.status, 403);
});

test('below a base path the handler takes whole addresses, and leads to the page with a slash', async (context) => {
  const pawl = await open(context);
  const { fetch: ask, close } = await handler(pawl, { basePath: '/admin/jobs/' });
  context.after(() => close());
  const at = (path: string): Promise<Response> => ask(new Request(`http://app.example${path}`));
  assert.equal((await at('/admin/jobs/v1/jobs')).status, 200);
  for (const [path, location] of [
    ['/admin/jobs', '/admin/jobs/'],
    ['/admin/jobs?a=b', '/admin/jobs/?a=b'],
  ] as const) {
    const answer = await at(path);
    assert.deepEqual([answer.status, answer.headers.get('location')], [308, location]);
  }
  assert.equal((await at('/admin/jobsv1/jobs')).status, 404);
  await assert.rejects(handler(pawl, { basePath: 'admin jobs' }), /write the path that it is/);
});

test('a body that a parser has read before is refused with what to do', async (context) => {
  const pawl = await open(context);
  const { node, close } = await handler(pawl);
  context.after(() => close());
  const server = createServer((request, response) => {
    request.resume().once('end', () => node(request, response));
  });
  context.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/jobs`;
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: '{"type":"hello"}' });
  assert.equal(answer.status, 501);
  assert.match(await answer.text(), /mount handler\(pawl\) before express\.json\(\)/);
});

test('a reader of a live stream by fetch that leaves is no longer counted', async (context) => {
  const pawl = await open(context);
  const { fetch: ask, close } = await handler(pawl);
  context.after(() => close());
  const headers = { accept: 'text/event-stream' };
  const live = await ask(new Request('http://app.example/v1/events', { headers }));
  assert.match(live.headers.get('content-type') ?? '', /^text\/event-stream/);
  const streams = async (): Promise<string> => {
    const metrics = await ask(new Request('http://app.example/metrics'));
    return /^pawl_sse_streams (\d+)$/m.exec(await metrics.text())![1]!;
  };
  assert.equal(await streams(), '1');
  await live.body!.cancel();
  await eventually('the stream is gone', async () => ((await streams()) === '0' ? true : null));
});

test('a handler answers fetch with Responses, bodies and streams included', async (context) => {
  const pawl = await open(context);
  const mounted = await handler(pawl);
  context.after(() => mounted.close());
  const made = await mounted.fetch(
    new Request('http://app.example/v1/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"type":"hello"}',
    }),
  );
  assert.equal(made.status, 202);
  const { id } = (await made.json()) as { id: string };
  assert.equal((await pawl.job(hello, id).ended()).state, 'succeeded');
  const result = await mounted.fetch(new Request(`http://app.example/v1/jobs/${id}/result`));
  assert.equal(await result.json(), 'world');
});
