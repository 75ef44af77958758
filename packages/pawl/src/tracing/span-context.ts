import {
  type Context,
  isSpanContextValid,
  type Link,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { traceParentIn } from '../core/trace.ts';

/** Asked for anew each time: an SDK may be registered after this module is loaded. */
export function tracer(): Tracer {
  return trace.getTracer('pawl');
}

/** False while no SDK is registered: spans would be made for nobody. */
export function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  const isProxy = provider instanceof ProxyTracerProvider;
  return !isProxy || provider.getDelegateTracer('pawl') !== undefined;
}

/** Where a kept trace points to, in the words of OpenTelemetry. */
export function spanContextIn(kept: string | null): SpanContext | null {
  const parent = traceParentIn(kept);
  if (parent === null) return null;
  const { traceId, spanId, flags } = parent;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** A context whose next span continues the kept trace. */
export function contextIn(kept: string | null): Context {
  const parent = spanContextIn(kept);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** The span as a job keeps it; null of one that leads nowhere. */
export function keptOf(span: Span): string | null {
  const context = span.spanContext();
  if (!isSpanContextValid(context)) return null;
  const flags = context.traceFlags.toString(16).padStart(2, '0');
  return `${context.traceId}-${context.spanId}-${flags}`;
}

export function linkTo(kept: string | null, relation: string): Link[] {
  const context = spanContextIn(kept);
  return context === null ? [] : [{ context, attributes: { 'pawl.link': relation } }];
}
