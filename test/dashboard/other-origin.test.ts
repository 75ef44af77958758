// A page of another origin, in a real browser: preflights, a credential of its own, and results.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type Fixture, openFixture } from '../support/browser/fixture.ts';

/** What a page does with the API, as its script. */
interface Asked {
  readonly api: string;
  readonly key: string;
}

interface Seen {
  readonly status: number;
  readonly location: string | null;
  readonly result: unknown;
  readonly job: unknown;
}

/** An empty page at an origin of its own. */
async function openSite(): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Map</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  return { origin: `http://127.0.0.1:${port}`, close };
}

/** Runs in the page: executes a process, waits for its end, and reads its result twice. */
async function execute({ api, key }: Asked): Promise<Seen> {
  const authorization = `Bearer ${key}`;
  const begun = await fetch(`${api}/processes/echo/execution`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ inputs: { message: 'from afar' }, response: 'document' }),
  });
  const location = begun.headers.get('location');
  const id = location?.split('/').at(-1) ?? '';
  const native = await fetch(`${api}/v1/jobs/${id}?waitMs=60000`, { headers: { authorization } });
  const { state } = (await native.json()) as { state: string };
  const results = await fetch(`${location}/results`, { headers: { authorization } });
  return { status: begun.status, location, result: await results.json(), job: state };
}

/** Runs in the page: each of its requests has a preflight. */
async function deploy({ api, key }: Asked): Promise<number[]> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/ogcapppkg+json',
  };
  const executionUnit = { type: 'pawl', job: 'echo' };
  const process = { id: 'from-afar', version: '1.0.0' };
  const body = JSON.stringify({ processDescription: { process }, executionUnit });
  const answers = [
    await fetch(`${api}/processes`, { method: 'POST', headers, body }),
    await fetch(`${api}/processes/from-afar`, { method: 'PUT', headers, body }),
    await fetch(`${api}/processes/from-afar/execution`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ inputs: { message: 'x' } }),
    }),
    await fetch(`${api}/processes/from-afar`, { method: 'DELETE', headers }),
  ];
  return answers.map(({ status }) => status);
}

describe('a page of another origin', () => {
  let fixture: Fixture;
  let listed: Awaited<ReturnType<typeof openSite>>;
  let strange: Awaited<ReturnType<typeof openSite>>;
  before(async () => {
    [listed, strange] = await Promise.all([openSite(), openSite()]);
    fixture = await openFixture({ PAWL_AUTH: 'on', PAWL_CORS_ORIGINS: listed.origin });
  });
  after(async () => {
    await fixture.close();
    await Promise.all([listed.close(), strange.close()]);
  });

  test('[S9] one that is listed runs a process and reads its result, and the native API', async () => {
    const page = await fixture.look();
    await page.goto(listed.origin);
    const seen = await page.evaluate(execute, { api: fixture.url, key: fixture.key() });
    assert.deepEqual([seen.status, seen.job], [201, 'successful']);
    assert.ok(seen.location?.startsWith(`${fixture.url}/jobs/`));
    assert.deepEqual(seen.result, { message: 'from afar', pause: 0 });
    await page.context().close();
  });

  test('[S9] one that is listed deploys a process, executes it and undeploys it', async () => {
    const page = await fixture.look();
    await page.goto(listed.origin);
    const seen = await page.evaluate(deploy, { api: fixture.url, key: fixture.key() });
    assert.deepEqual(seen, [201, 204, 200, 204]);
    await page.context().close();
  });

  test('[S9] one that is not listed gets nothing, whatever key it has', async () => {
    const page = await fixture.look();
    await page.goto(strange.origin);
    const asked = { api: fixture.url, key: fixture.key() };
    await assert.rejects(page.evaluate(execute, asked), /Failed to fetch/);
    await page.context().close();
  });

  test('[S9] answers of both APIs tell caches that they differ by origin', async () => {
    const headers = { origin: listed.origin, authorization: `Bearer ${fixture.key()}` };
    for (const path of ['/processes', '/jobs', '/v1/jobs']) {
      const answer = await fetch(fixture.url + path, { headers });
      assert.equal(answer.headers.get('access-control-allow-origin'), listed.origin, path);
      assert.match(answer.headers.get('vary') ?? '', /\borigin\b/i, path);
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /\blocation\b/i);
    }
  });
});
