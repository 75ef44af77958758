import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { EnqueueRequest } from '../engine/enqueue-request.ts';
import type { EnqueueResult } from '../engine/enqueue.ts';
import type { EnqueueTracer } from '../engine/tracer.ts';
import { contextIn, keptOf, tracer } from './span-context.ts';

/** A span for every job that is asked for, which the job keeps, for its workers to tie in. */
export const traceEnqueues: EnqueueTracer = async (requests, run) => {
  const spans = requests.map(startSpan);
  const traced = requests.map((request, index) => {
    const kept = keptOf(spans[index]!);
    return kept === null ? request : { ...request, traceId: kept };
  });
  try {
    const results = await run(traced);
    results.forEach((result, index) => endSpan(spans[index]!, result));
    return results;
  } catch (error) {
    for (const span of spans) fail(span, String(error), 'store');
    throw error;
  }
};

function startSpan(request: EnqueueRequest): Span {
  const active = trace.getActiveSpan();
  const parent = active === undefined ? contextIn(request.traceId ?? null) : context.active();
  const attributes = {
    'messaging.system': 'pawl',
    'messaging.operation.name': 'enqueue',
    'messaging.operation.type': 'send',
    'messaging.destination.name': request.type,
    'pawl.queue': request.queue ?? 'default',
  };
  const options = { kind: SpanKind.PRODUCER, attributes };
  return tracer().startSpan(`enqueue ${request.type}`, options, parent);
}

function endSpan(span: Span, result: EnqueueResult): void {
  if (result.kind === 'refused') {
    fail(span, result.error.message, result.error.code);
    return;
  }
  const { id, correlationId } = result.job;
  span.setAttribute('messaging.message.id', id);
  span.setAttribute('messaging.message.conversation_id', correlationId ?? id);
  span.setAttribute('pawl.enqueue.outcome', result.kind);
  span.end();
}

function fail(span: Span, message: string, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message });
  span.setAttribute('error.type', type);
  span.end();
}
