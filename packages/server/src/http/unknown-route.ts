import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import type { RouteDoc } from './openapi.ts';
import type { problemSender } from './problem.ts';

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+')}$`);
}

/** Tells which methods an address does take; none where there is no such address. */
function methodsAt(found: readonly RouteDoc[]): (path: string) => string[] {
  let known: { method: string; pattern: RegExp }[] | null = null;
  return (path) => {
    known ??= found.map(({ method, url }) => ({ method, pattern: patternOf(url) }));
    const own = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (own.length === 0) return [];
    return [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  };
}

/** Errors as problems; an address that no route has, or not with this method, is one of them. */
export function answerProblems(
  app: FastifyInstance,
  found: readonly RouteDoc[],
  send: ReturnType<typeof problemSender>,
): void {
  const methodsOf = methodsAt(found);
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
    request.is404 ? answerUnknown(request, reply) : undefined,
  );
}
