import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import type { RouteDoc } from './openapi.ts';
import type { problemSender } from './problem.ts';

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+')}$`);
}

/**
 * Tells which methods an address does take; none where there is no such address. One that a route
 * has word for word is that route's alone: `/v1/jobs/batch` is no job.
 */
function methodsAt(found: readonly RouteDoc[]): (path: string) => string[] {
  let known: { method: string; url: string; pattern: RegExp }[] | null = null;
  return (path) => {
    known ??= found.map(({ method, url }) => ({ method, url, pattern: patternOf(url) }));
    const fitting = known.filter(({ pattern }) => pattern.test(path));
    const exact = fitting.filter(({ url }) => url === path);
    const own = (exact.length === 0 ? fitting : exact).map(({ method }) => method);
    if (own.length === 0) return [];
    return [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  };
}

/** True where a route with a name in its path was found for an address that another one is. */
function isAnothers(found: readonly RouteDoc[]): (request: FastifyRequest) => boolean {
  let urls: ReadonlySet<string> | null = null;
  return ({ url, routeOptions }) => {
    if (routeOptions.url?.includes(':') !== true) return false;
    urls ??= new Set(found.map((route) => route.url));
    return urls.has(url.split('?')[0]!);
  };
}

/** Errors as problems; an address that no route has, or not with this method, is one of them. */
export function answerProblems(
  app: FastifyInstance,
  found: readonly RouteDoc[],
  send: ReturnType<typeof problemSender>,
): void {
  const methodsOf = methodsAt(found);
  const isMissed = isAnothers(found);
  const answerUnknown = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const [path = ''] = request.url.split('?');
    const methods = methodsOf(path);
    if (methods.length === 0) {
      const message = `there is no ${request.method} ${path}`;
      return send(new PawlError('NOT_FOUND', message), request, reply);
    }
    void reply.header('allow', methods.join(', '));
    if (request.method === 'OPTIONS') return reply.code(204).send();
    const message = `${path} takes ${methods.join(', ')}`;
    return send(new PawlError('METHOD_NOT_ALLOWED', message), request, reply);
  };
  app.setErrorHandler(send);
  app.setNotFoundHandler(answerUnknown);
  // Before anything is asked of a body: a method that is not taken has none.
  app.addHook('onRequest', async (request, reply) =>
    request.is404 || isMissed(request) ? answerUnknown(request, reply) : undefined,
  );
}
