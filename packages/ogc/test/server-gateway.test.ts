// The server in front of a provider that is a server of the same kind: the way of a client through
// both of them, over the wire.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { defineJob } from 'pawl/internal/handler/define-job';
import { fail } from 'pawl/internal/handler/failure';
import { eventually } from '../../../test/support/eventually.ts';
import { jobWhen } from '../../../test/support/job-when.ts';
import { openSimulator } from './provider/simulator.ts';
import { openOgcServer, pathOf } from './server-fixture.ts';

const failing = defineJob('failing', {
  expose: true,
  run: () => {
    throw fail('internal_bug', 'the provider gave up');
  },
});

const provider = await openOgcServer({ jobs: [failing] });
const simulator = await openSimulator({ statuses: ['running'] });
after(() => simulator.close());
const folder = mkdtempSync(join(tmpdir(), 'pawl-ogc-server-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'providers.json');
const settings = { poll_interval: 0.05, forward_max_retries: 1 };
const providers = {
  near: { url: provider.url },
  lax: { url: provider.url, validate_inputs: false },
  sim: { url: simulator.url, processes: { include: ['echo'] }, poll_interval: 30 },
  dead: { url: 'http://127.0.0.1:9' },
};
writeFileSync(path, JSON.stringify({ settings, providers }));
const server = await openOgcServer({ env: { PAWL_OGC_PROVIDERS: path } });
const EXECUTION = '/processes/near:echo/execution';
const ASYNC = { prefer: 'respond-async' };
const WRONG = { inputs: { message: 5 } };
const inputs = { message: 'teststring' };

test('own processes and those of providers are one list; a dead provider is left out', async () => {
  const all = ['echo', 'lax:echo', 'lax:failing', 'near:echo', 'near:failing', 'sim:echo'];
  // A list waits for each provider for a moment only.
  const ids = await eventually('all that answer are listed', async () => {
    const { json } = await server.get('/processes');
    const listed: string[] = json.processes.map(({ id }: { id: string }) => id);
    return listed.length >= all.length && listed;
  });
  assert.deepEqual(ids.toSorted(), all);
  const described = await server.get('/processes/near:echo');
  assert.equal(described.json.id, 'near:echo');
  const inputs = Object.keys(described.json.inputs);
  assert.deepEqual(inputs.slice(0, 2), ['message', 'pause']);
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
  const answer = await server.post('/processes/lax:echo/execution', WRONG, ASYNC);
  assert.equal(answer.status, 400, answer.text);
  assert.match(answer.headers.get('content-type')!, /^application\/json/);
  const { json } = await server.get(pathOf(server, answer.headers.get('location')!));
  assert.equal(json.status, 'failed');
  assert.match(json.message, /message/);
});

test('inputs that do not fit the description are refused before anything is sent', async () => {
  const before = (await provider.get('/jobs?limit=1000')).json.jobs.length;
  const answer = await server.post(EXECUTION, WRONG, ASYNC);
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.headers.get('location'), null);
  assert.equal(answer.json.errors[0].pointer, '/inputs/message');
  assert.equal((await provider.get('/jobs?limit=1000')).json.jobs.length, before);
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

test('what a provider says of the gateway’s credentials is no answer to its client: 502', async () => {
  for (const status of [401, 403]) {
    simulator.on('POST /processes/echo/execution', { status });
    const answer = await server.post('/processes/sim:echo/execution', {});
    assert.equal(answer.status, 502, answer.text);
    assert.match(answer.json.detail, /refused the gateway's credentials.*check its auth/);
  }
});

test('Retry-After is passed on: with a refusal, and until there is news of a job', async () => {
  const headers = { 'retry-after': '7' };
  simulator.on('POST /processes/echo/execution', { status: 429, headers }, () => null);
  const refused = await server.post('/processes/sim:echo/execution', {}, ASYNC);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '7']);
  const body = { jobID: 'r', type: 'process', status: 'running' };
  simulator.on('GET /jobs/*', { status: 200, headers: { 'retry-after': '600' }, body });
  const { json } = await server.post('/processes/sim:echo/execution', {}, ASYNC);
  const ref = { tenant: 'default', id: json.jobID as string };
  await jobWhen(
    server.engine,
    ref,
    ({ state, phase }) => state === 'running' && phase === 'waiting',
  );
  const { headers: told } = await server.get(`/jobs/${ref.id}`);
  const seconds = Number(told.get('retry-after'));
  assert.ok(seconds > 400 && seconds <= 600, String(seconds));
});
