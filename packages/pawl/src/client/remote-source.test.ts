import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Call, Connection, type Reply } from './connection.ts';
import { RemoteSource } from './remote-source.ts';

const ID = '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e';
const HELD = { ref: { tenant: 'default', id: ID }, owner: 'w1', epoch: 1 };
const RENEWED = {
  lease: { expiresAt: '2026-11-15T08:00:30.000Z', expiresInMs: 30_000 },
  cancel: null,
  progress: 0,
};

test('a heartbeat without an answer is given up in time for another before the lease ends', async () => {
  const asked: Call[] = [];
  const call = (one: Call): Promise<Reply> => {
    asked.push(one);
    return Promise.resolve({ status: 200, headers: new Headers(), body: RENEWED });
  };
  const source = new RemoteSource({ connection: { call } as unknown as Connection });
  await source.renew([HELD, { ...HELD, checkpoint: JSON.stringify('x'.repeat(100_000)) }]);
  await source.settle([{ ...HELD, ending: { kind: 'release' } }]);
  const [bare, large, end] = asked.map(({ timeoutMs = 0 }) => timeoutMs);
  // Two missed heartbeats of 10 s end the shortest lease.
  assert.ok(bare! <= 6_000, `${bare} ms`);
  assert.ok(large! >= 15_000, `${large} ms for 100 kB`);
  assert.equal(end, 30_000);
});

test('a request of its own timeout is sent again when that is over', async () => {
  let count = 0;
  const hang = (signal: AbortSignal): Promise<Response> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  const connection = new Connection({
    url: 'http://127.0.0.1:1',
    random: { next: () => 0 },
    fetch: (_url, init) => (++count === 1 ? hang(init!.signal!) : Promise.resolve(new Response())),
  });
  await connection.call({ method: 'POST', path: '/', timeoutMs: 5 });
  assert.equal(count, 2);
});
