import { workerIn } from '../core/actor.ts';
import { errorCodeOf } from '../core/error-class.ts';
import type { Job, JobError } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import { traceIdIn } from '../core/trace.ts';

/** RFC 3339 in UTC, or null where there is no such time yet. */
function time(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

/** RETRYABLE while a retry is still to come, TERMINAL once it is not; null without an error. */
export function errorTypeOf(job: Job): 'RETRYABLE' | 'TERMINAL' | null {
  if (job.error === null) return null;
  return isTerminal(job.phase) ? 'TERMINAL' : 'RETRYABLE';
}

/** The error with the code by which the API names it. */
function errorIn({ type, error }: Job): JobError | null {
  return error === null ? null : { ...error, code: errorCodeOf(type, error) };
}

function documentRecord(job: Job): Record<string, unknown> {
  return {
    jobId: job.id,
    state: job.state,
    createdAt: time(job.createdAt),
    startedAt: time(job.startedAt),
    completedAt: time(job.completedAt),
    retryCount: job.retryCount,
    maxRetries: job.maxAttempts - 1,
    lastError: job.error?.message ?? null,
    errorType: errorTypeOf(job),
  };
}

/** OGC statusInfo: the standard's schema knows no null, so what is not known is left out. */
function processRecord(job: Job): Record<string, unknown> {
  const record: Record<string, unknown> = {
    jobID: job.id,
    processID: job.type,
    type: 'process',
    status: job.state,
    message: job.message ?? job.error?.message ?? null,
    created: time(job.createdAt),
    started: time(job.startedAt),
    finished: time(job.completedAt),
    updated: time(job.updatedAt),
    progress: job.progress,
  };
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

function platformRecord(job: Job): Record<string, unknown> {
  return {
    id: job.id,
    state: job.state,
    retry_count: job.retryCount,
    lease_expiry: time(job.leaseExpiry),
    created_at: time(job.createdAt),
    updated_at: time(job.updatedAt),
  };
}

function taskRecord(job: Job): Record<string, unknown> {
  const record: Record<string, unknown> = {
    id: job.id,
    type: job.type,
    status: job.state,
    progress: job.progress,
    attempts: job.attempts,
    maxAttempts: job.maxAttempts,
    createdAt: time(job.createdAt),
    updatedAt: time(job.updatedAt),
    metadata: job.metadata === null ? {} : (JSON.parse(job.metadata) as unknown),
  };
  if (job.startedAt !== null) record['startedAt'] = time(job.startedAt);
  if (job.completedAt !== null) record['completedAt'] = time(job.completedAt);
  if (job.error !== null) record['error'] = errorIn(job);
  if (job.phase === 'succeeded') record['resultRef'] = `/v1/jobs/${job.id}/result`;
  return record;
}

function distributedRecord(job: Job): Record<string, unknown> {
  return {
    job_id: job.id,
    type: job.type,
    state: job.state,
    version: job.version,
    attempts: job.attempts,
    max_attempts: job.maxAttempts,
    lease:
      job.owner === null ? null : { owner: workerIn(job.owner), expires_at: time(job.leaseExpiry) },
    last_error: errorIn(job),
    correlation_id: job.correlationId ?? job.id,
    trace_id: traceIdIn(job.traceId),
    created_at: time(job.createdAt),
    updated_at: time(job.updatedAt),
  };
}

const RECORDS: Readonly<Record<string, (job: Job) => Record<string, unknown>>> = {
  document: documentRecord,
  process: processRecord,
  platform: platformRecord,
  task: taskRecord,
  distributed: distributedRecord,
};

/** The job in the very shape of its own document; null for a lifecycle that is not built in. */
export function recordOf(job: Job): Record<string, unknown> | null {
  return RECORDS[job.lifecycle]?.(job) ?? null;
}
