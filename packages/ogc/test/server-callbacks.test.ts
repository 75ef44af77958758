// Subscribers are called back by jobs of the platform's own: durable, and once for each news.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { defineJob } from 'pawl/internal/handler/define-job';
import { fail } from 'pawl/internal/handler/failure';
import { fanOutCallbacks } from '../src/server/callbacks.ts';
import { News } from '../../../test/support/news.ts';
import { openOgcServer } from './server-fixture.ts';

interface Call {
  readonly path: string;
  readonly contentType: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies are looked into freely
  readonly body: any;
}

const calls: Call[] = [];
const news = new News();

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString();
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const contentType = request.headers['content-type'] ?? '';
  const body: unknown = JSON.parse(await textOf(request));
  calls.push({ path: request.url!, contentType, body });
  news.tell();
  response.writeHead(202).end();
}

const receiver = createServer((request, response) => {
  void receive(request, response);
}).listen(0, '127.0.0.1');
await new Promise((ready) => receiver.once('listening', ready));
after(() => receiver.close());
const at = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

function subscriber(name: string): Record<string, string> {
  const to = `${at}/${name}`;
  return {
    successUri: `${to}/success`,
    inProgressUri: `${to}/progress`,
    failedUri: `${to}/failed`,
  };
}

function callsTo(name: string): Call[] {
  return calls.filter(({ path }) => path.startsWith(`/${name}/`));
}

const good = defineJob('good', { expose: true, run: () => 'done' });
const bad = defineJob('bad', {
  expose: true,
  run: () => {
    throw fail('validation_error', 'never');
  },
});

const server = await openOgcServer({ jobs: [good, bad] });
const ASYNC = { prefer: 'respond-async' };

async function execute(id: string, name: string): Promise<string> {
  const body = { inputs: {}, subscriber: subscriber(name) };
  const { status, json } = await server.post(`/processes/${id}/execution`, body, ASYNC);
  assert.equal(status, 201);
  return json.jobID as string;
}

test('a subscriber hears of the beginning and gets the results as a document', async () => {
  const id = await execute('good', 'one');
  await news.until('both calls', () => callsTo('one').length === 2);
  const progress = callsTo('one').find(({ path }) => path.endsWith('/progress'))!;
  assert.equal(progress.body.jobID, id);
  assert.equal(progress.body.links[0].href, `${server.url}/jobs/${id}`);
  const success = callsTo('one').find(({ path }) => path.endsWith('/success'))!;
  assert.equal(success.contentType, 'application/json');
  assert.deepEqual(success.body, { result: 'done' });
});

test('a subscriber hears of a failure, with its reason', async () => {
  const id = await execute('bad', 'two');
  const call = await news.until('the failure', () =>
    callsTo('two').find(({ path }) => path.endsWith('/failed')),
  );
  assert.equal(call.body.detail, 'never');
  assert.equal(call.body.status, 400);
  assert.equal(call.body.jobID, id);
  assert.ok(!callsTo('two').some(({ path }) => path.endsWith('/success')));
});

test('the same news is told once, however often the log brings it', async () => {
  const idle = await openOgcServer({ jobs: [good], isWorking: false });
  const body = { inputs: {}, subscriber: subscriber('three') };
  const { json } = await idle.post('/processes/good/execution', body, ASYNC);
  const [claim] = await idle.engine.claim({ owner: 'w', types: ['good'], max: 1 });
  const { job } = claim!;
  const held = { ref: { tenant: job.tenant, id: job.id }, owner: 'w', epoch: job.epoch };
  await idle.engine.settle([{ ...held, ending: { kind: 'succeed', result: '1' } }]);
  const page = await idle.engine.tail({ tenant: null, from: 'start', limit: 100 });
  const sources = [{ owns: (type: string) => type === 'good' }] as never;
  const fixture = { engine: idle.engine, sources };
  for (let time = 0; time < 3; time++) assert.equal(await fanOutCallbacks(fixture, page.items), 2);
  const made = await idle.engine.jobs({
    tenant: 'default',
    type: 'pawl.ogc-callback',
    limit: 100,
  });
  assert.equal(made.jobs.length, 2);
  const listed = await idle.get('/jobs');
  assert.deepEqual(
    listed.json.jobs.map(({ jobID }: { jobID: string }) => jobID),
    [json.jobID],
  );
});
