import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';

/** Of the paths under `/v1`; what is deprecated there says so by `deprecation` and `sunset`. */
const API_VERSION = '1';

const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The caller's own request id where it is a plain one, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Seconds to wait that a `Prefer: wait=10` asks for. */
export function preferredWaitMs(request: FastifyRequest): number | null {
  const prefer = String(request.headers['prefer'] ?? '');
  const [, seconds] = /(?:^|[,;\s])wait=(\d{1,3})(?:$|[,;\s])/.exec(prefer) ?? [];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

/**
 * Two names for the server are one too many: a proxy may have gone by the other one. Node keeps
 * the first and says nothing. HTTP/1.0 knows none.
 */
export function requireOneHost(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const names = request.raw.rawHeaders.filter((_, index) => index % 2 === 0);
    const count = names.filter((name) => name.toLowerCase() === 'host').length;
    const isOld = request.raw.httpVersion === '1.0';
    if (count === 1 || (count === 0 && isOld)) return;
    void reply.header('connection', 'close');
    const message = `the request has ${count === 0 ? 'no' : 'more than one'} Host header: send one`;
    throw new PawlError('VALIDATION_ERROR', message);
  });
}

/** Every answer names its request and is read as what it says it is. */
export function markAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
    void reply.header('api-version', API_VERSION);
    void reply.header('x-content-type-options', 'nosniff');
    void reply.header('cache-control', 'no-store');
  });
}
