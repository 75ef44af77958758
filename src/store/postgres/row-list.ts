// Rows of jobs that came as lists: for many rows that is cheaper than objects of many names.
import type { Job } from '../../core/job.ts';
import { phaseOfRank } from '../../core/phase.ts';
import { cancelOf, errorOf, JOB_TRAVELS, type JobRow, type Names } from './row.ts';

/** What a function adds to the columns of a job comes after so many. */
export const JOB_WIDTH: number = JOB_TRAVELS.length;

/** What such a list holds as numbers and names are needed for. */
export function namesIn(row: readonly unknown[]): Pick<JobRow, 'tenant_id' | 'lifecycle'> {
  return { tenant_id: row[0] as number, lifecycle: row[4] as number };
}

/** A job of which each value is found by its place in JOB_TRAVELS. */
export function jobOfList(row: readonly unknown[], names: Names): Job {
  const lifecycle = names.lifecycle(row[4] as JobRow['lifecycle']);
  return {
    tenant: names.tenant(row[0] as JobRow['tenant_id']),
    id: row[1] as JobRow['id'],
    type: row[2] as JobRow['type'],
    queue: row[3] as JobRow['queue'],
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    policy: row[5] as JobRow['policy'],
    state: row[6] as JobRow['state'],
    phase: phaseOfRank(row[7] as JobRow['phase']),
    epoch: row[8] as JobRow['epoch'],
    version: row[9] as JobRow['version'],
    priority: row[10] as JobRow['priority'],
    runAt: row[11] as JobRow['run_at'],
    deadlineAt: row[12] as JobRow['deadline_at'],
    attempts: row[13] as JobRow['attempts'],
    maxAttempts: row[14] as JobRow['max_attempts'],
    retryCount: row[15] as JobRow['retry_count'],
    backoffMs: row[16] as JobRow['backoff_ms'],
    progress: row[17] as JobRow['progress'],
    stage: row[18] as JobRow['stage'],
    message: row[19] as JobRow['message'],
    owner: row[20] as JobRow['lease_owner'],
    leaseExpiry: row[21] as JobRow['lease_expiry'],
    cancel: cancelOf(row[22] as JobRow['cancel_mode'], row[23] as JobRow['cancel_reason']),
    createdAt: row[24] as JobRow['created_at'],
    updatedAt: row[25] as JobRow['updated_at'],
    startedAt: row[26] as JobRow['started_at'],
    completedAt: row[27] as JobRow['completed_at'],
    error: errorOf(row[28] as JobRow['error']),
    input: row[29] as JobRow['input'],
    result: row[30] as JobRow['result'],
    checkpoint: row[31] as JobRow['checkpoint'],
    metadata: row[32] as JobRow['metadata'],
    correlationId: row[33] as JobRow['correlation_id'],
    traceId: row[34] as JobRow['trace_id'],
    requestedBy: row[35] as JobRow['requested_by'],
    parentJobId: row[36] as JobRow['parent_job_id'],
    documentId: row[37] as JobRow['document_id'],
  };
}
