import { briefEvent } from '../core/brief-error.ts';
import { errorCodeOf } from '../core/error-class.ts';
import { eventIdOf } from '../core/ids.ts';
import { traceIdIn } from '../core/trace.ts';
import type { JobEvent } from '../core/event.ts';
import type { Job, JobError } from '../core/job.ts';
import { errorTypeOf } from '../lifecycles/record.ts';
import type { DeadLetter } from '../records/dead-letters.ts';
import type { DeadLetterJson } from './schema/dead-letter.ts';
import type { JobEventJson, JobJson } from './schema/job.ts';

export function timeText(instant: number): string {
  return new Date(instant).toISOString();
}

function timeOrNull(instant: number | null): string | null {
  return instant === null ? null : timeText(instant);
}

export function jobUrl(id: string): string {
  return `/v1/jobs/${id}`;
}

function linksOf(job: Job): Record<string, string> {
  const self = jobUrl(job.id);
  return {
    self,
    events: `${self}/events`,
    input: `${self}/input`,
    result: `${self}/result`,
    type: `/v1/types/${encodeURIComponent(job.type)}`,
    lifecycle: `/v1/lifecycles/${job.lifecycle}`,
    ...(job.parentJobId === null ? {} : { parent: jobUrl(job.parentJobId) }),
  };
}

export function errorJson(type: string, error: JobError): NonNullable<JobJson['error']> {
  const { class: errorClass, message, retryable, stage, hint, details, stack, causes } = error;
  return {
    code: errorCodeOf(type, error),
    class: errorClass,
    message,
    retryable,
    stage,
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
    ...(stack === undefined ? {} : { stack }),
    ...(causes === undefined ? {} : { causes: causes.map((cause) => ({ ...cause })) }),
  };
}

/**
 * Changes with everything that a job shows: its version counts transitions, and between two of
 * them its time of change, its lease and its progress tell renewals apart.
 */
export function jobTag(job: Job): string {
  const parts = [job.version, job.epoch, job.updatedAt, job.leaseExpiry ?? 0, job.progress];
  return `W/"${parts.map((part) => part.toString(36)).join('-')}"`;
}

export function jobJson(job: Job): JobJson {
  const { owner, leaseExpiry, error } = job;
  return {
    id: job.id,
    type: job.type,
    lifecycle: job.lifecycle,
    state: job.state,
    phase: job.phase,
    queue: job.queue,
    priority: job.priority,
    runAt: timeText(job.runAt),
    deadlineAt: timeOrNull(job.deadlineAt),
    epoch: job.epoch,
    version: job.version,
    stage: job.stage,
    progress: job.progress,
    message: job.message,
    attempts: job.attempts,
    maxAttempts: job.maxAttempts,
    retryCount: job.retryCount,
    maxRetries: job.maxAttempts - 1,
    createdAt: timeText(job.createdAt),
    updatedAt: timeText(job.updatedAt),
    startedAt: timeOrNull(job.startedAt),
    completedAt: timeOrNull(job.completedAt),
    error: error === null ? null : errorJson(job.type, error),
    errorType: errorTypeOf(job),
    resultRef: job.phase === 'succeeded' ? `${jobUrl(job.id)}/result` : null,
    metadata: job.metadata === null ? {} : (JSON.parse(job.metadata) as unknown),
    correlationId: job.correlationId ?? job.id,
    traceId: traceIdIn(job.traceId),
    requestedBy: job.requestedBy,
    limitKey: job.limitKey,
    parentJobId: job.parentJobId,
    parentKind: job.parentKind,
    documentId: job.documentId,
    ...(job.awaitedBy === null ? {} : { awaitedBy: { ...job.awaitedBy } }),
    lease:
      owner === null || leaseExpiry === null ? null : { owner, expiresAt: timeText(leaseExpiry) },
    links: linksOf(job),
  };
}

/** The same with what it was given, what it gave and what it goes on from. */
export function wholeJobJson(job: Job): JobJson {
  const { input, result, checkpoint, cancel } = job;
  return {
    ...jobJson(job),
    input: JSON.parse(input) as unknown,
    ...(result === null ? {} : { result: JSON.parse(result) as unknown }),
    checkpoint: checkpoint === null ? null : (JSON.parse(checkpoint) as unknown),
    cancel: cancel === null ? null : { ...cancel },
  };
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
    actor: event.actor,
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

/** For streams and lists of many jobs, where an error is told in brief. */
export function briefEventJson(event: JobEvent, tracing: EventTracing): JobEventJson {
  return eventJson(briefEvent(event), tracing);
}

export function deadLetterJson(letter: DeadLetter): DeadLetterJson {
  return {
    id: letter.id,
    jobId: letter.jobId,
    type: letter.type,
    reasonCode: letter.reasonCode,
    failureStage: letter.failureStage,
    lastError: errorJson(letter.type, letter.lastError),
    attempts: letter.attempts,
    lastOwner: letter.lastOwner,
    lastLeaseExpiresAt: timeOrNull(letter.lastLeaseExpiresAt),
    correlationId: letter.correlationId ?? letter.jobId,
    input: JSON.parse(letter.input) as unknown,
    fingerprint: letter.fingerprint,
    createdAt: timeText(letter.createdAt),
    replayedAs: letter.replayedAs,
  };
}
