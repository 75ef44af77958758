import { shownActor } from '../core/actor.ts';
import { briefEvent } from '../core/brief-error.ts';
import type { JobEvent } from '../core/event.ts';
import { eventIdOf } from '../core/ids.ts';
import { traceIdIn } from '../core/trace.ts';
import type { JobEventJson } from './job.ts';

/** An instant as the API writes it. */
export function timeText(instant: number): string {
  return new Date(instant).toISOString();
}

export function timeOrNull(instant: number | null): string | null {
  return instant === null ? null : timeText(instant);
}

/** What an event shares with its job and does not store itself. */
export interface EventTracing {
  readonly correlationId: string | null;
  readonly traceId: string | null;
}

export function eventJson(event: JobEvent, tracing: EventTracing): JobEventJson {
  return {
    id: eventIdOf(event.jobId, event.version, event.note),
    jobId: event.jobId,
    type: event.type,
    timestamp: timeText(event.at),
    version: event.version,
    from: event.from,
    to: event.to,
    stage: event.stage,
    progress: event.progress,
    message: event.message,
    attempt: event.attempt,
    epoch: event.epoch,
    actor: shownActor(event.actor),
    cause: event.cause,
    correlationId: tracing.correlationId ?? event.jobId,
    traceId: traceIdIn(tracing.traceId),
    metadata: metadataOf(event),
  };
}

/** By what the text of a gap was found is nobody's business. */
function metadataOf({ payload }: JobEvent): Readonly<Record<string, unknown>> {
  if (payload?.['gap'] !== true) return payload ?? {};
  const { ref: _, ...rest } = payload;
  return rest;
}

/** An event for streams and lists, with its error abbreviated. */
export function briefEventJson(event: JobEvent, tracing: EventTracing): JobEventJson {
  return eventJson(briefEvent(event), tracing);
}
