// The server in front of a provider that is a server of the same kind: the way of a client through
// both of them, over the wire.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { defineJob } from 'pawl/internal/handler/define-job';
import { fail } from 'pawl/internal/handler/failure';
import { jobWhen } from '../../../test/support/job-when.ts';
import { openOgcServer, pathOf } from './server-fixture.ts';

const failing = defineJob('failing', {
  expose: true,
  run: () => {
    throw fail('internal_bug', 'the provider gave up');
  },
});

const provider = await openOgcServer({ jobs: [failing] });
const folder = mkdtempSync(join(tmpdir(), 'pawl-ogc-server-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'providers.json');
const settings = { poll_interval: 0.05, forward_max_retries: 1 };
const providers = { near: { url: provider.url }, dead: { url: 'http://127.0.0.1:9' } };
writeFileSync(path, JSON.stringify({ settings, providers }));
const server = await openOgcServer({ env: { PAWL_OGC_PROVIDERS: path } });
const EXECUTION = '/processes/near:echo/execution';
const ASYNC = { prefer: 'respond-async' };
const inputs = { message: 'teststring' };

test('own processes and those of providers are one list; a dead provider is left out', async () => {
  const { status, json } = await server.get('/processes');
  assert.equal(status, 200);
  const ids = json.processes.map(({ id }: { id: string }) => id);
  assert.deepEqual(ids.toSorted(), ['echo', 'near:echo', 'near:failing']);
  const described = await server.get('/processes/near:echo');
  assert.equal(described.json.id, 'near:echo');
  assert.deepEqual(Object.keys(described.json.inputs), ['message', 'pause']);
  for (const { href } of described.json.links as { href: string }[]) pathOf(server, href);
});

test('[O2] an execution is forwarded: 201 with the local job, once the provider has it', async () => {
  const body = { inputs: { ...inputs, pause: 600 } };
  const answer = await server.post(EXECUTION, body, ASYNC);
  assert.equal(answer.status, 201, answer.text);
  const { json } = await server.get(pathOf(server, answer.headers.get('location')!));
  assert.equal(json.jobID, answer.json.jobID);
  assert.equal(json.processID, 'near:echo');
  const there = await provider.get('/jobs');
  assert.equal(there.json.jobs.length, 1);
  assert.notEqual(there.json.jobs[0].jobID, json.jobID);
  const ended = await server.call('DELETE', `/jobs/${json.jobID}`);
  assert.equal(ended.json.status, 'dismissed');
  await jobWhen(provider.engine, { tenant: 'default', id: there.json.jobs[0].jobID as string });
  const { json: far } = await provider.get('/jobs');
  assert.equal(far.jobs[0].status, 'dismissed');
});

test('[O20] a synchronous execution is waited for, through both servers', async () => {
  const one = await server.post(EXECUTION, { inputs, outputs: { message: {} } });
  assert.equal(one.status, 200, one.text);
  assert.equal(one.text, 'teststring');
  const document = await server.post(EXECUTION, { inputs, response: 'document' });
  assert.deepEqual(document.json, { message: 'teststring', pause: 0 });
});

test('[O22] results of a forwarded job are served here', async () => {
  const body = { inputs: { ...inputs, pause: 0.2 }, response: 'document' };
  const { json } = await server.post(EXECUTION, body, ASYNC);
  const job = `/jobs/${json.jobID}`;
  assert.match((await server.get(`${job}/results`)).json.type, /result-not-ready$/);
  await jobWhen(server.engine, { tenant: 'default', id: json.jobID as string });
  const results = await server.get(`${job}/results`);
  assert.deepEqual(results.json, { message: 'teststring', pause: 0.2 });
  const { message, updated, finished } = (await server.get(job)).json;
  assert.doesNotMatch(message, /running|accepted|at work/i);
  assert.ok(Date.parse(updated) >= Date.parse(finished) - 1_000);
});

test('[O4, O21] what the provider refuses is refused here, with the Location of the failed job', async () => {
  const answer = await server.post(EXECUTION, { inputs: { message: 5 } }, ASYNC);
  assert.equal(answer.status, 400, answer.text);
  assert.match(answer.headers.get('content-type')!, /^application\/json/);
  const { json } = await server.get(pathOf(server, answer.headers.get('location')!));
  assert.equal(json.status, 'failed');
  assert.match(json.message, /message/);
});

test('a job that fails at the provider fails here, as somebody else’s fault', async () => {
  const answer = await server.post('/processes/near:failing/execution', { inputs: {} });
  assert.equal(answer.status, 502, answer.text);
  assert.match(answer.json.detail, /the provider gave up|500/);
});

test('a provider that cannot be reached is no reason for an error of our own', async () => {
  const answer = await server.post('/processes/dead:thing/execution', { inputs });
  assert.equal(answer.status, 502, answer.text);
});
