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
    if (isLast) sayClosed(reply.raw);
    reply.raw.once('finish', () => {
      const timer = setTimeout(() => socket.destroy(), lingerMs);
      timer.unref();
      const stop = (): void => clearTimeout(timer);
      socket.once('close', stop);
      const done = (): void => {
        stop();
        // The connection goes on, and would gather one for each refusal.
        socket.off('close', stop);
        if (isLast) socket.end();
      };
      if (raw.complete) done();
      else raw.resume().once('end', done);
    });
  });
}

/**
 * Says that the connection closes, and leaves it to us when: Node closes one at once whose answer
 * says so. A caller that is not told uses it again, and is refused for that.
 */
function sayClosed(response: ServerResponse & { _last?: boolean }): void {
  response.setHeader('connection', 'close');
  // Node has no public way to send the header without closing.
  // oxlint-disable-next-line no-underscore-dangle
  response.once('prefinish', () => (response._last = false));
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

/** A method that nobody here knows, in a request that is one otherwise. */
const UNKNOWN_METHOD = /^([!#$%&'*+.^`|~\w-]+) \S+ HTTP\/1\.[01]\r?\n/;

interface ClientError extends NodeJS.ErrnoException {
  /** The bytes that came last, whatever the framework's types say. */
  readonly rawPacket?: unknown;
  /** Where in it the parser stopped. */
  readonly bytesParsed?: number;
}

/** The line at which the parser stopped, and what follows: others may have gone before it. */
function headIn({ rawPacket, bytesParsed = 0 }: ClientError): string {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  return text.slice(bytesParsed === 0 ? 0 : text.lastIndexOf('\n', bytesParsed - 1) + 1);
}

function clientErrorOf(error: ClientError): PawlError {
  const { code = '' } = error;
  const head = code === 'HPE_INVALID_METHOD' ? headIn(error) : '';
  const [, method] = UNKNOWN_METHOD.exec(head) ?? [];
  if (method === undefined) return PARSER_ERRORS[code] ?? MALFORMED;
  const message = `the method ${method.slice(0, 40)} is not known here`;
  return new PawlError('METHOD_NOT_IMPLEMENTED', message);
}

/** The latest exchange of a connection. */
const latest = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();

function refuseRaw(socket: Duplex, error: PawlError): void {
  if (socket.writable) socket.end(rawProblem(error));
  else socket.destroy();
}

/** Given to the framework, which listens for it itself. */
export function onClientError(error: ClientError, socket: Duplex): void {
  const { code = '' } = error;
  if (code === 'ECONNRESET' || socket.destroyed) return;
  const refuse = (): void => refuseRaw(socket, clientErrorOf(error));
  const { request, response } = latest.get(socket) ?? {};
  // What follows a whole request must not take the place of the answer to it.
  const isAnswered = request?.complete !== true || response?.writableFinished !== false;
  if (isAnswered) return refuse();
  // Nothing is said to what comes after a request that was to be the last.
  if (code !== 'HPE_CLOSED_CONNECTION') response.once('finish', refuse);
}

/** What Node would answer by itself, without a word about why. */
export function answerOddRequests(app: FastifyInstance): void {
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, { request, response });
  });
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const error = new PawlError('EXPECTATION_FAILED', 'only "Expect: 100-continue" is supported');
    const body = JSON.stringify(problemOf(error));
    response.writeHead(error.status, {
      'content-type': 'application/problem+json',
      'content-length': Buffer.byteLength(body),
      'x-content-type-options': 'nosniff',
      connection: 'close',
    });
    response.end(body);
  });
  app.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    refuseRaw(
      socket,
      new PawlError(
        'METHOD_NOT_IMPLEMENTED',
        'CONNECT is not supported: this server is not a proxy',
      ),
    );
  });
}
