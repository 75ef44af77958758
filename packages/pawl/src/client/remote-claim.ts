import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import { labelsIn } from '../core/job-labels.ts';
import type { Policy } from '../core/policy.ts';
import type { Claim } from '../engine/claim.ts';
import type { Ending } from '../core/ending.ts';
import { levelIn, type LogLevel } from '../handler/log.ts';
import type { NoteDraft } from '../store/renew.ts';
import type { JobJson } from '../contract/job.ts';
import type { ClaimJson } from '../contract/worker.ts';

/** What a claim's answer says, as the engine in the same process would have said it. */
export function claimOf(json: ClaimJson, tenant: string): Claim {
  return {
    job: jobOf(json, tenant),
    policy: policyOf(json),
    stages: Object.entries(json.stages).map(([name, result]) => ({
      name,
      result: JSON.stringify(result),
      at: Date.parse(json.job.updatedAt),
    })),
    leaseMs: json.lease.expiresInMs,
    renewInMs: json.lease.renewInMs,
    idempotencyKey: json.idempotencyKey,
    token: json.token,
  };
}

/** The text of a note of AI tokens. */
export function textIn(payload: Readonly<Record<string, unknown>> | null): string {
  const text = payload?.['text'];
  return typeof text === 'string' ? text : '';
}

/** A line of a job's log; as plain text where its level goes without saying. */
export function lineOf({
  message,
  payload,
}: NoteDraft): string | { line: string; level: LogLevel } {
  const line = message ?? '';
  const level = levelIn(payload);
  return level === 'info' ? line : { line, level };
}

/** The part of the policy that an attempt goes by; the rest is decided where the job is stored. */
function policyOf({ job, lease, timeoutMs, onTimeout }: ClaimJson): Policy {
  return {
    lifecycle: job.lifecycle,
    lifecycleVersion: 1,
    retry: { maxAttempts: job.maxAttempts, backoff: { kind: 'fixed', baseMs: 0 } },
    retryable: null,
    fatal: [],
    lease: { ttlMs: lease.expiresInMs, heartbeatMs: lease.heartbeatMs },
    timeoutMs,
    ...(onTimeout === 'resume' ? { onTimeout } : {}),
    stages: [],
    onExhausted: 'failed',
    dlq: 'never',
  };
}

function instantOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

function errorIn({ error }: JobJson): Job['error'] {
  return error === null ? null : { ...error };
}

function jobOf({ job, input, checkpoint, lease }: ClaimJson, tenant: string): Job {
  const { lease: _lease, links: _links, error: _error, ...rest } = job;
  return {
    ...rest,
    ...labelsIn(job),
    tenant,
    lifecycleVersion: 1,
    policy: 0,
    runAt: Date.parse(job.runAt),
    deadlineAt: instantOf(job.deadlineAt),
    backoffMs: null,
    owner: lease.owner,
    leaseExpiry: Date.parse(lease.expiresAt),
    cancel: null,
    createdAt: Date.parse(job.createdAt),
    updatedAt: Date.parse(job.updatedAt),
    startedAt: instantOf(job.startedAt),
    completedAt: null,
    error: errorIn(job),
    input: JSON.stringify(input),
    result: null,
    checkpoint: checkpoint === null ? null : JSON.stringify(checkpoint),
    metadata: JSON.stringify(job.metadata),
  };
}

/** The verb and the body that report an attempt's end. */
export function endingOf(ending: Ending): { verb: string; body: object } {
  switch (ending.kind) {
    case 'succeed': {
      const { result } = ending;
      return { verb: 'complete', body: result === undefined ? {} : { result: JSON.parse(result) } };
    }
    case 'fail': {
      const { error, deadLetter = null } = ending;
      return { verb: 'fail', body: { error, ...(deadLetter === null ? {} : { deadLetter }) } };
    }
    case 'snooze':
      return { verb: 'snooze', body: { delayMs: ending.delayMs, ...checkpointOf(ending) } };
    case 'suspend':
      return { verb: 'suspend', body: { waits: ending.waits } };
    case 'release':
      return { verb: 'release', body: ending.cause === undefined ? {} : { cause: ending.cause } };
    case 'cancelled':
      return { verb: 'cancelled', body: checkpointOf(ending) };
    case 'advance':
      throw new PawlError('ILLEGAL_TRANSITION', 'a remote worker cannot advance a process');
  }
}

function checkpointOf({ checkpoint }: { checkpoint?: string }): { checkpoint?: unknown } {
  return checkpoint === undefined ? {} : { checkpoint: JSON.parse(checkpoint) as unknown };
}
