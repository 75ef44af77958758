// Two tenants on one platform: one has a canary in everything, the other asks for all of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canary, leaksIn, plant, type Planted } from './canaries.ts';
import { type Answer, type Caller, openSecurityFixture, type SecurityFixture } from './fixture.ts';
import { allRoutes, bodyFor, namesFor, pathWith, type Route } from './routes.ts';

interface Rivals {
  readonly fixture: SecurityFixture;
  readonly owner: Caller;
  readonly rival: Caller;
  readonly planted: Planted;
}

async function openRivals(): Promise<Rivals> {
  const fixture = await openSecurityFixture({ PAWL_OUTGOING_ALLOW: '127.0.0.9' });
  const owner = await fixture.holder({ tenant: 'acme', name: canary('principal') });
  const rival = await fixture.holder({ tenant: 'rival', name: 'rival' });
  return { fixture, owner, rival, planted: await plant(owner) };
}

const { fixture, owner, rival, planted } = await openRivals();
const routes = await allRoutes(fixture.nobody);

const OWNER_QUERY = `workerId=${planted.held.workerId}&epoch=${planted.held.epoch}`;
const QUERIES: Readonly<Record<string, string>> = {
  putArtifact: OWNER_QUERY,
  uploadArtifact: 'name=own',
  readEvents: 'from=start&limit=500',
};

async function ask(caller: Caller, route: Route): Promise<{ answer: Answer; asked: string }> {
  const query = QUERIES[route.operationId];
  const isUpload = route.path === '/v1/artifacts' || route.path.endsWith('/artifacts/{name}');
  const more = query ?? (isUpload ? `${OWNER_QUERY}&name=own` : undefined);
  const filled = pathWith(route.path, namesFor(route, planted));
  const path = more === undefined || route.method === 'GET' ? filled : `${filled}?${more}`;
  const body = bodyFor(route, planted);
  const headers = { 'idempotency-key': canary('idempotency') };
  const answer = await caller.call(route.method, path, {
    headers,
    ...(body === undefined || route.method === 'GET' ? {} : { body }),
  });
  const asked = `${path} ${Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body)}`;
  return { answer, asked };
}

/** Under a name of its own choice every tenant has or makes something of its own. */
const OWN_BY_NAME = new Set([
  'putType',
  'putWorker',
  'putSchedule',
  'changeQueue',
  'readQueue',
  'ignoreFailure',
  'heedFailure',
]);
/** They tell nothing of anybody; what they show is looked at all the same. */
const THE_SAME_FOR_ALL = new Set(['/v1/lifecycles/{name}']);
const LINK_IS_THE_KEY = new Set(['downloadArtifact', 'readMessageLink', 'useMessageLink']);

/** Of the platform as a whole, so that only the home tenant may ask. */
const OF_THE_PLATFORM = new Set(['placeTenant', 'moveTenant']);

function expectedOf({ operationId, path }: Route): readonly number[] | null {
  if (LINK_IS_THE_KEY.has(operationId) || OF_THE_PLATFORM.has(operationId)) return [403];
  if (!path.includes('{') || THE_SAME_FOR_ALL.has(path)) return null;
  // The rival's own worker of that name, known through its claims alone, cannot be told to drain.
  if (operationId === 'drainWorker') return [202, 409];
  return OWN_BY_NAME.has(operationId) ? [200, 201, 204] : [404];
}

/** Times of use and of answering, and signatures, which end by themselves. */
const MARKED = 'lastUsedAt|lastBeatAt|requestId|expiresInMs|expiresAt|urlExpiresAt|url|href';
const MARKS = new RegExp(`"(?:${MARKED})":(?:"[^"]*"|\\d+|null)`, 'g');

/** All that the owner can see, without the marks that only time leaves. */
async function everythingOf(caller: Caller): Promise<string[]> {
  const { job, finished, process, letter, key, artifact, webhook } = planted;
  const paths = [
    ...['jobs', 'dlq', 'queues', 'types', 'schedules', 'webhooks', 'keys', 'slo', 'workers'].map(
      (name) => `/v1/${name}`,
    ),
    ...[job, finished, process].flatMap((id) => [
      `/v1/jobs/${id}`,
      `/v1/jobs/${id}/events`,
      `/v1/jobs/${id}/result`,
      `/v1/jobs/${id}/artifacts`,
    ]),
    `/v1/dlq/${letter}`,
    `/v1/keys/${key}`,
    `/v1/webhooks/${webhook}`,
    `/v1/webhooks/${webhook}/deliveries`,
    `/v1/schedules/${canary('schedule')}`,
    '/v1/audit',
    '/v1/events?from=start&limit=500',
    '/jobs',
    `/jobs/${process}`,
  ];
  const seen = [(await caller.get(`/v1/artifacts/${artifact}/link`)).text.slice(0, 40)];
  for (const path of paths) seen.push(`${path} ${(await caller.get(path)).text}`);
  return seen.map((one) => one.replaceAll(MARKS, ''));
}

test('[S3] what was planted is all there to its owner, or nothing would be shown', async () => {
  const text = (await everythingOf(owner)).join('\n');
  const inputs = await owner.get(`/v1/dlq/${planted.letter}`);
  const found = new Set(`${text}${inputs.text}`.match(/canary-[a-z]+-7f3a9/g));
  assert.ok(found.size >= 20, [...found].toSorted().join(' '));
  assert.ok(routes.length >= 85, `${routes.length} operations`);
});

/** Reads first, what makes things of the own last: what the rival wrote it may be told again. */
function orderOf({ method, operationId }: Route): number {
  if (method === 'GET') return 0;
  return OWN_BY_NAME.has(operationId) ? 2 : 1;
}

const inOrder = routes.toSorted((one, other) => orderOf(one) - orderOf(other));

test('[S3] no operation of the two documents shows or changes anything of another tenant', async () => {
  const before = await everythingOf(owner);
  let said = '';
  for (const route of inOrder) {
    const { answer, asked } = await ask(rival, route);
    const where = `${route.method} ${route.path} ${answer.status} ${answer.text.slice(0, 300)}`;
    if (route.method !== 'GET') said += asked;
    const told = answer.text + JSON.stringify([...answer.headers]);
    assert.deepEqual(leaksIn(told, asked + said), [], where);
    const expected = expectedOf(route);
    if (expected !== null) assert.ok(expected.includes(answer.status), where);
    else assert.ok(answer.status < 500, where);
  }
  const after = await everythingOf(owner);
  const changed = after.filter((one, index) => one !== before[index]);
  assert.deepEqual(
    changed.map((one) => one.slice(0, 400)),
    [],
  );
});

test('[S3] lists are empty of the other tenant, whatever they are asked for', async () => {
  const words = [
    `type=${canary('type')}`,
    `queue=${canary('queue')}`,
    `documentId=${canary('document')}`,
    `correlationId=${canary('correlation')}`,
  ];
  for (const word of words) {
    const { status, json } = await rival.get(`/v1/jobs?${word}`);
    const own = json.items.filter(({ requestedBy }: { requestedBy: string }) => {
      return requestedBy !== 'rival';
    });
    assert.deepEqual([status, own], [200, []], word);
  }
  const filtered = await rival.get(`/v1/events?from=start&jobId=${planted.job}`);
  assert.deepEqual(filtered.json.items, []);
  const resumed = await rival.get(`/v1/events?cursor=${planted.cursor}&limit=500`);
  assert.deepEqual(leaksIn(resumed.text, canary('type')), []);
});

test('[S3] what concerns all tenants together is shown to the home tenant only', async () => {
  const home = await fixture.holder({ roles: ['viewer'] });
  const scraped = await home.get('/metrics');
  assert.equal(scraped.status, 200);
  assert.ok(scraped.text.includes(canary('type')), 'the names are really in the metrics');
  for (const path of ['/metrics', '/v1/doctor', '/v1/doctor/verify']) {
    const { status, json, text } = await rival.get(path);
    assert.deepEqual([status, json.code], [403, 'FORBIDDEN'], path);
    assert.deepEqual(leaksIn(text, ''), []);
  }
});

test('[S3, F71] a stream has nothing of another tenant in any byte, also from its cursor', async () => {
  assert.equal((await rival.put('/v1/types/own', { lifecycle: 'task' })).status, 201);
  const { json: job } = await rival.post('/v1/jobs', { type: 'own' });
  const from: Record<string, string>[] = [{}, { 'last-event-id': planted.cursor }];
  for (const more of from) {
    const stop = new AbortController();
    const headers = { ...rival.headers, ...more, accept: 'text/event-stream' };
    const query = 'last-event-id' in more ? '' : '?from=start';
    const { signal } = stop;
    const response = await fetch(`${rival.url}/v1/events${query}`, { headers, signal });
    assert.equal(response.status, 200);
    let text = '';
    for await (const chunk of response.body!) {
      text += Buffer.from(chunk as Uint8Array).toString();
      if (text.includes(job.id)) break;
    }
    stop.abort();
    assert.deepEqual(leaksIn(text, canary('type')), []);
  }
  const headers = { accept: 'text/event-stream', 'last-event-id': '1.0' };
  const foreign = await rival.call('GET', `/v1/jobs/${planted.job}/events`, { headers });
  assert.equal(foreign.status, 404);
});

test('[S24] a foreign id and one that never was are answered alike, body and headers', async () => {
  const nobody = '00000000-0000-7000-8000-000000000000';
  const of: Record<string, string> = {
    id: nobody,
    deliveryId: nobody,
    jobId: nobody,
    processId: 'canary-none-7f3a9',
    type: 'canary-none-7f3a9',
  };
  const stranger = await fixture.holder({ tenant: 'stranger' });
  const reads = routes.filter(({ method, path }) => method === 'GET' && path.includes('{'));
  for (const route of reads) {
    const names = namesFor(route, planted);
    const missing = Object.fromEntries(
      Object.entries(names).map(([name, value]) => [name, of[name] ?? value]),
    );
    const look = async (given: Readonly<Record<string, string>>): Promise<string> => {
      const headers = { 'x-request-id': 'same' };
      const path = pathWith(route.path, given);
      const answer = await stranger.call('GET', path, { headers });
      const text = `${answer.status} ${answer.text} ${[...answer.headers.keys()].join()}`;
      return Object.values(given).reduce((rest, value) => rest.replaceAll(value, '#'), text);
    };
    assert.equal(await look(names), await look(missing), route.path);
  }
});
