// Bytes between a worker over HTTP and its server, counted on the way.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Connection } from 'pawl/internal/client/connection';
import { RemoteSource } from 'pawl/internal/client/remote-source';
import type { Claim } from 'pawl/internal/engine/claim';
import { heldBy } from 'pawl/internal/worker/attempt-facts';
import { expectAll, INPUT, SUCCESS } from '../core/contender.ts';
import { DEFINITION, TYPE } from '../http/endpoint.ts';
import { openGround } from '../http/ground.ts';
import { startServer } from '../http/server.ts';

export interface HttpWire {
  readonly verb: string;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

const OWNER = 'worker:far';

/** Passes on what it gets, and counts it; headers are part of it. */
async function openCounter(url: string) {
  const { hostname, port } = new URL(url);
  const bytes = { sent: 0, received: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('data', (chunk) => (bytes.sent += chunk.length));
    upstream.on('data', (chunk) => (bytes.received += chunk.length));
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes,
    close(): void {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

type Counter = Awaited<ReturnType<typeof openCounter>>;

async function lives(counter: Counter, token: string, jobs: number): Promise<HttpWire[]> {
  const connection = new Connection({ url: counter.url, token });
  const source = new RemoteSource({ connection });
  const wires: HttpWire[] = [];
  const measured = async (verb: string, work: () => Promise<unknown>): Promise<void> => {
    const { sent, received } = counter.bytes;
    await work();
    const sentBytes = (counter.bytes.sent - sent) / jobs;
    wires.push({ verb, sentBytes, receivedBytes: (counter.bytes.received - received) / jobs });
  };
  await connection.call({ method: 'PUT', path: `/v1/types/${TYPE}`, body: DEFINITION });
  const claims: Claim[] = [];
  const order = { owner: OWNER, types: [TYPE], max: 1, tenants: null, queues: null };
  await measured('enqueue', async () => {
    const body = { type: TYPE, input: INPUT };
    for (let n = 0; n < jobs; n++) {
      await connection.call({ method: 'POST', path: '/v1/jobs', body });
    }
  });
  await measured('claim', async () => {
    while (claims.length < jobs) claims.push(...(await source.claim(order)));
  });
  await measured('renewal', async () => {
    for (const claim of claims) await source.renew([heldBy(claim, claim.job)]);
  });
  await measured('complete', async () => {
    for (const claim of claims) {
      const [outcome] = await source.settle([{ ...heldBy(claim, claim.job), ending: SUCCESS }]);
      expectAll(outcome!.kind === 'moved' ? 1 : 0, 1, 'completed');
    }
  });
  return wires;
}

/** One job a call, on connections that stay open. */
export async function measureHttpWire(jobs: number): Promise<HttpWire[]> {
  const ground = await openGround('sqlite');
  const server = await startServer(await ground.plot());
  const counter = await openCounter(server.url);
  try {
    return await lives(counter, server.key, jobs);
  } finally {
    counter.close();
    await server.stop();
    await ground.close();
  }
}
