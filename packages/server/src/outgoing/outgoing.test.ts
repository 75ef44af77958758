import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { OutgoingError, type OutgoingErrorCode } from 'pawl/internal/outgoing/outgoing-error';
import type { Outgoing } from 'pawl/internal/outgoing/outgoing';
import { createOutgoing } from './outgoing.ts';

interface Trap {
  readonly server: Server;
  readonly port: number;
  /** Connections, not requests: a guard that works lets none begin. */
  connections: number;
}

async function openTrap(host: string, listener: RequestListener): Promise<Trap> {
  const server = createServer(listener);
  server.listen(0, host);
  await once(server, 'listening');
  const trap: Trap = { server, port: (server.address() as AddressInfo).port, connections: 0 };
  server.on('connection', () => trap.connections++);
  return trap;
}

async function closeTrap({ server }: Trap): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

async function fails(work: Promise<unknown>, code: OutgoingErrorCode): Promise<OutgoingError> {
  const error = await work.then(
    () => assert.fail('it was let through'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof OutgoingError, String(error));
  assert.equal(error.code, code, error.message);
  return error;
}

describe('the guard of outgoing requests', () => {
  let trap: Trap;
  let trap6: Trap;
  before(async () => {
    trap = await openTrap('127.0.0.1', (_request, response) => response.end('trapped'));
    trap6 = await openTrap('::1', (_request, response) => response.end('trapped'));
  });
  after(async () => {
    await closeTrap(trap);
    await closeTrap(trap6);
  });

  const answers: Record<string, string[]> = {
    'private.test': ['10.0.0.1'],
    'loop.test': ['127.0.0.1'],
    'mixed.test': ['93.184.215.14', '127.0.0.1'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'six.test': ['::1'],
    'scoped.test': ['fe80::1%lo'],
  };
  const guarded = (allow: string[] = []): Outgoing =>
    createOutgoing({
      allow,
      resolve: async (host) => answers[host] ?? Promise.reject(new Error('ENOTFOUND')),
    });

  const refusedHosts = `
    127.0.0.1 127.1 0x7f.0.0.1 0x7f000001 2130706433 017700000001 0177.0.0.1 127.0.0.1. 0
    0.0.0.0 [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:0:0:1]
    [64:ff9b::7f00:1] [2002:7f00:1::] １２７.0.0.1 127。0。0。1 private.test loop.test loop.test.
    LOOP.test mixed.test mapped.test six.test scoped.test
  `
    .trim()
    .split(/\s+/);
  for (const host of refusedHosts) {
    test(`[S6] ${host} is refused before a connection begins, over http and https`, async () => {
      const outgoing = guarded();
      const port = host.includes('six') || host === '[::1]' ? trap6.port : trap.port;
      for (const scheme of ['http', 'https']) {
        const { message } = await fails(outgoing.fetch(`${scheme}://${host}:${port}/`), 'refused');
        assert.match(message, /PAWL_OUTGOING_ALLOW/);
        assert.doesNotMatch(message.replaceAll(host, ''), /10\.0\.0\.1|93\.184/);
        await fails(outgoing.check(`${scheme}://${host}:${port}/`), 'refused');
      }
      await outgoing.close();
      assert.equal(trap.connections + trap6.connections, 0);
    });
  }

  const refusedUrls: [string, RegExp][] = [
    ['ftp://example.org/', /begins with ftp:/],
    ['file:///etc/passwd', /begins with file:/],
    ['data:text/plain,x', /begins with data:/],
    ['gopher://example.org/', /begins with gopher:/],
    ['https://user:secret@example.org/', /user name or a password/],
    ['https://user@example.org/', /user name or a password/],
    ['//example.org/', /cannot be read/],
    ['https://', /cannot be read/],
    ['https://[fe80::1%25lo]/', /cannot be read/],
    [`https://example.org/${'a'.repeat(2_048)}`, /longer than 2048/],
    ['http://93.184.215.14/', /without encryption: use https/],
    ['https://93.184.215.14:22/', /port 22 .* 443, 8443/],
    ['https://169.254.169.254/latest/meta-data/', /not a public place/],
  ];
  for (const [url, message] of refusedUrls) {
    test(`${url.slice(0, 60)} is refused`, async () => {
      const outgoing = guarded();
      assert.match((await fails(outgoing.fetch(url), 'refused')).message, message);
      await outgoing.close();
    });
  }

  test('[S6] a name that turns private after it was checked is refused when it is connected', async () => {
    const turns = [['93.184.215.14'], ['127.0.0.1']];
    const outgoing = createOutgoing({ resolve: async () => turns.shift()! });
    await outgoing.check('https://rebind.test:8443/');
    await fails(outgoing.fetch(`https://rebind.test:8443/`), 'refused');
    await outgoing.close();
    assert.equal(trap.connections, 0);
  });

  test('an unknown host is no refusal: it may exist tomorrow', async () => {
    const outgoing = guarded();
    await outgoing.check('https://nowhere.test/');
    await fails(outgoing.fetch('https://nowhere.test/'), 'network');
    await outgoing.close();
  });

  test('an allowed place is reached by host, host and port, address or range; no other', async () => {
    const { port } = trap;
    const ways = [
      'loop.test',
      `loop.test:${port}`,
      '127.0.0.1',
      '127.0.0.0/8',
      `127.0.0.1:${port}`,
    ];
    for (const way of ways) {
      const outgoing = guarded([way]);
      const response = await outgoing.fetch(`http://loop.test:${port}/`);
      assert.equal(await response.text(), 'trapped', way);
      await fails(outgoing.fetch('http://private.test/'), 'refused');
      await outgoing.close();
    }
    for (const way of ['loop.test:1', 'other.test', '127.0.0.1:1', '10.0.0.0/8', '::1']) {
      const outgoing = guarded([way]);
      await fails(outgoing.fetch(`http://loop.test:${port}/`), 'refused');
      await outgoing.close();
    }
    const six = guarded([`[::1]:${trap6.port}`]);
    assert.equal((await six.fetch(`http://[::1]:${trap6.port}/`)).status, 200);
    assert.equal((await six.fetch(`http://six.test:${trap6.port}/`)).status, 200);
    await six.close();
    for (const nonsense of ['', 'http://a', 'a b', '10.0.0.0/99', 'a:99999', '[a]:1', '*.test']) {
      assert.throws(() => guarded([nonsense]), /is not a host or network/, nonsense);
    }
  });
});

describe('an outgoing request', () => {
  let trap: Trap;
  const outgoing = createOutgoing({ allow: ['127.0.0.1'] });
  const at = (path: string): string => `http://127.0.0.1:${trap.port}${path}`;
  const seen: { method: string; headers: Record<string, unknown>; body: string }[] = [];

  const echo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method!, headers: request.headers, body });
    response.writeHead(201, { 'content-type': 'application/json', 'x-twice': ['a', 'b'] });
    response.end(JSON.stringify({ body }));
  };

  const paths: Record<string, RequestListener> = {
    '/echo': (request, response) => void echo(request, response),
    '/long': (_request, response) => void response.end('x'.repeat(101)),
    '/silent': () => undefined,
    '/stalls': (_request, response) => void response.write('first'),
    '/packed': (_request, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end('xx'),
    '/breaks': (_request, response) => void response.destroy(),
  };

  before(async () => {
    trap = await openTrap('127.0.0.1', (request, response) => {
      const code = Number(/^\/redirect\/(\d+)/.exec(request.url!)?.[1]);
      if (code > 0) response.writeHead(code, { location: at('/echo') }).end();
      else paths[request.url!.split('?')[0]!]!(request, response);
    });
  });
  after(async () => {
    await outgoing.close();
    await closeTrap(trap);
  });

  test('carries method, headers and body, and none of the headers of a connection', async () => {
    const headers = { 'X-One': '1', Host: 'evil.test', 'Transfer-Encoding': 'chunked', TE: 'x' };
    const response = await outgoing.fetch(at('/echo?q=1#part'), {
      method: 'post',
      headers,
      body: 'hello',
    });
    assert.deepEqual([response.status, response.ok], [201, true]);
    assert.equal(response.headers.get('X-Twice'), 'a, b');
    assert.deepEqual(await response.json(), { body: 'hello' });
    const [request] = seen;
    assert.equal(request!.method, 'POST');
    assert.equal(request!.headers['x-one'], '1');
    assert.equal(request!.headers['host'], `127.0.0.1:${trap.port}`);
    assert.equal(request!.headers['accept-encoding'], 'identity');
    assert.equal(request!.headers['te'], undefined);
    assert.equal(request!.headers['content-length'], '5');
  });

  for (const status of [301, 302, 303, 307, 308]) {
    test(`[S6] follows no ${status}: it is the answer`, async () => {
      const count = seen.length;
      const response = await outgoing.fetch(at(`/redirect/${status}`), {
        method: 'POST',
        body: 'x',
      });
      assert.deepEqual([response.status, response.ok], [status, false]);
      response.discard();
      assert.equal(seen.length, count);
    });
  }

  test('reads at most as many bytes as it may', async () => {
    const whole = await outgoing.fetch(at('/long'), { responseBytesMax: 101 });
    assert.equal((await whole.bytes()).byteLength, 101);
    const cut = await outgoing.fetch(at('/long'), { responseBytesMax: 100 });
    await fails(cut.text(), 'too_large');
  });

  test('ends at its deadline, before the answer and amid it', async () => {
    await fails(outgoing.fetch(at('/silent'), { timeoutMs: 50 }), 'timeout');
    const response = await outgoing.fetch(at('/stalls'), { timeoutMs: 1_000 });
    await fails(response.text(), 'timeout');
  });

  test('hands out chunks as they arrive, and ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const response = await outgoing.fetch(at('/stalls'), { signal: stop.signal });
    const chunks = response.body[Symbol.asyncIterator]();
    assert.equal(String(Buffer.from((await chunks.next()).value as Uint8Array)), 'first');
    stop.abort(new Error('enough'));
    await assert.rejects(async () => chunks.next(), /^Error: enough$/);
    await assert.rejects(outgoing.fetch(at('/echo'), { signal: stop.signal }), /enough/);
  });

  test('says what went wrong in one of four codes', async () => {
    await fails(outgoing.fetch(at('/breaks')), 'network');
    await fails((await outgoing.fetch(at('/packed'))).text(), 'network');
    await fails((await outgoing.fetch(at('/long'))).json(), 'network');
  });

  test('uses no proxy of the environment', async () => {
    const old = process.env['http_proxy'];
    process.env['http_proxy'] = 'http://127.0.0.1:1';
    try {
      const own = createOutgoing({ allow: ['127.0.0.1'] });
      assert.equal((await own.fetch(at('/long'))).status, 200);
      await own.close();
    } finally {
      if (old === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = old;
    }
  });
});
