// Part 2 of the standard: processes that requests deploy, replace and undeploy.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Compile } from 'typebox/schema';
import { jobWhen } from '../../../test/support/job-when.ts';
import {
  acme,
  area,
  AREA,
  deploy,
  EXCEPTIONS,
  folder,
  number,
  PACKAGE,
  packageOf,
  provider,
  put,
  server,
  type Told,
} from './deployment-fixture.ts';
import { openOgcServer, pathOf } from './server-fixture.ts';
import { STANDARD } from './server-standard.ts';

const ASYNC = { prefer: 'respond-async' };

function fits(schema: object, value: unknown): void {
  const isFit: boolean = Compile(schema as never).Check(value);
  assert.ok(isFit, JSON.stringify(value));
}

test('a type of jobs becomes a process: 201, a Location, its summary, and it is executed', async () => {
  const made = await deploy(AREA);
  assert.equal(made.status, 201, made.text);
  const at = pathOf(server, made.headers.get('location')!);
  assert.equal(at, '/processes/box-area');
  fits(STANDARD.processList.properties.processes.items, made.json);
  assert.deepEqual(
    [made.json.id, made.json.version, made.json.title, made.json.mutable],
    ['box-area', '2.1.0', 'Area of a box', true],
  );
  const { json: listed } = await server.get('/processes', acme);
  const mutable = listed.processes.map((one: Told) => [one.id, one.mutable]);
  assert.ok(mutable.some((one: unknown[]) => one[0] === 'box-area' && one[1] === true));
  assert.ok(mutable.some((one: unknown[]) => one[0] === 'echo' && one[1] === false));
  const { json } = await server.get(at, acme);
  fits(STANDARD.process, json);
  assert.deepEqual(Object.keys(json.inputs), ['width', 'height']);
  assert.deepEqual(json.outputs, { area: number });
  const inputs = { width: 3, height: 4 };
  const answer = await server.post(`${at}/execution`, { inputs }, acme);
  assert.deepEqual([answer.status, answer.text], [200, '12']);
  const wrong = await server.post(`${at}/execution`, { inputs: { width: 'x' } }, acme);
  assert.deepEqual([wrong.status, wrong.json.errors[0].pointer], [400, '/inputs/width']);
  const { json: jobs } = await server.get('/jobs?processID=box-area', acme);
  assert.deepEqual(
    jobs.jobs.map((one: Told) => [one.processID, one.status]),
    [['box-area', 'successful']],
  );
});

test('what deployed a process is given back as it was sent', async () => {
  await deploy({ ...AREA, ...packageOf('kept', { type: 'pawl', job: 'area' }), note: [1] });
  const answer = await server.get('/processes/kept/package', acme);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type')!, /^application\/ogcapppkg\+json/);
  assert.deepEqual(answer.json.note, [1]);
  for (const id of ['echo', 'nothing']) {
    const none = await server.get(`/processes/${id}/package`, acme);
    assert.equal(none.status, 404);
    assert.match(none.json.type, /no-such-process$/);
  }
});

test('the classes of Part 2 are declared, and its operations described', async () => {
  const { conformsTo } = (await server.get('/conformance')).json;
  const base = 'http://www.opengis.net/spec/ogcapi-processes-2/1.0/conf/';
  for (const name of ['deploy-replace-undeploy', 'ogcapppkg']) {
    assert.ok(conformsTo.includes(base + name), name);
  }
  const { paths } = (await server.get('/ogc/api')).json;
  assert.ok(paths['/processes'].post.requestBody.content['application/ogcapppkg+json']);
  assert.ok(paths['/processes/{processId}'].put);
  assert.ok(paths['/processes/{processId}'].delete);
});

test('errors have the types of Part 2: duplicated, immutable, unsupported media type', async () => {
  await deploy(packageOf('twice', { type: 'pawl', job: 'area' }));
  const again = await deploy(packageOf('twice', { type: 'pawl', job: 'area' }));
  assert.deepEqual([again.status, again.json.type], [409, `${EXCEPTIONS}duplicated-process`]);
  assert.equal(pathOf(server, again.headers.get('location')!), '/processes/twice');
  const immutable = `${EXCEPTIONS}immutable-process`;
  const built = await deploy(packageOf('echo', { type: 'pawl', job: 'area' }));
  assert.deepEqual([built.status, built.json.type], [403, immutable]);
  for (const id of ['echo', 'near:echo']) {
    const replaced = await put(id, AREA);
    assert.deepEqual([replaced.status, replaced.json.type], [403, immutable], replaced.text);
    const removed = await server.call('DELETE', `/processes/${id}`, acme);
    assert.deepEqual([removed.status, removed.json.type], [403, immutable]);
  }
  for (const type of ['application/cwl+json', 'application/cwl', 'text/plain']) {
    const other = await server.post('/processes', AREA, { ...acme, 'content-type': type });
    assert.deepEqual(
      [other.status, other.json.type],
      [415, `${EXCEPTIONS}unsupported-media-type`],
      type,
    );
  }
  const lost = await put('nothing', AREA);
  assert.deepEqual([lost.status, lost.json.type.split('/').at(-1)], [404, 'no-such-process']);
  assert.equal((await server.call('DELETE', '/processes/nothing', acme)).status, 404);
});

test('a package that cannot be executed here is refused, with every fault', async () => {
  const cases: [object, string][] = [
    [packageOf('a', { type: 'docker', image: 'x' }), '/executionUnit'],
    [packageOf('a', { type: 'pawl', job: 'nothing' }), '/executionUnit/job'],
    [packageOf('a', { type: 'pawl', job: 'pawl.ogc-callback' }), '/executionUnit/job'],
    [packageOf('a', { href: 'https://elsewhere.example/processes/x' }), '/executionUnit/href'],
    [packageOf('a', { href: `${provider.url}/processes/hidden` }), '/executionUnit/href'],
    [packageOf('a', { href: `${provider.url}/processes/none` }), '/executionUnit/href'],
    [packageOf('a:b', { type: 'pawl', job: 'area' }), '/processDescription/process/id'],
    [{ executionUnit: { type: 'pawl', job: 'area' } }, '/processDescription/process/id'],
    [
      packageOf('a', { type: 'pawl', job: 'area' }, { inputs: { x: {} } }),
      '/processDescription/process/inputs/x',
    ],
    [packageOf('a', { type: 'pawl', job: 'area', groups: 'x' }), '/executionUnit/groups'],
  ];
  for (const [body, pointer] of cases) {
    const answer = await deploy(body);
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.json.errors[0].pointer, pointer, answer.text);
  }
  const other = await deploy(packageOf('b', { type: 'pawl', job: 'area' }));
  assert.equal(other.status, 201);
  const renamed = await put('b', packageOf('c', { type: 'pawl', job: 'area' }));
  assert.deepEqual(
    [renamed.status, renamed.json.errors[0].pointer],
    [400, '/processDescription/process/id'],
  );
});

test('a process of a provider is deployed by its address, and executed through the gateway', async () => {
  const href = `${provider.url}/processes/echo`;
  const made = await deploy(packageOf('say', { href }, { title: 'Say it again' }));
  assert.equal(made.status, 201, made.text);
  const { json } = await server.get('/processes/say', acme);
  assert.deepEqual([json.title, json.mutable, json.version], ['Say it again', true, '2.1.0']);
  assert.ok(json.inputs.message && json.outputs.message);
  for (const { href: link } of json.links) pathOf(server, link);
  const body = { inputs: { message: 'hello' }, outputs: { message: {} } };
  const answer = await server.post('/processes/say/execution', body, acme);
  assert.deepEqual([answer.status, answer.text], [200, 'hello']);
  const begun = await server.post('/processes/say/execution', body, { ...acme, ...ASYNC });
  const job = await jobWhen(server.engine, { tenant: 'acme', id: begun.json.jobID as string });
  assert.equal(job.type, 'ogc/near:echo');
  const { json: status } = await server.get(`/jobs/${begun.json.jobID}`, acme);
  assert.deepEqual([status.processID, status.status], ['say', 'successful']);
});

test('a replaced process is the new one; jobs that have begun keep what they were asked for', async () => {
  await deploy(packageOf('changing', { type: 'pawl', job: 'area' }, { outputs: { area: number } }));
  const body = { inputs: { input: { width: 2 } } };
  const before = await server.post('/processes/changing/execution', body, { ...acme, ...ASYNC });
  assert.equal(before.status, 201, before.text);
  const members = { inputs: { width: number }, outputs: { unit: { schema: { type: 'string' } } } };
  const unit = { type: 'pawl', job: 'area' };
  const replaced = await put('changing', packageOf('changing', unit, members));
  assert.equal(replaced.status, 204, replaced.text);
  const now = await server.post('/processes/changing/execution', { inputs: { width: 2 } }, acme);
  assert.equal(now.text, 'm²');
  await jobWhen(server.engine, { tenant: 'acme', id: before.json.jobID as string });
  assert.equal((await server.get(`/jobs/${before.json.jobID}/results`, acme)).text, '2');
});

test('an undeployed process goes from the list, and its jobs go on, callbacks included', async () => {
  const told = Promise.withResolvers<string>();
  const receiver = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => told.resolve(chunk.toString()));
    response.writeHead(202).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  after(() => receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  await deploy(packageOf('going', { type: 'pawl', job: 'slow' }));
  const body = { inputs: {}, subscriber: { failedUri: url } };
  const begun = await server.post('/processes/going/execution', body, { ...acme, ...ASYNC });
  const job = `/jobs/${begun.json.jobID}`;
  const gone = await server.call('DELETE', '/processes/going', acme);
  assert.deepEqual([gone.status, gone.text], [204, '']);
  assert.equal((await server.get('/processes/going', acme)).status, 404);
  const { json: list } = await server.get('/processes', acme);
  assert.ok(!list.processes.some(({ id }: { id: string }) => id === 'going'));
  const ref = { tenant: 'acme', id: begun.json.jobID as string };
  await jobWhen(server.engine, ref, ({ phase }) => phase === 'executing');
  const { json: status } = await server.get(job, acme);
  assert.deepEqual([status.processID, status.status], ['going', 'running']);
  await server.call('DELETE', job, acme);
  assert.ok((await told.promise).includes(ref.id));
  assert.equal((await server.get('/processes/going/package', acme)).status, 404);
});

test('a deployed process is there after a restart, and is executed', async () => {
  const store = join(folder, 'restarted.db');
  const first = await openOgcServer({ path: store, jobs: [area] });
  assert.equal((await first.post('/processes', AREA, PACKAGE)).status, 201);
  await first.close();
  const second = await openOgcServer({ path: store, jobs: [area] });
  const answer = await second.post('/processes/box-area/execution', { inputs: { width: 5 } });
  assert.deepEqual([answer.status, answer.text], [200, '5']);
});
