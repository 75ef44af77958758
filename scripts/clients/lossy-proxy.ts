// Stands between a client and the server, and loses an answer or turns a request away when told to.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of the next request whose method and path match. */
interface Fault {
  readonly kind: 'lose the answer' | 'turn away';
  readonly method: string;
  readonly path: string;
}

export interface LossyProxy {
  readonly url: string;
  fault(fault: Fault): void;
  stop(): Promise<void>;
}

const BUSY = {
  type: 'urn:pawl:error:SERVER_BUSY',
  title: 'Server busy',
  status: 503,
  detail: 'the server was told to turn this request away',
  code: 'SERVER_BUSY',
  hint: 'Nothing was done: wait for the time given in Retry-After, then send again.',
};

function forward(
  target: string,
  { method, headers, url = '/' }: IncomingMessage,
  body: Buffer,
): Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const options = {
      method: method ?? 'GET',
      headers: { ...headers, host: new URL(target).host },
    };
    const sent = request(new URL(url, target), options, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 502,
          headers: answer.headers,
          body: Buffer.concat(parts),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

export async function startLossyProxy(target: string): Promise<LossyProxy> {
  const faults: Fault[] = [];
  const serve = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const body = await bodyOf(message);
    const index = faults.findIndex(
      ({ method, path }) => method === message.method && message.url === path,
    );
    const [fault] = index === -1 ? [] : faults.splice(index, 1);
    if (fault?.kind === 'turn away') {
      const headers = { 'content-type': 'application/problem+json', 'retry-after': '1' };
      reply.writeHead(503, headers).end(JSON.stringify(BUSY));
      return;
    }
    const answer = await forward(target, message, body);
    if (fault?.kind === 'lose the answer') message.socket.destroy();
    else reply.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const server = createServer((message, reply) => {
    serve(message, reply).catch(() => message.socket.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: (fault) => void faults.push(fault),
    stop: () => {
      server.closeAllConnections();
      return new Promise((stopped) => server.close(() => stopped()));
    },
  };
}
