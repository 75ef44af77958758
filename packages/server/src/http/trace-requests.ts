import {
  context,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { keptTrace } from 'pawl/internal/core/trace';
import { contextIn, tracer } from 'pawl/internal/tracing/span-context';

/** What is asked for all the time and tells nothing. */
const UNTRACED: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

interface Traced {
  readonly span: Span;
  readonly context: Context;
}

/** A span for each request, in the caller's trace if it brings one, around all that it leads to. */
export function traceRequests(app: FastifyInstance): void {
  const traced = new WeakMap<FastifyRequest, Traced>();
  app.addHook('onRequest', async (request) => {
    const { url = '' } = request.routeOptions;
    if (UNTRACED.has(url) || request.routeOptions.config.isLong) return;
    const parent = contextIn(keptTrace(String(request.headers['traceparent'] ?? '')));
    const span = startSpan(request, parent);
    if (span.isRecording()) traced.set(request, { span, context: trace.setSpan(parent, span) });
  });
  // Reading a body loses the context, so it is entered once more right before the route.
  app.addHook('preHandler', (request, _reply, done) => {
    const found = traced.get(request);
    if (found === undefined) done();
    else context.with(found.context, done);
  });
  app.addHook('onResponse', async (request, reply) => {
    const found = traced.get(request);
    if (found === undefined) return;
    const { span } = found;
    span.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
}

function startSpan(request: FastifyRequest, parent: Context): Span {
  const route = request.routeOptions.url ?? 'unknown';
  const attributes = {
    'http.request.method': request.method,
    'http.route': route,
    'pawl.request.id': request.id,
  };
  const options = { kind: SpanKind.SERVER, attributes };
  return tracer().startSpan(`${request.method} ${route}`, options, parent);
}
