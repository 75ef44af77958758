// Who may see what of OGC API – Processes where credentials are asked for.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openOgcServer, pathOf } from './server-fixture.ts';

const server = await openOgcServer({ isLocked: true });
const ASYNC = { prefer: 'respond-async' };

test('what tells nothing of anybody is for everybody, all else needs a credential', async () => {
  for (const path of ['/', '/conformance', '/ogc/api', '/conformance/']) {
    assert.equal((await server.get(path)).status, 200, path);
  }
  for (const path of ['/processes', '/processes/echo', '/jobs', '/jobs/x', '/jobs/x/results']) {
    for (const one of [path, `${path}/`]) {
      const answer = await server.get(one);
      assert.equal(answer.status, 401, one);
      assert.match(answer.headers.get('content-type')!, /^application\/json/);
      assert.match(answer.headers.get('www-authenticate')!, /^Bearer/);
      assert.ok(answer.json.type);
    }
  }
});

test('a job of another tenant is no job: status, results, outputs, dismissal and list', async () => {
  const acme = await server.key('acme');
  const globex = await server.key('globex');
  const body = { inputs: { message: 'secret of acme', pause: 600 } };
  const begun = await server.post('/processes/echo/execution', body, { ...acme, ...ASYNC });
  assert.equal(begun.status, 201);
  const path = `/jobs/${begun.json.jobID}`;
  assert.equal((await server.get(path, acme)).status, 200);
  for (const one of [path, `${path}/results`, `${path}/results/message`]) {
    const answer = await server.get(one, globex);
    assert.equal(answer.status, 404, one);
    assert.match(answer.json.type, /no-such-job$/);
  }
  const dismissal = await server.call('DELETE', path, globex);
  assert.equal(dismissal.status, 404);
  assert.deepEqual((await server.get('/jobs', globex)).json.jobs, []);
  assert.equal((await server.get('/jobs', acme)).json.jobs.length, 1);
  assert.notEqual((await server.get(path, acme)).json.status, 'dismissed');
});

test('a type that one tenant publishes is a process of that tenant alone', async () => {
  const acme = await server.key('acme');
  const globex = await server.key('globex');
  const put = await fetch(`${server.url}/v1/types/own`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...acme },
    body: JSON.stringify({ lifecycle: 'task', expose: {} }),
  });
  assert.equal(put.status, 201);
  assert.equal((await server.get('/processes/own', acme)).status, 200);
  assert.equal((await server.get('/processes/own', globex)).status, 404);
  const { json } = await server.get('/processes', globex);
  assert.deepEqual(
    json.processes.map(({ id }: { id: string }) => id),
    ['echo'],
  );
});

test('pages of other origins may read where a job is', async () => {
  const { headers } = await server.get('/processes', await server.key('acme'));
  assert.match(headers.get('access-control-expose-headers')!, /\bLocation\b/);
});

test('processes of a provider with anonymous access are for guests, and nothing else is', async () => {
  const provider = await openOgcServer();
  const folder = mkdtempSync(join(tmpdir(), 'pawl-ogc-guests-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'providers.json');
  const { url } = provider;
  const chiefs = { url, groups: ['chiefs'] };
  const providers = { open: { url, anonymous_access: true }, closed: { url }, chiefs };
  writeFileSync(path, JSON.stringify({ settings: { poll_interval: 0.05 }, providers }));
  const gate = await openOgcServer({ isLocked: true, env: { PAWL_OGC_PROVIDERS: path } });
  const { json } = await gate.get('/processes');
  assert.deepEqual(
    json.processes.map(({ id }: { id: string }) => id),
    ['open:echo'],
  );
  const body = { inputs: { message: 'x', pause: 600 } };
  for (const id of ['echo', 'closed:echo', 'nobody']) {
    assert.equal((await gate.get(`/processes/${id}`)).status, 401, id);
    assert.equal((await gate.post(`/processes/${id}/execution`, body)).status, 401, id);
  }
  const begun = await gate.post('/processes/open:echo/execution', body, ASYNC);
  assert.equal(begun.status, 201, begun.text);
  const job = pathOf(gate, begun.headers.get('location')!);
  assert.equal((await gate.get(job)).status, 200);
  assert.equal((await gate.get('/jobs')).status, 401);
  const home = await gate.key('default');
  const named = { ...home, ...ASYNC };
  const theirs = await gate.post('/processes/open:echo/execution', body, named);
  assert.equal((await gate.get(`/jobs/${theirs.json.jobID}`)).status, 401);
  assert.equal((await gate.call('DELETE', `/jobs/${theirs.json.jobID}`)).status, 401);
  assert.equal((await gate.get(`/jobs/${theirs.json.jobID}`, home)).status, 200);
  assert.equal((await gate.get('/processes', { authorization: 'Bearer wrong' })).status, 401);
  assert.equal((await gate.call('DELETE', job)).json.status, 'dismissed');
  const processesOf = async (headers: Record<string, string>): Promise<string[]> => {
    const { json: list } = await gate.get('/processes', headers);
    return list.processes.map(({ id }: { id: string }) => id).toSorted();
  };
  const user = await gate.key('default', { roles: ['user'], groups: ['drivers'] });
  assert.deepEqual(await processesOf(user), ['closed:echo', 'echo', 'open:echo']);
  assert.equal((await gate.post('/processes/chiefs:echo/execution', body, user)).status, 404);
  const chief = await gate.key('default', { roles: ['user'], groups: ['chiefs'] });
  assert.ok((await processesOf(chief)).includes('chiefs:echo'));
  assert.ok((await processesOf(home)).includes('chiefs:echo'));
});
