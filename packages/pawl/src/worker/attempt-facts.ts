import type { Instant } from '../core/clock.ts';
import type { Job } from '../core/job.ts';
import { type Lifecycle, rowsOf } from '../core/lifecycle.ts';
import { traceIdIn } from '../core/trace.ts';
import type { Claim } from '../engine/claim.ts';
import type { Ownership } from '../engine/owner.ts';
import type { AttemptFacts } from '../handler/attempt-port.ts';

/** A job's row after `start`, known without reading it. */
export function startedRow(lifecycle: Lifecycle, row: Job, at: Instant | null): Job {
  const place = rowsOf(lifecycle, 'start', row)[0]?.to;
  if (place === undefined) return row;
  return { ...row, ...place, version: row.version + 1, startedAt: row.startedAt ?? at };
}

/** What an owner shows with everything it writes. */
export function heldBy({ job, token, key }: Claim, known: Job): Ownership {
  const { tenant, id, epoch, owner } = job;
  return { ref: { tenant, id }, owner: owner!, epoch, known, token, key };
}

/** What a handler is told of its claim. */
export function factsOf({ job, stages, idempotencyKey }: Claim): AttemptFacts {
  return {
    job: {
      tenant: job.tenant,
      id: job.id,
      type: job.type,
      state: job.state,
      queue: job.queue,
      priority: job.priority,
      maxAttempts: job.maxAttempts,
      createdAt: job.createdAt,
      deadlineAt: job.deadlineAt,
      requestedBy: job.requestedBy,
      limitKey: job.limitKey,
      parentJobId: job.parentJobId,
      documentId: job.documentId,
      metadata: job.metadata === null ? null : (JSON.parse(job.metadata) as unknown),
    },
    input: job.input,
    attempt: job.attempts,
    fencingToken: job.epoch,
    idempotencyKey,
    trace: { traceId: traceIdIn(job.traceId), correlationId: job.correlationId ?? job.id },
    checkpoint: job.checkpoint,
    kept: stages,
  };
}
