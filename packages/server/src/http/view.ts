import { versionTag } from 'pawl/internal/engine/operate';
import { workerIn } from 'pawl/internal/core/actor';
import { errorCodeOf } from 'pawl/internal/core/error-class';
import { traceIdIn } from 'pawl/internal/core/trace';
import type { Job, JobError } from 'pawl/internal/core/job';
import { labelsIn } from 'pawl/internal/core/job-labels';
import { errorTypeOf } from 'pawl/internal/lifecycles/record';
import type { DeadLetter } from 'pawl/internal/records/dead-letters';
import type { DeadLetterJson } from 'pawl/internal/contract/dead-letter';
import { timeOrNull, timeText } from 'pawl/internal/contract/event-view';
import type { JobJson } from 'pawl/internal/contract/job';

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
  const shown = parts.map((part) => part.toString(36)).join('-');
  return `W/"${versionTag(job)}.${shown}"`;
}

export function jobJson(job: Job): JobJson {
  const { owner, leaseExpiry, error } = job;
  const { awaitedBy, ...labels } = labelsIn(job);
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
    revision: job.revision,
    isPinned: job.isPinned,
    createdAt: timeText(job.createdAt),
    updatedAt: timeText(job.updatedAt),
    startedAt: timeOrNull(job.startedAt),
    completedAt: timeOrNull(job.completedAt),
    error: error === null ? null : errorJson(job.type, error),
    errorType: errorTypeOf(job),
    resultRef: job.phase === 'succeeded' ? `${jobUrl(job.id)}/result` : null,
    metadata: job.metadata === null ? {} : (JSON.parse(job.metadata) as unknown),
    ...labels,
    correlationId: job.correlationId ?? job.id,
    traceId: traceIdIn(job.traceId),
    ...(awaitedBy === null ? {} : { awaitedBy: { ...awaitedBy } }),
    lease:
      owner === null || leaseExpiry === null
        ? null
        : { owner: workerIn(owner), expiresAt: timeText(leaseExpiry) },
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

export function deadLetterJson(letter: DeadLetter): DeadLetterJson {
  return {
    id: letter.id,
    jobId: letter.jobId,
    type: letter.type,
    reasonCode: letter.reasonCode,
    failureStage: letter.failureStage,
    lastError: errorJson(letter.type, letter.lastError),
    attempts: letter.attempts,
    lastOwner: letter.lastOwner === null ? null : workerIn(letter.lastOwner),
    lastLeaseExpiresAt: timeOrNull(letter.lastLeaseExpiresAt),
    correlationId: letter.correlationId ?? letter.jobId,
    input: JSON.parse(letter.input) as unknown,
    fingerprint: letter.fingerprint,
    createdAt: timeText(letter.createdAt),
    replayedAs: letter.replayedAs,
  };
}
