import { traceIdIn } from '../core/trace.ts';
import type { Claim } from '../engine/claim.ts';
import type { AttemptFacts } from '../handler/attempt-port.ts';

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
