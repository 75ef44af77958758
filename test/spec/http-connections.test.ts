// Connections as they are on the wire: silent ones, too many, and what is no request at all.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { ERRORS } from 'pawl/internal/core/errors';
import { openStation } from './http-station.ts';

async function socketTo(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

async function answerTo(url: string, bytes: string): Promise<string> {
  const socket = await socketTo(url);
  socket.write(Buffer.from(bytes, 'latin1'));
  return textOf(socket);
}

/** The problem in an answer, which must be one. */
function problemIn(answer: string): { status: number; code: string } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  assert.match(head, /^content-type: application\/problem\+json/im, answer.slice(0, 200));
  const problem = JSON.parse(body) as { status: number; code: string; hint: string };
  assert.ok(problem.code in ERRORS, problem.code);
  assert.equal(head.split(' ')[1], String(problem.status));
  return problem;
}

test('[S13] a connection on which nothing is said is closed, with the reason', async () => {
  const { url } = await openStation({ deadlines: { headMs: 50 } });
  const problem = problemIn(await textOf(await socketTo(url)));
  assert.deepEqual([problem.status, problem.code], [408, 'REQUEST_TIMEOUT']);
});

const station = await openStation();

const GET = 'GET /v1/jobs HTTP/1.1\r\nhost: localhost\r\n';
const POST = 'POST /v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';

const ODD: Readonly<Record<string, readonly [bytes: string, status: number]>> = {
  'no HTTP': ['hello\r\n\r\n', 400],
  'TLS on the plain port': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  'HTTP/0.9': ['GET /v1/jobs\r\n\r\n', 400],
  'another version': ['GET /v1/jobs HTTP/3.7\r\nhost: localhost\r\n\r\n', 400],
  'an unknown method': ['FETCH /v1/jobs HTTP/1.1\r\nhost: localhost\r\n\r\n', 501],
  'a method in small letters': ['get /v1/jobs HTTP/1.1\r\nhost: localhost\r\n\r\n', 501],
  'a space in the address': ['GET /v1/jo bs HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
  'a zero byte in a header': [`${GET}x: a\0b\r\n\r\n`, 400],
  'a header without a name': [`${GET}: a\r\n\r\n`, 400],
  'a header without a colon': [`${GET}nothing\r\n\r\n`, 400],
  'a folded header': [`${GET}x: a\r\n b\r\n\r\n`, 400],
  'a space before a colon': [`${GET}x : a\r\n\r\n`, 400],
  'two lengths': [`${POST}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 400],
  'a length that is none': [`${POST}content-length: two\r\n\r\n{}`, 400],
  'a negative length': [`${POST}content-length: -2\r\n\r\n{}`, 400],
  'a length beyond all numbers': [`${POST}content-length: 99999999999999999999999\r\n\r\n`, 400],
  'a length and chunks': [`${POST}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n`, 400],
  'chunks of no size': [`${POST}transfer-encoding: chunked\r\n\r\nzz\r\n`, 400],
  'headers without an end': [`${GET}x: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  'an address without an end': [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431],
  'no host': ['GET /v1/jobs HTTP/1.1\r\n\r\n', 400],
  'two hosts': [`${GET}host: other\r\n\r\n`, 400],
  'an expectation': [`${POST}expect: miracles\r\ncontent-length: 2\r\n\r\n{}`, 417],
  'a tunnel': ['CONNECT db:5432 HTTP/1.1\r\nhost: db:5432\r\n\r\n', 501],
};

for (const [what, [bytes, status]] of Object.entries(ODD)) {
  test(`[S23] ${what} is answered with a problem that says so`, async () => {
    assert.equal(problemIn(await answerTo(station.url, bytes)).status, status);
  });
}

test('[S23] what follows a whole request does not take the place of its answer', async () => {
  const good = `${GET}\r\n`;
  const [first, second] = (await answerTo(station.url, `${good}hello\r\n\r\n`)).split(
    /(?=HTTP\/1.1 )/,
  );
  assert.match(first!, /^HTTP\/1\.1 200 /);
  assert.match(second!, /^HTTP\/1\.1 400 /);
  const last = await answerTo(station.url, `${GET}connection: close\r\n\r\n${good}`);
  assert.match(last, /^HTTP\/1\.1 200 /);
  assert.equal(last.split('HTTP/1.1 ').length, 2);
});

test('[S23] methods that a route does not have are 405 with Allow, those that nobody knows 501', async () => {
  for (const method of ['QUERY', 'PROPFIND', 'TRACE']) {
    const ask = `${method} /v1/jobs HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;
    const answer = await answerTo(station.url, ask);
    assert.equal(problemIn(answer).code, 'METHOD_NOT_ALLOWED', method);
    assert.match(answer, /^allow: POST, GET, HEAD, OPTIONS\r$/im);
  }
  assert.equal(
    problemIn(await answerTo(station.url, ODD['a tunnel']![0])).code,
    'METHOD_NOT_IMPLEMENTED',
  );
});

test('[S23] a body of another type or encoding is 415, with what would be taken', async () => {
  const typed = await station.api.call('POST', '/v1/jobs', {
    body: 'type=export',
    headers: { 'content-type': 'text/plain' },
  });
  assert.deepEqual([typed.status, typed.headers['accept']], [415, 'application/json']);
  const body = '{"type":"export"}';
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const packed = await station.api.call('POST', '/v1/jobs', { body, headers });
  assert.deepEqual([packed.status, packed.headers['accept-encoding']], [415, 'identity']);
});

test('[S13] 413 reaches a caller that does not stop sending', async () => {
  const { url } = await openStation({ bodyBytesMax: 1_000 });
  for (const announced of ['content-length: 8000000', 'transfer-encoding: chunked']) {
    const socket = await socketTo(url);
    const isChunked = announced.startsWith('transfer');
    const piece = 'x'.repeat(65_536);
    socket.write(`${POST}${announced}\r\nconnection: close\r\n\r\n`);
    const answered = textOf(socket);
    for (let sent = 0; sent < 8_000_000; sent += piece.length) {
      const text = piece.slice(0, Math.min(piece.length, 8_000_000 - sent));
      const whole = isChunked ? `${text.length.toString(16)}\r\n${text}\r\n` : text;
      if (!socket.write(whole)) await once(socket, 'drain');
    }
    if (isChunked) socket.write('0\r\n\r\n');
    assert.equal(problemIn(await answered).code, 'PAYLOAD_TOO_LARGE', announced);
  }
});

test('a caller that wants its connection closed is told that it is, also before its body came', async () => {
  const socket = await socketTo(station.url);
  socket.write(
    'PATCH /v1/jobs HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 2\r\n\r\n',
  );
  const answered = textOf(socket);
  await once(socket, 'data');
  socket.write('{}');
  const answer = await answered;
  assert.equal(problemIn(answer).code, 'METHOD_NOT_ALLOWED');
  assert.match(answer, /^connection: close\r$/im);
});

test('[S13] a caller that goes on for ever after it was refused is cut off', async () => {
  const { url } = await openStation({ bodyBytesMax: 1_000, connections: { lingerMs: 20 } });
  const socket = await socketTo(url);
  socket.write(`${POST}content-length: 8000000\r\n\r\n${'x'.repeat(2_000)}`);
  assert.equal(problemIn(await textOf(socket)).code, 'PAYLOAD_TOO_LARGE');
});

test('[S14] one address has no more connections than it may, and is told how the server is', async () => {
  const { url } = await openStation({ connections: { perAddressMax: 3 } });
  const ask = 'GET /v1/lifecycles HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
  const idle = [await socketTo(url), await socketTo(url), await socketTo(url)];
  assert.equal(problemIn(await answerTo(url, ask)).code, 'SERVER_BUSY');
  const health = 'GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n';
  assert.match(await answerTo(url, health), /^HTTP\/1\.1 200 /);
  const [first] = idle;
  first!.write(ask);
  assert.match(await textOf(first!), /^HTTP\/1\.1 200 /);
  assert.match(await answerTo(url, ask), /^HTTP\/1\.1 200 /);
  for (const socket of idle) socket.destroy();
});
