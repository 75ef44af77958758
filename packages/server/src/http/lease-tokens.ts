import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid } from 'pawl/internal/core/errors';

interface Shown {
  readonly workerId?: unknown;
  readonly epoch?: unknown;
  readonly token?: unknown;
}

const MESSAGE =
  'is missing: this server requires the `token` that the claim answered with (PAWL_LEASE_TOKENS)';

/** Whether a route is asked by owners, who say so in its body or its query. */
function isOwners(schema: unknown): boolean {
  const { properties = {} } = (schema ?? {}) as { properties?: object };
  return 'workerId' in properties && 'epoch' in properties && 'token' in properties;
}

/** Refuses owners that do not show the token of their claim. */
export function requireLeaseTokens(app: FastifyInstance): void {
  const refuse = (where: 'body' | 'query') => async (request: FastifyRequest) => {
    const { workerId, epoch, token } = (request[where] ?? {}) as Shown;
    const isOwner = workerId !== undefined && epoch !== undefined;
    if (isOwner && token === undefined) throw invalid([{ pointer: '/token', message: MESSAGE }]);
  };
  app.addHook('onRoute', (route) => {
    const { body, querystring } = route.schema ?? {};
    const checks = [
      ...(isOwners(body) ? [refuse('body')] : []),
      ...(isOwners(querystring) ? [refuse('query')] : []),
    ];
    if (checks.length > 0) route.preHandler = [...[route.preHandler ?? []].flat(), ...checks];
  });
}
