// The typed client and workers that are somewhere else: the same loop, and one in Python.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ApiClient, RemoteSource } from '../../src/client/client.ts';
import { systemTimers } from '../../src/core/timers.ts';
import { FlowFollower } from '../../src/engine/flows/flow-follower.ts';
import { defineJob } from '../../src/handler/define-job.ts';
import { typed } from '../../src/handler/schema.ts';
import type { JobSource } from '../../src/engine/source.ts';
import { openWorker } from '../../src/worker/open-worker.ts';
import { openLocked } from './auth-fixture.ts';
import { type Api, openApi } from './http-fixture.ts';

const atOnce = { sleep: () => Promise.resolve() };

async function openStation(): Promise<{ api: Api; url: string; client: ApiClient }> {
  const api = await openApi();
  const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
  after(() => api.close());
  return { api, url, client: new ApiClient({ url, timers: atOnce }) };
}

/** Something between client and server that loses answers. */
async function openLossy(
  url: string,
  isLost: (call: number) => 'answer' | 'request' | null,
): Promise<{ url: string; calls: string[] }> {
  const calls: string[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      calls.push(String(request.headers['idempotency-key']));
      const lost = isLost(calls.length);
      if (lost === 'request') return void request.socket.destroy();
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
      const pass = async (): Promise<void> => {
        const answer = await fetch(new URL(request.url!, url), {
          method: request.method!,
          headers: headers as Record<string, string>,
          ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
        });
        const body = await answer.text();
        if (lost === 'answer') return void request.socket.destroy();
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! });
        response.end(body);
      };
      void pass();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

test('the client accepts, lists, reads, waits, cancels and gets results', async () => {
  const { api, client } = await openStation();
  await client.putType('mail', { lifecycle: 'task' });
  const job = await client.enqueue({ type: 'mail', input: { to: 'ann' } });
  assert.equal((await client.job(job.id)).state, 'pending');
  assert.deepEqual(
    (await client.jobs({ type: 'mail' })).items.map(({ id }) => id),
    [job.id],
  );
  const { body } = await api.post('/v1/claims', { workerId: 'w', types: ['mail'], max: 1 });
  const waiting = client.waitForEnd(job.id);
  const held = { workerId: 'w', epoch: body.jobs[0].epoch };
  await api.post(`/v1/jobs/${job.id}/complete`, { ...held, result: { sent: true } });
  assert.equal((await waiting).state, 'succeeded');
  assert.deepEqual(await client.result(job.id), { sent: true });
  const other = await client.enqueue({ type: 'mail' });
  assert.equal((await client.cancel(other.id)).state, 'canceled');
});

test('problems are thrown as what they are', async () => {
  const { client } = await openStation();
  await assert.rejects(client.enqueue({ type: 'nobody' }), { code: 'UNKNOWN_TYPE' });
  const bad = client.enqueue({ type: 'export', prioritty: 1 } as never);
  await assert.rejects(bad, (error: { code: string; faults: { pointer: string }[] }) => {
    return error.code === 'VALIDATION_ERROR' && error.faults[0]!.pointer === '/prioritty';
  });
});

test('[R28] a lost answer is asked for again with the same key: one job', async () => {
  const { api, url } = await openStation();
  const lossy = await openLossy(url, (call) => (call < 3 ? 'answer' : null));
  const client = new ApiClient({ url: lossy.url, timers: atOnce });
  const job = await client.enqueue({ type: 'export', input: 1 });
  assert.equal(lossy.calls.length, 3);
  assert.equal(new Set(lossy.calls).size, 1);
  const { body } = await api.get('/v1/jobs?type=export');
  assert.deepEqual(
    body.items.map(({ id }: { id: string }) => id),
    [job.id],
  );
});

test('after enough lost answers the client says that the outcome is unknown', async () => {
  const { url } = await openStation();
  const lossy = await openLossy(url, () => 'request');
  const client = new ApiClient({ url: lossy.url, timers: atOnce, retriesMax: 2 });
  await assert.rejects(client.enqueue({ type: 'export' }), { code: 'OUTCOME_UNKNOWN' });
  assert.equal(lossy.calls.length, 3);
});

test('a worker that is somewhere else is the same loop over HTTP', async () => {
  const { api, url, client } = await openStation();
  await api.put('/v1/types/tiles', { lifecycle: 'task' });
  const seen = new Set<unknown>();
  const job = defineJob('tiles', {
    input: typed<number>(),
    async run({ input, stage, progress }) {
      seen.add(input);
      const plan = await stage('plan', () => [1, 2, 3]);
      progress(50, 'half');
      return { tiles: plan.length };
    },
  });
  const lossy = await openLossy(url, (call) => (call % 5 === 0 ? 'answer' : null));
  const { connection } = new ApiClient({ url: lossy.url, timers: atOnce });
  const source: JobSource = new RemoteSource({ connection, waitMs: 50 });
  const worker = openWorker({ source, jobs: [job], id: 'remote-1' });
  worker.start();
  const jobs = await client.enqueueMany([1, 2, 3, 4].map((input) => ({ type: 'tiles', input })));
  for (const { job: accepted } of jobs) {
    const end = await client.waitForEnd(accepted!.id);
    assert.deepEqual([end.state, end.attempts], ['succeeded', 1]);
    assert.deepEqual(await client.result(end.id), { tiles: 3 });
  }
  await worker.drain();
  assert.deepEqual(seen, new Set([1, 2, 3, 4]));
});

const python = spawnSync('python3', ['--version']).status === 0 ? 'python3' : null;
const workerPath = fileURLToPath(
  new URL('../../examples/python-worker/worker.py', import.meta.url),
);

interface PythonWorker {
  readonly lines: string[];
  line(words: string): Promise<string>;
  stop(): Promise<void>;
}

function startPython(env: Record<string, string>): PythonWorker {
  const child = spawn(python!, ['-u', workerPath], { env: { ...process.env, ...env } });
  const lines: string[] = [];
  const waiting: { words: string; resolve: (line: string) => void }[] = [];
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    for (const one of waiting.filter(({ words }) => line.includes(words))) one.resolve(line);
  });
  child.stderr.on('data', (text: Buffer) => process.stderr.write(text));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    lines,
    line: (words) => {
      const found = lines.find((line) => line.includes(words));
      if (found !== undefined) return Promise.resolve(found);
      const come = new Promise<string>((resolve) => waiting.push({ words, resolve }));
      const gone = ended.then(() => Promise.reject(new Error(`no line "${words}"`)));
      return Promise.race([come, gone]);
    },
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

test(
  'the worker in Python takes jobs with its key, completes and fails them',
  { skip: python === null },
  async () => {
    const { api, holder } = await openLocked();
    const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
    const { made } = await holder({ roles: ['worker'] });
    const client = new ApiClient({ url, token: (await holder({ roles: ['producer'] })).made.text });
    const worker = startPython({ PAWL_URL: url, PAWL_KEY: made.text });
    await worker.line('ready');
    const good = await client.enqueue({ type: 'count-words', input: { text: 'one two\nthree' } });
    const bad = await client.enqueue({ type: 'count-words', input: { txt: '' } });
    assert.equal((await client.waitForEnd(good.id)).state, 'succeeded');
    assert.deepEqual(await client.result(good.id), { words: 3 });
    const failed = await client.waitForEnd(bad.id);
    assert.deepEqual([failed.state, failed.error?.class], ['failed', 'validation_error']);
    await worker.stop();
    await api.close();
  },
);

test(
  'the worker in Python runs a flow: it waits for jobs and a message',
  { skip: python === null },
  async () => {
    const { api, url, client } = await openStation();
    const follower = new FlowFollower(api.world.context, { timers: systemTimers });
    follower.start();
    const worker = startPython({ PAWL_URL: url });
    await worker.line('ready');
    const input = { first: 'one two', second: 'three' };
    const { id } = await client.enqueue({ type: 'count-words-report', input });
    await worker.line(`suspended ${id}`);
    await client.flows.send(id, { name: 'signed', payload: { by: 'Ada' } });
    const { state, attempts } = await client.waitForEnd(id);
    assert.deepEqual([state, attempts], ['succeeded', 1]);
    assert.deepEqual(await client.result(id), { words: 3, by: 'Ada' });
    await worker.stop();
    await follower.stop();
  },
);

test(
  'the worker in Python keeps its job alive with heartbeats and honours a cancel',
  { skip: python === null },
  async () => {
    const { url, client } = await openStation();
    const env = { PAWL_URL: url, LINE_SECONDS: '0.02', HEARTBEAT_MS: '500' };
    const worker = startPython(env);
    await worker.line('ready');
    const text = 'a b\n'.repeat(2_000);
    const job = await client.enqueue({ type: 'count-words', input: { text } });
    const beats = client.events(job.id);
    for await (const item of beats) {
      if (item.kind === 'event' && item.event.progress > 0) break;
    }
    await client.cancel(job.id, { reason: 'enough' });
    const end = await client.waitForEnd(job.id);
    assert.equal(end.state, 'canceled');
    assert.ok(end.progress > 0 && end.progress < 100);
    await worker.line(`cancelled ${job.id}`);
    await worker.stop();
  },
);
