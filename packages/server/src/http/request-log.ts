import type { FastifyInstance, FastifyRequest } from 'fastify';
import { keptTrace, traceIdIn } from 'pawl/internal/core/trace';

/** Where lines about requests go. */
export interface RequestLog {
  debug(message: string, facts: Readonly<Record<string, unknown>>): void;
  info(message: string, facts: Readonly<Record<string, unknown>>): void;
}

/**
 * A line for each answer: those that were refused at `info`, the others at `debug`. The route
 * stands for the address, whose query may hold secrets; bodies are never looked at.
 */
export function logRequests(app: FastifyInstance, log: Partial<RequestLog>): void {
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode: status } = reply;
    const facts = {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...subjectOf(request),
    };
    if (status >= 400) log.info?.('a request was refused', facts);
    else log.debug?.('a request was answered', facts);
  });
}

function subjectOf(request: FastifyRequest): Readonly<Record<string, string>> {
  const { id } = (request.params ?? {}) as { id?: string };
  const isJob = request.routeOptions.url?.startsWith('/v1/jobs/:id') ?? false;
  const trace = traceIdIn(keptTrace(String(request.headers['traceparent'] ?? '')));
  return {
    ...(isJob && id !== undefined ? { jobId: id } : {}),
    ...(trace === null ? {} : { traceId: trace }),
  };
}
