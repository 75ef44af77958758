import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import { ALWAYS_ANSWERED } from './load-shedding.ts';
import { problemOf } from './problem.ts';

export interface ConnectionLimits {
  /** Connections that one address may have open at once; null for no limit. */
  readonly perAddressMax: number | null;
  /** For how long a caller that was refused may go on sending, so that it reads why. */
  readonly lingerMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { perAddressMax: 1_000, lingerMs: 10_000 };

/** So many more are taken of each address, on which nothing is answered but how the server is. */
const HEALTH_CONNECTIONS = 16;

/** One address must not have all connections, and whoever asks how the server is must be told. */
export function boundConnections(app: FastifyInstance, perAddressMax: number): void {
  const counts = new Map<string, number>();
  const surplus = new WeakSet<object>();
  app.server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (counts.get(address) ?? 0) + 1;
    if (count > perAddressMax + HEALTH_CONNECTIONS) {
      socket.destroy();
      return;
    }
    counts.set(address, count);
    if (count > perAddressMax) surplus.add(socket);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    });
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!surplus.has(request.raw.socket)) return;
    void reply.header('connection', 'close');
    if (ALWAYS_ANSWERED.has(request.routeOptions.url ?? '')) return;
    const message = `this address has ${perAddressMax} connections open, the most it may have`;
    throw new PawlError('SERVER_BUSY', `${message}: close some`);
  });
}

/**
 * An answer that comes before the whole body is lost if the connection is closed while its caller
 * still sends. So the rest is read and thrown away, for a while.
 */
export function lingerAfterRefusals(app: FastifyInstance, lingerMs: number): void {
  app.addHook('onSend', async (request, reply) => {
    const { raw } = request;
    const { socket } = raw;
    if (raw.complete || reply.statusCode < 400 || reply.statusCode === 408) return;
    // Requests of the same process have none.
    if (!(socket instanceof Socket)) return;
    reply.removeHeader('connection');
    // A caller that wants it closed gets it closed, once it has sent what it has to.
    const isLast = !reply.raw.shouldKeepAlive;
    reply.raw.shouldKeepAlive = true;
    reply.raw.once('finish', () => {
      const timer = setTimeout(() => socket.destroy(), lingerMs);
      timer.unref();
      const done = (): void => {
        clearTimeout(timer);
        if (isLast) socket.end();
      };
      if (raw.complete) done();
      else raw.resume().once('end', done);
      socket.once('close', () => clearTimeout(timer));
    });
  });
}

/** What the parser of requests can find wrong, by Node's names; anything else is just malformed. */
const PARSER_ERRORS: Readonly<Record<string, PawlError>> = {
  HPE_HEADER_OVERFLOW: new PawlError(
    'HEADERS_TOO_LARGE',
    'the address and headers of the request are larger than 16 KiB',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new PawlError(
    'REQUEST_TIMEOUT',
    'the request did not come within its time',
  ),
};

const MALFORMED = new PawlError(
  'VALIDATION_ERROR',
  'the request is not HTTP/1.1 as it is written down',
);

/** For what never becomes a request, and so passes no hook. */
function rawProblem(error: PawlError): string {
  const body = JSON.stringify(problemOf(error));
  const lines = [
    `HTTP/1.1 ${error.status} ${error.code.toLowerCase().replaceAll('_', ' ')}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

function refuseRaw(socket: Duplex, error: PawlError): void {
  if (socket.writable) socket.end(rawProblem(error));
  else socket.destroy();
}

/** Given to the framework, which listens for it itself. */
export function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { code = '' } = error;
  if (code === 'ECONNRESET' || socket.destroyed) return;
  refuseRaw(socket, PARSER_ERRORS[code] ?? MALFORMED);
}

/** What Node would answer by itself, without a word about why. */
export function answerOddRequests(app: FastifyInstance): void {
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const error = new PawlError('EXPECTATION_FAILED', 'only "Expect: 100-continue" can be met');
    const body = JSON.stringify(problemOf(error));
    response.writeHead(error.status, {
      'content-type': 'application/problem+json',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    });
    response.end(body);
  });
  app.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    refuseRaw(
      socket,
      new PawlError('NOT_CONFIGURED', 'this server is not a proxy: CONNECT is not supported'),
    );
  });
}
