/** Where in a distributed trace something was asked for. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Two hexadecimal digits; the last bit says that the trace is recorded. */
  readonly flags: string;
}

const KEPT = /^([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2})(?:-.*)?$/;

/**
 * A job keeps its trace as one text: the trace alone, or with the span that made the job, so that
 * whoever works on it later can tie in there. This is the part that people and events are shown.
 */
export function traceIdIn(kept: string | null): string | null {
  if (kept === null) return null;
  return KEPT.exec(kept)?.[1] ?? kept;
}

/** The whole of it; null where only a trace, or no such thing, was kept. */
export function traceParentIn(kept: string | null): TraceParent | null {
  const [, traceId, spanId, flags] = KEPT.exec(kept ?? '') ?? [];
  if (traceId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId!)) return null;
  return { traceId, spanId: spanId!, flags: flags! };
}

/** A valid W3C `traceparent`, or null. */
export function keptTrace(traceparent: string): string | null {
  const [, kept = null] = TRACEPARENT.exec(traceparent) ?? [];
  return traceParentIn(kept) === null ? null : kept;
}
