import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { OutgoingError } from 'pawl/internal/outgoing/outgoing-error';
import { createOutgoing } from './outgoing.ts';

async function failureOf(
  t: TestContext,
  protocol: 'http' | 'https',
  onConnection: ((socket: Socket) => void) | null,
): Promise<OutgoingError> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onConnection?.(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (onConnection === null) server.close();
  const outgoing = createOutgoing({ allow: ['127.0.0.1'], timeoutMs: 2_000 });
  t.after(async () => {
    server.close();
    await outgoing.close();
  });
  const request = { method: 'POST', body: 'once only' };
  try {
    await outgoing.fetch(`${protocol}://127.0.0.1:${port}/`, request);
  } catch (error) {
    if (error instanceof OutgoingError) return error;
    throw error;
  }
  throw new Error('it was answered');
}

test('[O3] a request to nobody, and one whose handshake is reset, has surely not left', async (t) => {
  const refused = await failureOf(t, 'http', null);
  assert.deepEqual([refused.code, refused.isUnsent], ['network', true]);
  const reset = await failureOf(t, 'https', (socket) =>
    socket.once('data', () => socket.resetAndDestroy()),
  );
  assert.deepEqual([reset.code, reset.isUnsent], ['network', true]);
});

test('[O3] a request that was read may have arrived, though the connection is reset', async (t) => {
  const error = await failureOf(t, 'http', (socket) =>
    socket.once('data', () => socket.resetAndDestroy()),
  );
  assert.deepEqual([error.code, error.isUnsent], ['network', false]);
});
