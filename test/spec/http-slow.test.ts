// Callers that are slow: those that send a little at a time, and those that never end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { systemTimers } from 'pawl/internal/core/timers';
import { openStation } from './http-station.ts';

const never = new AbortController().signal;

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

test('[S13] a head that does not come to its end is cut off', async () => {
  const { url } = await openStation({ deadlines: { headMs: 50 } });
  const socket = await socketTo(url);
  socket.write('GET /v1/jobs HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
  assert.match(await textOf(socket), /^HTTP\/1\.1 408 /);
});

test('[S13] a body that does not come to its end is 408, and the connection closes', async () => {
  const { url } = await openStation({ deadlines: { bodyMs: 50 } });
  const socket = await socketTo(url);
  const head = 'POST /v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  socket.write(`${head}content-length: 100\r\n\r\n{"type":`);
  const text = await textOf(socket);
  assert.match(text, /^HTTP\/1\.1 408 /);
  assert.match(text, /"code":"REQUEST_TIMEOUT"/);
  assert.match(text, /connection: close/i);
});

/** Sends an upload in pieces; resolves with the status. */
async function uploadSlowly(
  url: string,
  pieces: { count: number; bytes: number; everyMs: number; isEnded?: boolean },
): Promise<number> {
  const { count, bytes, everyMs, isEnded = true } = pieces;
  const sent = request(`${url}/v1/artifacts?name=slow`, { method: 'POST' });
  const answered = once(sent, 'response') as Promise<[{ statusCode: number; resume(): void }]>;
  sent.on('error', () => undefined);
  for (let index = 0; index < count && !sent.destroyed; index++) {
    sent.write(Buffer.alloc(bytes, 120));
    await systemTimers.sleep(everyMs, never);
  }
  if (isEnded) sent.end();
  const [answer] = await answered;
  answer.resume();
  sent.destroy();
  return answer.statusCode;
}

test('an upload may take longer than a body, as long as its bytes flow', async () => {
  const deadlines = { bodyMs: 40, idleMs: 20_000, bytesPerSecondMin: 1 };
  const { url } = await openStation({ deadlines });
  assert.equal(await uploadSlowly(url, { count: 8, bytes: 1_000, everyMs: 10 }), 201);
});

test('an upload that stops, or only trickles, is 408 and leaves nothing', async () => {
  const stopping = await openStation({ deadlines: { idleMs: 30 } });
  const pieces = { count: 1, bytes: 10, everyMs: 1, isEnded: false };
  assert.equal(await uploadSlowly(stopping.url, pieces), 408);
  const deadlines = { bodyMs: 30, bytesPerSecondMin: 1_000_000 };
  const trickling = await openStation({ deadlines });
  const drops = { count: 20, bytes: 1, everyMs: 10, isEnded: false };
  assert.equal(await uploadSlowly(trickling.url, drops), 408);
});
