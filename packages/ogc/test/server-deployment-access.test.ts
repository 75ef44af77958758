// Who may deploy processes, and who sees those that are deployed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AREA, deploy, packageOf, provider, put, server, type Told } from './deployment-fixture.ts';

await deploy(AREA);

test('a deployed process is its tenant’s, and told of in the audit log of that tenant', async () => {
  const globex = await server.key('globex');
  await deploy(packageOf('secret', { type: 'pawl', job: 'area' }));
  for (const at of ['/processes/secret', '/processes/secret/package']) {
    assert.equal((await server.get(at, globex)).status, 404, at);
  }
  assert.equal((await put('secret', AREA, globex)).status, 404);
  assert.equal((await server.call('DELETE', '/processes/secret', globex)).status, 404);
  assert.doesNotMatch((await server.get('/processes', globex)).text, /secret/);
  const own = await deploy(packageOf('secret', { type: 'pawl', job: 'area' }), globex);
  assert.equal(own.status, 201);
  await put('secret', packageOf('secret', { type: 'pawl', job: 'area' }), globex);
  await server.call('DELETE', '/processes/secret', globex);
  const { json } = await server.get('/v1/audit', globex);
  const told = json.items.filter((one: Told) => one.subject === 'secret');
  assert.deepEqual(
    told.map((one: Told) => one.action),
    ['process.undeployed', 'process.replaced', 'process.deployed'],
  );
  assert.equal(told[0].actor, 'api:globex');
});

test('who may: operators deploy, users execute what is for their groups, guests nothing', async () => {
  const user = await server.key('acme', { name: 'ada', roles: ['user'], groups: ['chiefs'] });
  const other = await server.key('acme', { name: 'bob', roles: ['user'], groups: [] });
  const operator = await server.key('acme', { name: 'olga', roles: ['operator'] });
  const unit = { type: 'pawl', job: 'area', groups: ['chiefs'] };
  for (const headers of [user, other, await server.key('acme', { roles: ['producer'] })]) {
    assert.equal((await deploy(packageOf('mine', unit), headers)).status, 403);
    assert.equal((await put('box-area', AREA, headers)).status, 403);
    assert.equal((await server.call('DELETE', '/processes/box-area', headers)).status, 403);
  }
  assert.equal((await deploy(packageOf('for-chiefs', unit), operator)).status, 201);
  // What its unit keeps to some groups, a deployment does not open.
  await deploy(packageOf('of-slow', { type: 'pawl', job: 'slow' }), operator);
  const address = `${provider.url.replace('127.0.0.1', 'localhost')}/processes/echo`;
  const remote = await deploy(packageOf('of-chiefs', { href: address }), operator);
  assert.equal(remote.status, 201, remote.text);
  const ids = ['for-chiefs', 'of-slow', 'of-chiefs'];
  for (const id of ids) {
    assert.equal((await server.get(`/processes/${id}`, user)).status, 200, id);
    assert.equal((await server.get(`/processes/${id}`, other)).status, 404, id);
    assert.equal((await server.get(`/processes/${id}/package`, other)).status, 404, id);
    const body = { inputs: { input: {}, message: 'x' } };
    assert.equal((await server.post(`/processes/${id}/execution`, body, other)).status, 404, id);
    assert.equal((await server.get(`/processes/${id}`)).status, 401, id);
  }
  const seen = (await server.get('/processes', other)).json.processes as { id: string }[];
  assert.deepEqual(
    seen.filter(({ id }) => ids.includes(id)),
    [],
  );
  const all = (await server.get('/processes', user)).json.processes as { id: string }[];
  assert.equal(all.filter(({ id }) => ids.includes(id)).length, 3);
});
