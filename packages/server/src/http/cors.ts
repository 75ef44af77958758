import type { FastifyInstance } from 'fastify';

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const SENT =
  'authorization, content-type, idempotency-key, if-none-match, last-event-id, pawl-position, ' +
  'prefer, range, traceparent, x-request-id';
const READ =
  'allow, api-version, content-disposition, etag, link, location, pawl-position, pawl-stale-ms, ' +
  'ratelimit, ratelimit-policy, retry-after, x-request-id';
const PREFLIGHT_SECONDS = '600';

/**
 * Lets pages of these origins use the API, with a credential that they send themselves. Nothing is
 * allowed that a browser would add, so cookies are never spoken of.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  const allowed = new Set(origins);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('vary', 'origin');
    const { origin, 'access-control-request-method': asked } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return;
    void reply.header('access-control-allow-origin', origin);
    void reply.header('access-control-expose-headers', READ);
    if (request.method !== 'OPTIONS' || asked === undefined) return;
    void reply.header('access-control-allow-methods', METHODS);
    void reply.header('access-control-allow-headers', SENT);
    void reply.header('access-control-max-age', PREFLIGHT_SECONDS);
    return reply.code(204).send();
  });
}
