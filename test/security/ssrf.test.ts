// Requests that somebody else makes the platform send: every vector at every place where a caller
// can name an address. Passed is passed when no listener was even connected to.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { tokenReader } from '@pawl/server/internal/auth/token';
import { systemClock } from 'pawl/internal/core/clock';
import { defineJob } from 'pawl/internal/handler/define-job';
import { typed } from 'pawl/internal/handler/schema';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';
import { openOgcServer } from '../../packages/ogc/test/server-fixture.ts';
import { onceLogged } from '../support/once-logged.ts';
import { jobWhen } from '../support/job-when.ts';
import { openSecurityFixture, scratchFolder } from './fixture.ts';

interface Trap {
  readonly server: Server;
  readonly port: number;
  /** Connections, not requests: a guard that works lets none begin. */
  connections: number;
}

async function openTrap(host: string, listener?: RequestListener): Promise<Trap> {
  const server = createServer(listener ?? ((_request, response) => void response.end('trapped')));
  server.listen(0, host);
  await once(server, 'listening');
  const trap = { server, port: (server.address() as AddressInfo).port, connections: 0 };
  server.on('connection', () => (trap.connections += 1));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return trap;
}

const trap = await openTrap('127.0.0.1');
const trap6 = await openTrap('::1');

/** Spellings of the own machine, of private nets and of the places where clouds keep secrets. */
const HOSTS = `
  127.0.0.1 localhost localhost. 127.1 0x7f.0.0.1 0x7f000001 2130706433 017700000001 0177.0.0.1
  0 0.0.0.0 ①②⑦.⓪.⓪.① [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1]
  [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:4136:e378:8000:63bf:80ff:fffe]
  [fe80::5efe:127.0.0.1] 10.0.0.1 172.16.0.1 192.168.0.1 100.64.0.1 169.254.169.254 192.0.0.192
  198.18.0.1 224.0.0.1 255.255.255.255 [fc00::1] [fd00:ec2::254] [fe80::1] [fec0::1] [ff02::1]
  [2001:db8::1]
`
  .trim()
  .split(/\s+/);

const URLS: readonly string[] = HOSTS.flatMap((host) => [
  `http://${host}:${host.startsWith('[::1') ? trap6.port : trap.port}/`,
  `https://${host}/`,
]);

/** Addresses that are none, or not of a kind that is asked. */
const OTHER_URLS: readonly string[] = [
  `https://user:secret@127.0.0.1:${trap.port}/`,
  'file:///etc/passwd',
  'gopher://127.0.0.1/',
  'ftp://127.0.0.1/',
  'data:text/plain,x',
  `https://example.org/${'a'.repeat(3_000)}`,
  'https://93.184.215.14:22/',
  'http://93.184.215.14/',
];

function assertUntouched(): void {
  assert.deepEqual([trap.connections, trap6.connections], [0, 0]);
}

describe('an address that a caller names', () => {
  test('[S6] as the URL of a webhook leads to no private place, made or changed', async () => {
    const fixture = await openSecurityFixture({ PAWL_REQUESTS_PER_SECOND: '0' });
    const admin = await fixture.holder({});
    const { json: hook } = await admin.post('/v1/webhooks', { url: 'https://93.184.215.14/x' });
    for (const url of [...URLS, ...OTHER_URLS]) {
      const made = await admin.post('/v1/webhooks', { url });
      assert.deepEqual([made.status, made.json.code], [400, 'VALIDATION_ERROR'], url);
      const body = { url };
      const changed = await admin.call('PATCH', `/v1/webhooks/${hook.id}`, { body });
      assert.equal(changed.status, 400, url);
      assert.doesNotMatch(made.text + changed.text, /secret|trapped/);
    }
    assertUntouched();
  });

  test('[S6] as a subscriber of an execution is never called', async () => {
    const good = defineJob('good', { expose: true, run: () => 'done' });
    // Nothing is allowed here, so that its own callbacks are guarded like everybody's.
    const server = await openOgcServer({ jobs: [good], allow: [] });
    for (const successUri of URLS) {
      const headers = { prefer: 'respond-async' };
      const body = { inputs: {}, subscriber: { successUri, failedUri: successUri } };
      const { status } = await server.post('/processes/good/execution', body, headers);
      assert.ok(status === 201 || status === 400, `${successUri} ${status}`);
    }
    const tried = { tenant: 'default', what: 'every call has been tried and given up' };
    await onceLogged(server.engine, tried, async () => {
      const tally = await server.engine.tally('default');
      return tally.every(({ phase }) => phase === 'waiting');
    });
    assertUntouched();
  });

  test('[S6] as an input by reference is not fetched', async () => {
    const seen: unknown[] = [];
    const echo = defineJob('takes', {
      input: typed<unknown>(),
      expose: true,
      run: ({ input }) => void seen.push(input),
    });
    const server = await openOgcServer({ jobs: [echo], allow: [] });
    for (const href of [`http://127.0.0.1:${trap.port}/`, `http://[::1]:${trap6.port}/`]) {
      const body = { inputs: { input: { href } } };
      const answer = await server.post('/processes/takes/execution', body);
      assert.doesNotMatch(answer.text, /trapped/);
    }
    assertUntouched();
  });
});

describe('an address that another server names', () => {
  test('[S6, F77] in its Location or its links leads back to that server only', async () => {
    const there: string[] = [];
    const away = [`http://127.0.0.1:${trap.port}`, `http://[::1]:${trap6.port}`];
    const answers: RequestListener = (request, response) => {
      there.push(`${request.method} ${request.url}`);
      const headers = { 'content-type': 'application/json' };
      const say = (status: number, body: unknown, more = {}): void =>
        void response.writeHead(status, { ...headers, ...more }).end(JSON.stringify(body));
      const id = request.url!.split('/')[2] ?? '';
      if (request.url === '/processes') return say(200, { processes: [{ id: 'p', version: '1' }] });
      if (request.method === 'GET' && id === 'p') {
        return say(200, { id: 'p', version: '1', inputs: {}, outputs: {} });
      }
      if (request.method === 'POST') {
        const location = `${away[there.length % 2]}/jobs/j1?x=1#y`;
        return say(201, { jobID: 'j1', status: 'accepted', type: 'process' }, { location });
      }
      if (request.url!.includes('/results')) return say(200, { out: 1 });
      const links = away.map((url) => ({ href: `${url}/jobs/j1/results`, rel: 'results' }));
      return say(200, { jobID: 'j1', status: 'successful', type: 'process', links });
    };
    const provider = await openTrap('127.0.0.1', answers);
    const path = join(scratchFolder(), 'providers.json');
    const settings = { poll_interval: 0.05 };
    const providers = { far: { url: `http://127.0.0.1:${provider.port}` } };
    writeFileSync(path, JSON.stringify({ settings, providers }));
    const gate = await openOgcServer({ env: { PAWL_OGC_PROVIDERS: path } });
    const headers = { prefer: 'respond-async' };
    const begun = await gate.post('/processes/far:p/execution', { inputs: {} }, headers);
    assert.equal(begun.status, 201, begun.text);
    await jobWhen(gate.engine, { tenant: 'default', id: begun.json.jobID as string });
    assert.ok(there.some((one) => one.startsWith('GET /jobs/j1')));
    assertUntouched();
  });

  test('[S6] in a redirect is not gone to, whatever its status', async () => {
    const turns = await openTrap('127.0.0.1', (request, response) => {
      const status = Number(request.url!.slice(1));
      response.writeHead(status, { location: `http://127.0.0.1:${trap.port}/` }).end();
    });
    const outgoing = createOutgoing({ allow: ['127.0.0.1'] });
    for (const status of [300, 301, 302, 303, 305, 307, 308]) {
      const answer = await outgoing.fetch(`http://127.0.0.1:${turns.port}/${status}`);
      assert.equal(answer.status, status);
      answer.discard();
    }
    await outgoing.close();
    assertUntouched();
  });

  test('[S2, S6] in a redirect from the keys of the identity provider is not gone to', async () => {
    const keys = await openTrap('127.0.0.1', (_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${trap.port}/jwks` }).end();
    });
    const reader = tokenReader({
      issuer: 'https://id.example',
      audience: 'pawl',
      keys: new URL(`http://127.0.0.1:${keys.port}/jwks`),
      clock: systemClock,
    });
    const part = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'ES256', kid: 'x' })}.${part({ iss: 'https://id.example' })}.eA`;
    assert.equal(await reader.read(token), null);
    assert.equal(keys.connections, 1, 'the provider itself was asked');
    assertUntouched();
  });
});

describe('a name', () => {
  before(() => void (trap.connections = 0));

  test('[S6] that means a public address first and the own machine then is not followed', async () => {
    const turns = [['93.184.215.14'], ['127.0.0.1'], ['127.0.0.1']];
    const outgoing = createOutgoing({ resolve: async () => turns.shift() ?? ['127.0.0.1'] });
    await outgoing.check('https://rebind.test:8443/');
    await assert.rejects(outgoing.fetch('https://rebind.test:8443/'), { code: 'refused' });
    await outgoing.close();
    assertUntouched();
  });

  test('[S6] one of whose addresses is private is refused whole', async () => {
    for (const answers of [
      ['93.184.215.14', '127.0.0.1'],
      ['2606:4700::1111', '::1'],
      ['::ffff:10.0.0.1'],
    ]) {
      const outgoing = createOutgoing({ resolve: async () => answers });
      await assert.rejects(outgoing.fetch('https://mixed.test/'), (error: Error) => {
        assert.doesNotMatch(error.message, /93\.184|127\.0|::1|10\.0\.0\.1/);
        return true;
      });
      await outgoing.close();
    }
    assertUntouched();
  });
});
