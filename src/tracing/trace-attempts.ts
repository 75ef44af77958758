import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Claim } from '../engine/claim.ts';
import type { Ending } from '../core/ending.ts';
import type { AttemptWatch, WorkerWatch } from '../worker/watch.ts';
import { contextIn, isTraced, keptOf, linkTo, tracer } from './span-context.ts';

/** An attempt that failed leaves its span under this name, for the next one to point to. */
const LEGACY = 'trace:attempt';

function attributesOf({ job }: Claim): Attributes {
  return {
    'messaging.system': 'pawl',
    'messaging.destination.name': job.type,
    'messaging.message.id': job.id,
    'messaging.message.conversation_id': job.correlationId ?? job.id,
    'pawl.queue': job.queue,
    'pawl.attempt': job.attempts,
    'pawl.epoch': job.epoch,
  };
}

/** Spans of a worker: a claim, the attempts it led to, their stages, and how their end was told. */
export const traceAttempts: WorkerWatch = {
  claimed: (claims, tookMs) => {
    const span = tracer().startSpan('claim', {
      kind: SpanKind.CLIENT,
      root: true,
      startTime: Date.now() - tookMs,
      attributes: {
        'messaging.system': 'pawl',
        'messaging.operation.name': 'claim',
        'messaging.operation.type': 'receive',
        'messaging.batch.message_count': claims.length,
      },
    });
    if (span.isRecording()) {
      span.addLinks(claims.flatMap(({ job }) => linkTo(job.traceId, 'enqueue')));
    }
    span.end();
  },
  begin: (claim) => {
    if (!isTraced()) return null;
    const span = tracer().startSpan(
      `process ${claim.job.type}`,
      {
        kind: SpanKind.CONSUMER,
        attributes: {
          'messaging.operation.name': 'process',
          'messaging.operation.type': 'process',
          ...attributesOf(claim),
        },
        links: [...linkTo(claim.job.traceId, 'enqueue'), ...linkTo(formerAttempt(claim), 'retry')],
      },
      contextIn(claim.job.traceId),
    );
    return span.isRecording() ? new TracedAttempt(claim, span) : null;
  },
};

function formerAttempt({ stages }: Claim): string | null {
  const result = stages.find(({ name }) => name === LEGACY)?.result;
  return result === undefined ? null : (JSON.parse(result) as string);
}

class TracedAttempt implements AttemptWatch {
  readonly #claim: Claim;
  readonly #span: Span;
  readonly #context: Context;
  readonly #stages: Map<string, Span> = new Map();
  #settling: Span | null = null;

  constructor(claim: Claim, span: Span) {
    this.#claim = claim;
    this.#span = span;
    this.#context = trace.setSpan(context.active(), span);
  }

  get legacy(): { name: string; result: string } {
    return { name: LEGACY, result: JSON.stringify(keptOf(this.#span)) };
  }

  within<Answer>(stage: string | null, work: () => Answer): Answer {
    const span = (stage === null ? undefined : this.#stages.get(stage)) ?? this.#span;
    return context.with(trace.setSpan(this.#context, span), work);
  }

  entered(stage: string): void {
    const attributes = { ...attributesOf(this.#claim), 'pawl.stage': stage };
    this.#stages.set(stage, tracer().startSpan(`stage ${stage}`, { attributes }, this.#context));
  }

  left(stage: string): void {
    this.#stages.get(stage)?.end();
    this.#stages.delete(stage);
  }

  ended(ending: Ending | null): void {
    for (const span of this.#stages.values()) endBroken(span, ending);
    this.#stages.clear();
    mark(this.#span, ending);
    if (ending === null) return;
    const attributes = {
      ...attributesOf(this.#claim),
      'messaging.operation.name': ending.kind,
      'messaging.operation.type': 'settle',
    };
    const options = { kind: SpanKind.CLIENT, attributes };
    this.#settling = tracer().startSpan('settle', options, this.#context);
  }

  closed(): void {
    this.#settling?.end();
    this.#span.end();
  }
}

function endBroken(span: Span, ending: Ending | null): void {
  mark(span, ending);
  span.end();
}

function mark(span: Span, ending: Ending | null): void {
  if (ending === null) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'the lease was lost' });
    span.setAttribute('error.type', 'LEASE_LOST');
  } else if (ending.kind === 'fail') {
    // Only the class: what a message says may be secret.
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute('error.type', ending.error.class);
  }
}
