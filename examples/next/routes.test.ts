// A route handler of Next is a function from Request to Response: called here as Next would.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { GET as dashboard } from './app/admin/jobs/[[...path]]/route.ts';
import { GET } from './app/api/reports/[id]/route.ts';
import { POST } from './app/api/reports/route.ts';
import { openJobs } from './app/pawl.ts';
import { register } from './instrumentation.ts';
import config from './next.config.ts';

process.env['DATABASE'] = ':memory:';
process.env['NEXT_RUNTIME'] = 'nodejs';
after(async () => (await openJobs()).close());

function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  return POST(new Request('http://localhost/api/reports', request));
}

function get(id: string): Promise<Response> {
  const request = new Request(`http://localhost/api/reports/${id}`);
  return GET(request, { params: Promise.resolve({ id }) });
}

test('next: a request is answered at once, and its job succeeds', async () => {
  await register();
  const answer = await post({ year: 2026 }, { 'idempotency-key': 'once' });
  assert.equal(answer.status, 202);
  const { id } = (await answer.json()) as { id: string };
  assert.equal(answer.headers.get('location'), `/api/reports/${id}`);
  const again = (await (await post({ year: 2026 }, { 'idempotency-key': 'once' })).json()) as {
    id: string;
  };
  assert.equal(again.id, id);
  await (await openJobs()).job(id).ended();
  assert.deepEqual(await (await get(id)).json(), {
    state: 'succeeded',
    result: 'the report of 2026',
  });
});

test('next: what is wrong is answered with a status, a code and what to do', async () => {
  const wrong = await post({ year: 'soon' });
  assert.equal(wrong.status, 400);
  assert.equal(((await wrong.json()) as { code: string }).code, 'VALIDATION_ERROR');
  const nowhere = await get('01890000-0000-7000-8000-000000000000');
  assert.equal(nowhere.status, 404);
  assert.equal(nowhere.headers.get('content-type'), 'application/problem+json');
});

test('next: the packages stay outside the bundle', () => {
  assert.deepEqual(config.serverExternalPackages, ['pawl', '@pawl/server']);
});

test('next: the dashboard is below its path, for those who have the password', async () => {
  const at = (path: string, password: string): Promise<Response> => {
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
    return dashboard(new Request(`http://localhost${path}`, { headers: { authorization } }));
  };
  const refused = await at('/admin/jobs/', 'guess');
  assert.equal(refused.status, 401);
  assert.match(refused.headers.get('www-authenticate') ?? '', /^Basic/);
  const bare = await at('/admin/jobs', 'change me');
  assert.deepEqual([bare.status, bare.headers.get('location')], [308, '/admin/jobs/']);
  const jobs = await at('/admin/jobs/v1/jobs', 'change me');
  assert.equal(jobs.status, 200);
});

test('next: answers are not compressed, because Next drops their content-encoding', async () => {
  const authorization = `Basic ${Buffer.from('admin:change me').toString('base64')}`;
  const headers = { authorization, 'accept-encoding': 'gzip, br' };
  const url = 'http://localhost/admin/jobs/openapi.json';
  const answer = await dashboard(new Request(url, { headers }));
  assert.deepEqual([answer.status, answer.headers.get('content-encoding')], [200, null]);
  assert.equal(typeof ((await answer.json()) as { openapi: unknown }).openapi, 'string');
});
