// Who may do what: every role against every route of the document, and every tenant against the
// ids of another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiClient } from 'pawl/client';
import { ROLE_SCOPES, ROLES } from 'pawl/internal/contract/role';
import { ROUTE_SCOPES, scopeOfRoute } from '@pawl/server/internal/http/access';
import { isInReach } from '@pawl/server/internal/http/reach';
import { EXAMPLES } from '@pawl/server/internal/http/openapi-examples';
import { openLocked } from './auth-fixture.ts';
import type { Api, Answer, Method } from './http-fixture.ts';

interface Route {
  readonly method: Method;
  readonly path: string;
  readonly url: string;
  readonly operationId: string;
}

/** Their link is their credential. */
const SIGNED = new Set(['downloadArtifact', 'readMessageLink', 'useMessageLink']);

const NOBODY = '00000000-0000-7000-8000-000000000000';

function routesOf(api: Api): Route[] {
  return Object.entries(api.contract.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase() as Method,
      path,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      operationId: String(operation['operationId']),
    })),
  );
}

type Names = Readonly<Record<string, string>>;

function callRoute(
  api: Api,
  route: Route,
  given: { names: Names; body?: unknown },
): Promise<Answer> {
  const url = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    return encodeURIComponent(given.names[name] ?? 'x');
  });
  const example = EXAMPLES[route.operationId];
  // A claim that waits for work would only make the test wait.
  const patient = route.operationId === 'claimJobs' ? { waitMs: 0 } : {};
  const body = given.body ?? (example === undefined ? undefined : { ...example, ...patient });
  return api.call(route.method, url, route.method === 'GET' ? {} : { body });
}

test('each route of the table of scopes has the form that routes have', () => {
  for (const name of Object.keys(ROUTE_SCOPES)) {
    assert.match(name, /^(?:GET|POST|PUT|PATCH|DELETE) \/[a-z0-9/:.-]*$/i);
  }
});

test('[S4] every role may do on every route what the table says, and nothing else', async () => {
  const { api, holder } = await openLocked();
  const callers = await Promise.all(
    ROLES.map(async (role) => ({ role, api: (await holder({ roles: [role] })).api })),
  );
  const matrix: string[] = [];
  for (const route of routesOf(api)) {
    const scope = scopeOfRoute(route.method, route.url);
    assert.ok(scope !== null, `${route.method} ${route.url} is in no table`);
    const names = { id: NOBODY, type: 'x', name: 'task' };
    const open = await callRoute(api, route, { names });
    assert.equal(open.status === 401, scope !== 'public', `${route.method} ${route.url}`);
    // There the signature of the link is the credential, and nobody here has one.
    if (SIGNED.has(route.operationId)) continue;
    for (const caller of callers) {
      const isAllowed: boolean =
        scope === 'public' ||
        ((scope === 'signed-in' || ROLE_SCOPES[caller.role].includes(scope)) &&
          (caller.role !== 'user' || isInReach(`${route.method} ${route.url}`)));
      const { status } = await callRoute(caller.api, route, { names });
      const where = `${caller.role} ${route.method} ${route.url} ${status}`;
      assert.equal(status !== 401 && status !== 403, isAllowed, where);
      matrix.push(where);
    }
  }
  assert.ok(matrix.length >= ROLES.length * 40, String(matrix.length));
});

test('what each role is for, in words', () => {
  const may = (role: keyof typeof ROLE_SCOPES, scope: string) =>
    (ROLE_SCOPES[role] as readonly string[]).includes(scope);
  assert.ok(
    may('producer', 'jobs:write') && !may('producer', 'work') && !may('producer', 'dlq:replay'),
  );
  assert.ok(may('worker', 'work') && !may('worker', 'jobs:write') && !may('worker', 'jobs:read'));
  assert.ok(
    may('viewer', 'jobs:read') && ROLE_SCOPES.viewer.every((scope) => scope.endsWith(':read')),
  );
  assert.ok(may('operator', 'jobs:operate') && !may('operator', 'keys:admin'));
});

const CANARY = 'canary-7f3a';

interface Secret {
  readonly names: Names;
  readonly held: object;
  readonly letter: string;
  readonly key: string;
  readonly artifact: string;
  readonly schedule: string;
}

/** A tenant with something secret in everything that can hold it. */
async function fill(api: Api): Promise<Secret> {
  const type = `${CANARY}-type`;
  await api.put(`/v1/types/${type}`, { lifecycle: 'distributed' });
  const job = {
    type,
    queue: `${CANARY}-queue`,
    input: { secret: CANARY },
    metadata: { secret: CANARY },
    documentId: CANARY,
    correlationId: CANARY,
  };
  const claimOne = async () => {
    await api.post('/v1/jobs', job);
    const asked = { workerId: `${CANARY}-worker`, types: [type], max: 1 };
    const { body } = await api.post('/v1/claims', asked);
    const { epoch, job: claimed } = body.jobs[0];
    const held = { workerId: `${CANARY}-worker`, epoch };
    await api.post(`/v1/jobs/${claimed.id}/start`, held);
    await api.post(`/v1/jobs/${claimed.id}/heartbeat`, { ...held, message: CANARY, log: [CANARY] });
    return { id: String(claimed.id), held };
  };
  const dead = await claimOne();
  const error = { class: 'ValidationError', message: CANARY };
  await api.post(`/v1/jobs/${dead.id}/fail`, { ...dead.held, error, deadLetter: 'parse_error' });
  const { body: letters } = await api.get('/v1/dlq');
  const { body: key } = await api.post('/v1/keys', { name: CANARY, roles: ['viewer'] });
  const schedule = `${CANARY}-schedule`;
  const rule = { kind: 'interval', everyMs: 60_000 };
  await api.put(`/v1/schedules/${schedule}`, { rule, job: { type, input: CANARY } });
  await api.put(`/v1/workers/${CANARY}-worker`, { types: [type], host: CANARY });
  const { body: artifact } = await api.call('POST', `/v1/artifacts?name=${CANARY}`, {
    body: Buffer.from(CANARY),
  });
  const running = await claimOne();
  const names = { id: running.id, type, name: 'plan' };
  const letter: string = letters.items[0].id;
  return { names, held: running.held, letter, key: key.id, artifact: artifact.id, schedule };
}

function namesIn(area: string, secret: Secret): Names {
  switch (area) {
    case 'dlq':
      return { id: secret.letter };
    case 'keys':
      return { id: secret.key };
    case 'artifacts':
      return { id: secret.artifact };
    case 'schedules':
      return { name: secret.schedule };
    default:
      return {};
  }
}

/** What another tenant's things are to everybody else: not there, or without their key not open. */
function hiddenAs({ method, path, operationId }: Route): number | null {
  if (SIGNED.has(operationId)) return 403;
  const isOthers = path.includes('{id}') || path.startsWith('/v1/schedules/{name}');
  // Under a name of its own choice everybody can make something; workers say who they are.
  return isOthers && !(method === 'PUT' && path.includes('{name}')) ? 404 : null;
}

test('[S3] no route of the document shows or moves anything of another tenant', async () => {
  const { holder } = await openLocked();
  const { api: owner } = await holder({ tenant: 'acme', name: 'owner' });
  const { api: other } = await holder({ tenant: 'rival', name: 'rival' });
  const secret = await fill(owner);
  const before = await owner.get(`/v1/jobs/${secret.names['id']}`);
  const bodies: Record<string, unknown> = {
    cancelJobs: { ids: [secret.names['id']] },
    rerunJobs: { ids: [secret.names['id']] },
    replayDeadLetters: { ids: [secret.letter] },
    acceptJob: { type: secret.names['type'] },
    acceptJobs: { jobs: [{ type: secret.names['type'] }] },
    claimJobs: { workerId: `${CANARY}-worker`, types: [secret.names['type']], max: 9 },
  };
  for (const route of routesOf(owner)) {
    const { path, operationId } = route;
    const [, , area = ''] = path.split('/');
    // Under the same name a tenant can make a schedule of its own, which is then to be found.
    const isMaking = operationId === 'putSchedule';
    const names = { ...secret.names, ...(isMaking ? {} : namesIn(area, secret)) };
    const example = EXAMPLES[operationId];
    const isOwners = example !== undefined && Object.hasOwn(example, 'epoch');
    const body = isOwners ? { ...example, ...secret.held } : bodies[operationId];
    const answer = await callRoute(other, route, {
      names,
      ...(body === undefined ? {} : { body }),
    });
    const where = `${route.method} ${path} ${answer.status}`;
    const text = JSON.stringify([answer.headers, answer.body])
      .replaceAll(secret.names['type']!, '')
      .replaceAll(encodeURIComponent(secret.names['type']!), '')
      .replaceAll(secret.schedule, '')
      .replaceAll(`"${CANARY}-worker"`, '');
    assert.ok(!text.includes(CANARY), where);
    const expected = hiddenAs(route);
    if (expected !== null) assert.equal(answer.status, expected, where);
  }
  const results = await other.post('/v1/jobs/cancel', { ids: [secret.names['id']] });
  assert.equal(results.body.results[0].status, 404);
  assert.deepEqual((await owner.get(`/v1/jobs/${secret.names['id']}`)).body, before.body);
});

test('[S24] another tenant’s id and one that never was are answered alike', async () => {
  const { holder } = await openLocked();
  const { api: owner } = await holder({ tenant: 'acme', name: 'owner' });
  const other = (await holder({ tenant: 'rival' })).api.with({ 'x-request-id': 'same' });
  const secret = await fill(owner);
  for (const verb of ['', '/events', '/input', '/result']) {
    const foreign = await other.get(`/v1/jobs/${secret.names['id']}${verb}`);
    const missing = await other.get(`/v1/jobs/${NOBODY}${verb}`);
    const blot = (answer: Answer, id: string) =>
      JSON.stringify([answer.status, answer.body, Object.keys(answer.headers)]).replaceAll(id, '#');
    assert.equal(blot(foreign, secret.names['id']!), blot(missing, NOBODY));
  }
});

test('[S3] the pages of the firehose have nothing of another tenant', async () => {
  const { holder } = await openLocked();
  const { api: owner } = await holder({ tenant: 'acme', name: 'owner' });
  const { api: other } = await holder({ tenant: 'rival', name: 'rival' });
  await fill(owner);
  const page = await other.get('/v1/events?from=start&limit=1000');
  assert.deepEqual(page.body.items, []);
  assert.ok((await owner.get('/v1/events?from=start&limit=1000')).body.items.length > 5);
});

test('[S3] a live firehose has the own events only, among those of others', async () => {
  const { api, holder } = await openLocked();
  const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { api: owner } = await holder({ tenant: 'acme', name: 'owner' });
  const { api: other, made } = await holder({ tenant: 'rival', name: 'rival' });
  await other.put('/v1/types/own', { lifecycle: 'task' });
  const stop = new AbortController();
  const { signal } = stop;
  const client = new ApiClient({ url, token: made.text });
  const stream = client.everything({ from: 'start' }, { signal });
  const own: string[] = [];
  for (let round = 0; round < 3; round++) {
    // The first event comes from the store, later ones from the memory that all streams share.
    const { body: job } = await other.post('/v1/jobs', { type: 'own' });
    own.push(job.id);
    const { value } = await stream.next();
    assert.ok(value?.kind === 'event');
    assert.equal(value.event.jobId, job.id);
    await fill(owner);
  }
  assert.equal(new Set(own).size, 3);
  stop.abort();
  await api.close();
});
