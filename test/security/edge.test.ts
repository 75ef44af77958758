// Requests that come from a page of another origin, through a proxy that reads them otherwise, or
// under a name that is not the server's.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openSecurityFixture } from './fixture.ts';
import { allRoutes } from './routes.ts';

const open = await openSecurityFixture({ PAWL_AUTH: 'off' });
const locked = await openSecurityFixture({ PAWL_PUBLIC_URL: 'https://pawl.example' });

test('[S9] a page of another origin changes nothing on a machine that is open to its own', async () => {
  const { nobody } = open;
  await nobody.put('/v1/types/t', { lifecycle: 'task' });
  const crossSite: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://localhost.evil.example' },
  ];
  const before = (await nobody.get('/v1/jobs')).text;
  for (const headers of crossSite) {
    const body = { type: 't' };
    const { status } = await nobody.call('POST', '/v1/jobs', { body, headers });
    assert.equal(status, 403, JSON.stringify(headers));
    const simple = { ...headers, 'content-type': 'text/plain' };
    assert.equal((await nobody.call('POST', '/v1/jobs', { body, headers: simple })).status, 403);
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.equal(
    (await nobody.call('POST', '/v1/jobs', { body: 'type=t', headers: form })).status,
    415,
  );
  assert.equal((await nobody.get('/v1/jobs')).text, before);
});

test('[S9] a credential is what a caller sends, never what a browser adds', async () => {
  const admin = await locked.holder({});
  const key = admin.headers['authorization']!.slice('Bearer '.length);
  for (const headers of [
    { cookie: `key=${key}; authorization=Bearer ${key}` },
    { authorization: `Basic ${Buffer.from(`pawl:${key}`).toString('base64')}` },
  ]) {
    assert.equal((await locked.nobody.call('GET', '/v1/jobs', { headers })).status, 401);
  }
  const { headers } = await admin.get('/v1/jobs');
  assert.equal(headers.get('set-cookie'), null);
  assert.equal(headers.get('access-control-allow-origin'), null);
  assert.equal(headers.get('access-control-allow-credentials'), null);
});

test('[S9] nothing is changed by a GET', async () => {
  const reads = (await allRoutes(locked.nobody)).filter(({ method }) => method === 'GET');
  const verbs = /(?:cancel|replay|pause|resume|rotate|revoke|erase|submit|execution|test)$/;
  assert.deepEqual(
    reads.filter(({ path }) => verbs.test(path)),
    [],
  );
});

test('[S8] every page says what may run in it, and every answer what it is', async () => {
  for (const path of ['/docs', '/processes?f=html', '/conformance?f=html']) {
    const admin = await locked.holder({});
    const { headers } = await admin.get(path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'|default-src 'self'/, path);
    assert.doesNotMatch(policy, /script-src[^;]*'unsafe-inline'/, path);
  }
});

async function raw(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.end(Buffer.from(bytes, 'latin1'));
  return text(socket).catch(() => '');
}

const POST = 'POST /v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';

const AMBIGUOUS: Readonly<Record<string, string>> = {
  'two lengths': `${POST}content-length: 2\r\ncontent-length: 40\r\n\r\n{}`,
  'a length and chunks': `${POST}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks spelt oddly': `${POST}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'chunks twice': `${POST}transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
  'a folded header': `${POST}x: a\r\n folded\r\ncontent-length: 2\r\n\r\n{}`,
  'a space before the colon': `${POST}content-length : 2\r\n\r\n{}`,
  'a negative length': `${POST}content-length: -2\r\n\r\n{}`,
  'a bare line feed': 'POST /v1/jobs HTTP/1.1\nhost: localhost\ncontent-length: 2\n\n{}',
  'two hosts': 'GET /v1/jobs HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n\r\n',
  'no host': 'GET /v1/jobs HTTP/1.1\r\n\r\n',
};

for (const [what, bytes] of Object.entries(AMBIGUOUS)) {
  test(`[S23] a request with ${what} is refused, and what follows it is not answered`, async () => {
    const smuggled = 'GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n';
    const answer = await raw(open.platform.url, bytes + smuggled);
    assert.match(answer, /^HTTP\/1\.1 4\d\d/, JSON.stringify(answer.slice(0, 80)));
    assert.doesNotMatch(answer, /"status":"ok"/);
  });
}

test('[S23] links are made of the configured address, whatever the Host says', async () => {
  const admin = await locked.holder({});
  await admin.put('/v1/types/shown', { lifecycle: 'task', expose: { title: 'shown' } });
  const spoofs: Record<string, string>[] = [
    { 'x-forwarded-host': 'evil.example' },
    { forwarded: 'host=evil.example;proto=http' },
    { 'x-forwarded-proto': 'javascript' },
  ];
  for (const headers of spoofs) {
    for (const path of ['/', '/processes', '/processes/shown', '/jobs', '/ogc/api']) {
      const answer = await admin.call('GET', path, { headers });
      assert.equal(answer.status, 200, path);
      assert.doesNotMatch(answer.text, /evil\.example|javascript:/, path);
      assert.doesNotMatch(JSON.stringify([...answer.headers]), /evil\.example/);
    }
  }
  assert.match((await admin.get('/processes')).text, /https:\/\/pawl\.example\/processes/);
  const { port } = new URL(locked.platform.url);
  const key = admin.headers['authorization']!;
  const head = `GET /processes HTTP/1.1\r\nhost: evil.example:${port}\r\nauthorization: ${key}\r\n`;
  const answer = await raw(locked.platform.url, `${head}connection: close\r\n\r\n`);
  assert.doesNotMatch(answer, /evil\.example/);
});
