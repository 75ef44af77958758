// An execution on the server: what is answered, when, and in which shape.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { isUuid } from 'pawl/internal/core/uuid';
import { defineJob } from 'pawl/internal/handler/define-job';
import { fail } from 'pawl/internal/handler/failure';
import { typed } from 'pawl/internal/handler/schema';
import { modeOf, readPreferences } from '../src/server/prefer.ts';
import { openOgcServer, pathOf } from './server-fixture.ts';

const failing = defineJob('failing', {
  expose: true,
  input: typed<{ name: string }>(),
  run: ({ input: { name } }) => {
    throw fail(name, `it ended with ${name}`);
  },
});

const server = await openOgcServer({ jobs: [failing] });
const idle = await openOgcServer({ isWorking: false });
const EXECUTION = '/processes/echo/execution';
const message = { message: 'teststring' };
const ASYNC = { prefer: 'respond-async' };

test('[O2] an execution is a local job, durable as accepted when 201 and its Location come', async () => {
  const answer = await idle.post(EXECUTION, { inputs: message }, ASYNC);
  assert.equal(answer.status, 201);
  const { jobID, status, processID } = answer.json;
  assert.deepEqual({ status, processID }, { status: 'accepted', processID: 'echo' });
  assert.ok(isUuid(jobID));
  assert.equal(answer.headers.get('location'), `${idle.url}/jobs/${jobID}`);
  const ref = { tenant: 'default', id: jobID };
  assert.equal((await idle.engine.job(ref)).state, 'accepted');
  const { events } = await idle.engine.events({ ...ref, after: null, limit: 10, notes: false });
  assert.deepEqual(
    events.map(({ type }) => type),
    ['job_created'],
  );
});

test('[O2] an unknown process makes no job', async () => {
  const before = await idle.get('/jobs?limit=100');
  const answer = await idle.post('/processes/nobody/execution', { inputs: message });
  assert.equal(answer.status, 404);
  assert.match(answer.json.type, /no-such-process$/);
  const then = await idle.get('/jobs?limit=100');
  assert.equal(then.json.jobs.length, before.json.jobs.length);
});

test('[O20] a synchronous execution answers with its results: accepted, then successful', async () => {
  const body = { inputs: message, outputs: { message: {} } };
  const { status, text, headers } = await server.post(EXECUTION, body);
  assert.equal(status, 200);
  assert.equal(text, 'teststring');
  const [monitor = ''] = headers.get('link')!.split(';');
  const id = monitor.split('/').at(-1)!;
  const query = { tenant: 'default', id, after: null, limit: 10, notes: false };
  const { events } = await server.engine.events(query);
  assert.deepEqual(
    events.map(({ to }) => to),
    ['accepted', 'accepted', 'successful'],
  );
});

test('[O22] status and results serve the client from acceptance to the end', async () => {
  const { json } = await idle.post(EXECUTION, { inputs: message, response: 'document' }, ASYNC);
  const path = `/jobs/${json.jobID}`;
  assert.equal((await idle.get(path)).json.status, 'accepted');
  assert.match((await idle.get(`${path}/results`)).json.type, /result-not-ready$/);
  const claims = await idle.engine.claim({ owner: 'w', types: ['echo'], max: 10 });
  const { job } = claims.find((one) => one.job.id === json.jobID)!;
  assert.equal((await idle.get(path)).json.status, 'accepted');
  const result = JSON.stringify({ message: 'teststring', pause: 0 });
  const held = { ref: { tenant: job.tenant, id: job.id }, owner: 'w', epoch: job.epoch };
  await idle.engine.settle([{ ...held, ending: { kind: 'succeed', result } }]);
  const ended = await idle.get(path);
  assert.equal(ended.json.status, 'successful');
  assert.equal(ended.json.progress, 100);
  const results = await idle.get(`${path}/results`);
  assert.deepEqual(results.json, { message: 'teststring', pause: 0 });
});

test('by jobControlOptions and Prefer: the table of the standard, and waits', () => {
  const both = ['sync-execute', 'async-execute'];
  const rows: [readonly string[], string | null, string][] = [
    [['sync-execute'], null, 'sync 60000 null'],
    [['sync-execute'], 'respond-async', 'sync 60000 null'],
    [['async-execute'], null, 'async null'],
    [['async-execute'], 'respond-async', 'async respond-async'],
    [both, null, 'sync 60000 null'],
    [both, 'respond-async', 'async respond-async'],
    [both, 'respond-async ', 'async respond-async'],
    [both, 'Respond-Async; foo=1, handling=lenient', 'async respond-async'],
    [both, 'respond-sync', 'sync 60000 null'],
    [both, 'wait=5', 'sync 5000 wait=5'],
    [both, 'wait=600', 'sync 60000 wait=60'],
    [both, 'respond-async, wait=5', 'sync 5000 wait=5'],
    [['async-execute'], 'wait=5', 'async null'],
    [[], null, 'sync 60000 null'],
  ];
  for (const [options, prefer, expected] of rows) {
    const mode = modeOf(options, readPreferences(prefer), 60_000);
    const waits = mode.kind === 'sync' ? `${mode.waitMs} ` : '';
    assert.equal(`${mode.kind} ${waits}${mode.applied}`, expected, `${options.join()} ${prefer}`);
  }
});

test('a wait that is over is answered with the status of the job, which goes on', async () => {
  const slow = { inputs: { message: 'x', pause: 600 } };
  const plain = await server.post(EXECUTION, slow, { prefer: 'wait=0' });
  assert.equal(plain.status, 201);
  assert.equal(plain.headers.get('preference-applied'), null);
  const both = await server.post(EXECUTION, slow, { prefer: 'respond-async, wait=0' });
  assert.equal(both.status, 201);
  assert.equal(both.headers.get('preference-applied'), 'respond-async');
  const quick = { inputs: message, outputs: { message: {} } };
  const done = await server.post(EXECUTION, quick, { prefer: 'respond-async, wait=50' });
  assert.equal(done.status, 200);
  assert.equal(done.headers.get('preference-applied'), 'wait=50');
});

test('outputs by reference: 204 and one Link each, which leads to the value', async () => {
  const outputs = {
    message: { transmissionMode: 'reference' },
    pause: { transmissionMode: 'reference' },
  };
  const answer = await server.post(EXECUTION, { inputs: message, outputs });
  assert.equal(answer.status, 204);
  assert.equal(answer.text, '');
  const links = answer.headers.get('link')!.split(', ');
  assert.equal(links.length, 3);
  assert.match(links[2]!, /rel=monitor$/);
  const [, href] = /^<([^>]+)>; rel="item"; type="text\/plain"/.exec(links[0]!)!;
  const value = await server.get(pathOf(server, href!));
  assert.equal(value.text, 'teststring');
  assert.match(value.headers.get('content-type')!, /^text\/plain/);
  const nothing = await server.get(pathOf(server, `${href!}-not`));
  assert.equal(nothing.status, 404);
});

test('values and references mixed: parts, of which the latter say where they are', async () => {
  const outputs = { message: { transmissionMode: 'reference' }, pause: {} };
  const raw = await server.post(EXECUTION, { inputs: message, outputs });
  assert.match(
    raw.text,
    /Content-ID: message\r\nContent-Location: http.*\/results\/message\r\n\r\n\r\n/,
  );
  assert.match(raw.text, /Content-ID: pause\r\n\r\n0\r\n/);
  const document = await server.post(EXECUTION, { inputs: message, outputs, response: 'document' });
  assert.equal(document.json.pause, 0);
  assert.match(document.json.message.href, /\/results\/message$/);
  assert.equal(document.json.message.type, 'text/plain');
});

test('a shape that is none is refused with the path of what is wrong', async () => {
  const rows: [unknown, string][] = [
    [{ inputs: [] }, '/inputs'],
    [{ inputs: message, outputs: 5 }, '/outputs'],
    [{ inputs: message, outputs: { message: { transmissionMode: 'mail' } } }, '/outputs/message'],
    [{ inputs: message, outputs: { other: {} } }, '/outputs/other'],
    [{ inputs: message, response: 'xml' }, '/response'],
    [{ inputs: message, subscriber: { successUri: 'ftp://x' } }, '/subscriber/successUri'],
    [{ inputs: message, subscriber: { failedUri: 'http://10.0.0.1/' } }, '/subscriber/failedUri'],
  ];
  for (const [body, pointer] of rows) {
    const { status, json } = await server.post(EXECUTION, body);
    assert.equal(status, 400, pointer);
    assert.ok(json.errors[0].pointer.startsWith(pointer), JSON.stringify(json.errors));
  }
});

test('an input by reference is fetched, and one that cannot be had is refused', async () => {
  const files = createServer((request, response) => {
    const isText = request.url === '/text';
    response.writeHead(isText ? 200 : 404, { 'content-type': 'text/plain' }).end('from afar');
  }).listen(0, '127.0.0.1');
  await new Promise((ready) => files.once('listening', ready));
  after(() => files.close());
  const at = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  const given = (path: string) => ({ inputs: { message: { href: at + path } } });
  const body = { ...given('/text'), outputs: { message: {} } };
  assert.equal((await server.post(EXECUTION, body)).text, 'from afar');
  const missing = await server.post(EXECUTION, given('/nothing'));
  assert.equal(missing.status, 400);
  assert.match(missing.json.detail, /message\/href: could not be fetched .* 404/);
  const inside = await server.post(EXECUTION, {
    inputs: { message: { href: 'http://10.1.2.3/' } },
  });
  assert.equal(inside.status, 400);
});

test('[O21] a failed execution is an error of its kind, with the Location of the failed job', async () => {
  const rows: [string, number][] = [
    ['validation_error', 400],
    ['dependency_unavailable', 502],
    ['permanent_timeout', 504],
    ['internal_bug', 500],
  ];
  for (const [name, status] of rows) {
    const body = { inputs: { input: { name } } };
    const answer = await server.post('/processes/failing/execution', body);
    assert.equal(answer.status, status, name);
    assert.equal(answer.json.detail, `it ended with ${name}`);
    const path = pathOf(server, answer.headers.get('location')!);
    const seen = await server.get(path);
    assert.equal(seen.json.status, 'failed');
    assert.equal(seen.json.message, `it ended with ${name}`);
    const results = await server.get(`${path}/results`);
    assert.equal(results.status, status);
    assert.equal(results.json.type, answer.json.type);
  }
});

test('[O18] an input that is too large for the row is kept outside, and comes back whole', async () => {
  const long = 'ä'.repeat(400_000);
  const body = { inputs: { message: long }, outputs: { message: {} } };
  const { status, text, headers } = await server.post(EXECUTION, body);
  assert.equal(status, 200);
  assert.ok(text === long);
  const id = headers.get('link')!.split(';')[0]!.split('/').at(-1)!;
  const job = await server.engine.job({ tenant: 'default', id });
  assert.match(job.input, /^{"\$artifact":"[-\da-f]{36}"}$/);
});

test('a body that is no JSON, or too large, is an exception in JSON', async () => {
  const answerTo = async (body: string, type = 'application/json'): Promise<string> => {
    const headers = { 'content-type': type };
    const answer = await fetch(server.url + EXECUTION, { method: 'POST', headers, body });
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    return `${answer.status} ${((await answer.json()) as { type: string }).type}`;
  };
  assert.equal(await answerTo('{'), '400 urn:pawl:error:VALIDATION_ERROR');
  assert.equal(await answerTo('<x/>', 'text/xml'), '415 urn:pawl:error:UNSUPPORTED_MEDIA_TYPE');
  const huge = JSON.stringify({ inputs: { message: 'x'.repeat(17 * 1024 * 1024) } });
  assert.equal(await answerTo(huge), '413 urn:pawl:error:PAYLOAD_TOO_LARGE');
});

test('the same Idempotency-Key finds the job of the first time', async () => {
  const headers = { ...ASYNC, 'idempotency-key': 'once' };
  const first = await idle.post(EXECUTION, { inputs: message }, headers);
  const again = await idle.post(EXECUTION, { inputs: message }, headers);
  assert.equal(again.json.jobID, first.json.jobID);
  const other = await idle.post(EXECUTION, { inputs: { message: 'other' } }, headers);
  assert.equal(other.status, 409);
});

test('how the job of a synchronous answer is named, and where clients reach it, can be set', async () => {
  const forms: [string, RegExp | null][] = [
    ['rfc8288', /^<https:\/\/jobs\.example\.org\/jobs\/[-\da-f]+>; rel=monitor$/],
    ['none', null],
  ];
  for (const [form, expected] of forms) {
    const env = { PAWL_OGC_MONITOR_LINK: form, PAWL_PUBLIC_URL: 'https://jobs.example.org/' };
    const other = await openOgcServer({ env });
    const { headers } = await other.post(EXECUTION, { inputs: message });
    if (expected === null) assert.equal(headers.get('link'), null);
    else assert.match(headers.get('link')!, expected);
  }
});
