// The 2.0 draft of the standard, where the setting asks for it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fromTypebox } from 'pawl/internal/handler/typebox';
import { Type } from 'typebox';
import { defineJob } from 'pawl/internal/handler/define-job';
import { fail } from 'pawl/internal/handler/failure';
import { jobWhen } from '../../../test/support/job-when.ts';
import { openOgcServer, pathOf } from './server-fixture.ts';

const ASYNC = { prefer: 'respond-async' };
const EXCEPTIONS = 'http://www.opengis.net/def/exceptions/ogcapi-processes-1/1.0/';
const RESULTS_PROFILE = '<https://www.opengis.net/def/profile/OGC/0/ogc-results>; rel="profile"';

const large = defineJob('large', {
  expose: true,
  result: fromTypebox(Type.Object({ text: Type.String(), small: Type.Integer() })),
  run: () => ({ text: 'x'.repeat(100_000), small: 1 }),
});

const failing = defineJob('failing', {
  expose: true,
  run: () => {
    throw fail('validation_error', 'it is too late');
  },
});

const provider = await openOgcServer();
const folder = mkdtempSync(join(tmpdir(), 'pawl-ogc-draft-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'providers.json');
const near = { url: provider.url, poll_interval: 0.05 };
writeFileSync(path, JSON.stringify({ providers: { near } }));
const server = await openOgcServer({
  jobs: [large, failing],
  env: { PAWL_OGC_DRAFT_2: 'on', PAWL_OGC_PROVIDERS: path, PAWL_OGC_MONITOR_LINK: 'rfc8288' },
});
const EXECUTION = '/processes/echo/execution';
const inputs = { message: 'teststring' };

async function ended(body: object, id = 'echo'): Promise<string> {
  const { json } = await server.post(`/processes/${id}/execution`, body, ASYNC);
  await jobWhen(server.engine, { tenant: 'default', id: json.id as string });
  return `/jobs/${json.id}`;
}

test('the classes of the draft are declared instead of those of 1.0', async () => {
  const { conformsTo } = (await server.get('/conformance')).json;
  const base = 'http://www.opengis.net/spec/ogcapi-processes-1/2.0/conf/';
  const names = 'core ogc-process-description json html oas oas30 job-list callback dismiss';
  for (const name of names.split(' ')) assert.ok(conformsTo.includes(base + name), name);
  assert.ok(!conformsTo.some((one: string) => one.includes('ogcapi-processes-1/1.0')));
  const { info, components } = (await server.get('/ogc/api')).json;
  assert.equal(info.version, '2.0.0-draft');
  assert.ok(components.schemas.statusInfo.required.includes('processingEntityType'));
});

test('a description says by its profile what it is', async () => {
  const { json, headers } = await server.get('/processes/echo');
  const href = 'https://www.opengis.net/def/profile/OGC/0/ogc-process-description';
  assert.ok(json.links.some((one: { rel: string }) => one.rel === 'profile'));
  assert.match(headers.get('link')!, new RegExp(`<${href}>; rel="profile"`));
});

test('a status has the members of the draft, with those of 1.0 beside them', async () => {
  const job = await ended({ inputs });
  const { json } = await server.get(job);
  assert.equal(json.id, json.jobID);
  assert.deepEqual(
    [json.processingEntityType, json.type, json.processID],
    ['ogc-api-processes', 'process', `${server.url}/processes/echo`],
  );
  for (const processID of ['echo', `${server.url}/processes/echo`]) {
    const query = new URLSearchParams({ processID, limit: '100' });
    const { json: list } = await server.get(`/jobs?${query.toString()}`);
    assert.ok(list.jobs.some(({ id }: { id: string }) => id === json.id));
  }
  const bad = await ended({}, 'failing');
  const { json: failed } = await server.get(bad);
  assert.deepEqual([failed.status, failed.exception.status], ['failed', 400]);
  assert.match(failed.exception.detail, /too late/);
});

test('one output is answered as it is, or in JSON where only that is accepted', async () => {
  const body = { inputs, outputs: { message: {} } };
  const plain = await server.post(EXECUTION, body);
  assert.deepEqual([plain.status, plain.text], [200, 'teststring']);
  assert.match(plain.headers.get('link')!, /<http.*\/jobs\/.*>; rel=monitor/);
  const json = await server.post(EXECUTION, body, { accept: 'application/json' });
  assert.deepEqual([json.status, json.json], [200, 'teststring']);
  const none = await server.post(EXECUTION, body, { accept: 'image/png' });
  assert.equal(none.status, 406, none.text);
});

test('several outputs are one JSON document of the results profile', async () => {
  const answer = await server.post(EXECUTION, { inputs });
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json, { message: 'teststring', pause: 0 });
  assert.ok(answer.headers.get('link')!.includes(RESULTS_PROFILE));
  const fetched = await server.get(`${await ended({ inputs })}/results`);
  assert.deepEqual(fetched.json, answer.json);
  assert.ok(fetched.headers.get('link')!.includes(RESULTS_PROFILE));
});

test('large values are references, unless a representation is preferred', async () => {
  const run = (prefer: object) => server.post('/processes/large/execution', {}, { ...prefer });
  for (const prefer of [{}, { prefer: 'return=minimal' }]) {
    const { json, headers } = await run(prefer);
    assert.equal(json.small, 1);
    const at = pathOf(server, json.text.href as string);
    assert.equal((await server.get(at)).text.length, 100_000);
    const applied = 'prefer' in prefer ? 'return=minimal' : null;
    assert.equal(headers.get('preference-applied'), applied);
  }
  const whole = await run({ prefer: 'return=representation, wait=30' });
  assert.equal(whole.json.text.length, 100_000);
  assert.equal(whole.headers.get('preference-applied'), 'wait=30, return=representation');
});

test('empty outputs are asked for nothing: 204, and no results to fetch', async () => {
  const sync = await server.post(EXECUTION, { inputs, outputs: {} });
  assert.deepEqual([sync.status, sync.text], [204, '']);
  const job = await ended({ inputs, outputs: {} });
  for (const at of [`${job}/results`, `${job}/results/message`]) {
    const { status, json } = await server.get(at);
    assert.deepEqual([status, json.type], [404, `${EXCEPTIONS}result-not-available`], at);
  }
});

test('outputs are fetched one by one, or some of them', async () => {
  const job = await ended({ inputs });
  const some = await server.get(`${job}/results?outputs=message`);
  assert.deepEqual(some.json, { message: 'teststring' });
  assert.equal((await server.get(`${job}/results/message`)).text, 'teststring');
  const wrong = await server.get(`${job}/results?outputs=message,nothing`);
  assert.deepEqual(
    [wrong.status, wrong.json.type],
    [400, `${EXCEPTIONS}invalid-query-parameter-value`],
  );
  const none = await server.get(`${job}/results/nothing`);
  assert.deepEqual([none.status, none.json.type], [400, `${EXCEPTIONS}no-such-output`]);
  const one = await ended({ inputs, outputs: { pause: {} } });
  const unasked = await server.get(`${one}/results/message`);
  assert.deepEqual([unasked.status, unasked.json.type], [404, `${EXCEPTIONS}result-not-available`]);
});

test('a client of 1.0 that says so is answered as in 1.0', async () => {
  const document = await server.post(EXECUTION, { inputs, response: 'document' });
  assert.equal(document.headers.get('link')?.includes('ogc-results') ?? false, false);
  const raw = await server.post(EXECUTION, { inputs, response: 'raw' });
  assert.match(raw.headers.get('content-type')!, /^multipart\/related/);
  const outputs = { message: { transmissionMode: 'reference' } };
  assert.equal((await server.post(EXECUTION, { inputs, outputs })).status, 204);
});

test('a provider of 1.0 is asked so that its answer is of the draft', async () => {
  const answer = await server.post('/processes/near:echo/execution', { inputs });
  assert.deepEqual(answer.json, { message: 'teststring', pause: 0 });
  assert.ok(answer.headers.get('link')!.includes(RESULTS_PROFILE));
  const one = await server.post('/processes/near:echo/execution', {
    inputs,
    outputs: { message: {} },
  });
  assert.equal(one.text, 'teststring');
});
