// Users of one tenant: what each route shows of a job to who has not asked for it, to a group that
// it is shared with, and to its owner.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInReach } from '@pawl/server/internal/http/reach';
import { canary, leaksIn, plant } from './canaries.ts';
import { type Answer, type Caller, openSecurityFixture } from './fixture.ts';
import { allRoutes, bodyFor, namesFor, pathWith, type Route } from './routes.ts';

const fixture = await openSecurityFixture({ PAWL_OUTGOING_ALLOW: '127.0.0.9' });
const tenant = 'acme';
const owner = await fixture.holder({ tenant, name: canary('principal') });
const ben = await fixture.holder({ tenant, name: 'ben', roles: ['user'] });
const member = await fixture.holder({
  tenant,
  name: 'mia',
  roles: ['user'],
  groups: ['planners'],
});
const planted = await plant(owner);
const routes = await allRoutes(fixture.nobody);
const JOBS = [planted.job, planted.finished, planted.process];
await owner.put(`/v1/types/${canary('type')}`, { expose: { groups: ['chiefs'] } });

function share(groups: readonly string[]): Promise<Answer[]> {
  return Promise.all(JOBS.map((id) => owner.put(`/v1/jobs/${id}/access`, { groups })));
}

async function ask(caller: Caller, route: Route): Promise<{ answer: Answer; asked: string }> {
  const path = pathWith(route.path, namesFor(route, planted));
  const body = route.method === 'GET' ? undefined : bodyFor(route, planted);
  const headers = { 'idempotency-key': canary('idempotency') };
  const answer = await caller.call(route.method, path, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { answer, asked: `${path} ${JSON.stringify(body ?? '')}` };
}

/** As a table of scopes names it. */
function nameOf({ method, path }: Route): string {
  return `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

/** What tells nothing of anybody's jobs, or shows each caller a list of its own. */
const FOR_ALL = new Set(
  [
    'GET / /ogc/api /conformance /livez /readyz /openapi.json /docs /docs/style.css /mark.svg',
    'GET /guides /guides/:file /guides/:section/:file',
    'GET /v1/page /v1/me /v1/lifecycles /v1/lifecycles/:name /v1/types /processes',
    'GET /jobs /v1/jobs /v1/events',
    'POST /v1/artifacts',
  ].flatMap((line) => {
    const [method, ...paths] = line.split(' ');
    return paths.map((path) => `${method} ${path}`);
  }),
);

function jobsAsTheyAre(): Promise<string[]> {
  const paths = JOBS.flatMap((id) => [`/v1/jobs/${id}?payloads=true`, `/v1/jobs/${id}/access`]);
  return Promise.all(paths.map(async (path) => (await owner.get(path)).text));
}

test('[S4] no route shows a user, or lets it change, what another user of its tenant asked for', async () => {
  const before = await jobsAsTheyAre();
  for (const route of routes) {
    const { answer, asked } = await ask(ben, route);
    const where = `${nameOf(route)} ${answer.status} ${answer.text.slice(0, 300)}`;
    assert.deepEqual(leaksIn(answer.text + JSON.stringify([...answer.headers]), asked), [], where);
    if (FOR_ALL.has(nameOf(route))) assert.notEqual(answer.status, 403, where);
    else assert.ok([403, 404].includes(answer.status), where);
  }
  assert.deepEqual(await jobsAsTheyAre(), before);
});

test('[S4] a group that a job is shared with reads it on every route, and changes nothing', async () => {
  await share(['drivers', 'planners']);
  const before = await jobsAsTheyAre();
  const ofJob = routes.filter(({ path }) => /^(?:\/v1)?\/jobs\/\{/.test(path));
  const read: string[] = [];
  for (const route of ofJob) {
    const { answer } = await ask(member, route);
    const name = nameOf(route);
    const where = `${name} ${answer.status} ${answer.text.slice(0, 300)}`;
    const isNative = name.includes('/v1/');
    const isRead = route.method === 'GET' && (!isNative || isInReach(name));
    // A job that has not ended has no results yet; a wait of that name it has none at all.
    const isAbsent = /result/.test(name) && [404, 409].includes(answer.status);
    assert.ok(isRead ? answer.status === 200 || isAbsent : answer.status === 403, where);
    if (answer.status === 200) read.push(name);
  }
  assert.ok(read.length >= 8, read.join('\n'));
  assert.deepEqual(await jobsAsTheyAre(), before);
  const result = await member.get(`/v1/jobs/${planted.finished}/result`);
  assert.match(result.text, new RegExp(canary('result')));
  const { json: page } = await member.get('/v1/jobs');
  const ids = page.items.map(({ id }: { id: string }) => id);
  assert.deepEqual(ids.toSorted(), JOBS.toSorted());
  const { json: events } = await member.get('/v1/events?from=start&limit=500');
  const told = new Set(events.items.map(({ jobId }: { jobId: string }) => jobId));
  assert.deepEqual(told, new Set(JOBS));
  const { json: list } = await member.get('/jobs');
  assert.ok(list.jobs.some(({ jobID }: { jobID: string }) => jobID === planted.process));
  await share([]);
  for (const path of ['/v1/jobs', '/v1/events?from=start&limit=500']) {
    assert.deepEqual((await member.get(path)).json.items, []);
  }
  assert.equal((await member.get(`/jobs/${planted.process}`)).status, 404);
});

test('[S4] users execute what is published for them, see what they began, and share it', async () => {
  const chief = await fixture.holder({ tenant, name: 'kim', roles: ['user'], groups: ['chiefs'] });
  const type = canary('type');
  const body = { type, input: 1 };
  const refusal = await ben.post('/v1/jobs', body);
  assert.deepEqual([refusal.status, refusal.json.code], [404, 'UNKNOWN_TYPE']);
  assert.equal((await ben.get(`/processes/${type}`)).status, 404);
  assert.equal((await ben.post(`/processes/${type}/execution`, {})).status, 404);
  assert.equal((await chief.get(`/processes/${type}`)).status, 200);
  assert.equal((await chief.get(`/v1/types/${type}`)).status, 200);
  const headers = { 'idempotency-key': canary('idempotency') };
  const begun = await chief.call('POST', '/v1/jobs', { body, headers });
  assert.equal(begun.status, 202, begun.text);
  const path = `/v1/jobs/${begun.json.id}`;
  // The owner's key of the same text stands for another job.
  const other = await owner.call('POST', '/v1/jobs', { body, headers });
  assert.notEqual(other.json.id, begun.json.id);
  const unique = { key: 'x', mode: 'throttle', windowMs: 1_000 };
  for (const more of [{ unique }, { limitKey: 'x' }, { parentJobId: planted.job }]) {
    const { status, json } = await chief.post('/v1/jobs', { ...body, ...more });
    assert.deepEqual([status, json.code], [403, 'FORBIDDEN'], JSON.stringify(more));
  }
  assert.equal((await member.get(path)).status, 404);
  const shared = await chief.put(`${path}/access`, { groups: ['planners'] });
  assert.deepEqual(shared.json, { owner: 'kim', groups: ['planners'] });
  assert.equal((await member.get(path)).status, 200);
  assert.equal((await member.put(`${path}/access`, { groups: [] })).status, 403);
  assert.equal((await member.post(`${path}/cancel`)).status, 403);
  assert.equal((await chief.post(`${path}/cancel`)).status, 200);
  const { json } = await owner.get('/v1/audit');
  const noted = json.items.find(({ action }: { action: string }) => action === 'job.shared');
  assert.deepEqual(noted.details, { groups: ['planners'] });
});

test('[S4] a live stream tells a user of its own jobs only, among those of others', async () => {
  const kim = await fixture.holder({ tenant, name: 'kim', roles: ['user'], groups: ['chiefs'] });
  const stop = new AbortController();
  const headers = { ...kim.headers, accept: 'text/event-stream' };
  const response = await fetch(`${kim.url}/v1/events`, { headers, signal: stop.signal });
  assert.equal(response.status, 200);
  const others = await owner.post('/v1/jobs', { type: canary('type') });
  const { json: own } = await kim.post('/v1/jobs', { type: canary('type') });
  let text = '';
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk as Uint8Array).toString();
    if (text.includes(own.id)) break;
  }
  stop.abort();
  assert.ok(!text.includes(others.json.id));
  const foreign = await kim.call('GET', `/v1/jobs/${planted.job}/events`, { headers });
  assert.equal(foreign.status, 404);
});
