import type { Instant } from '../core/clock.ts';
import type { Job } from '../core/job.ts';
import type { StageResult } from './stage-result.ts';

/**
 * Lanes are (tenant, queue, type). Those with a claimable job are visited in the order of their
 * first job (priority high to low, then due time, then age, which is the order of insertion), each
 * giving an equal share of what is still wanted (divided by the lanes not yet visited, rounded up);
 * a second round takes the rest in the same order. The answer itself is in no particular order.
 */
export interface ClaimRequest {
  readonly owner: string;
  readonly types: readonly string[];
  readonly max: number;
  /** Null: of every tenant. */
  readonly tenants: readonly string[] | null;
  /** Null: of every queue. */
  readonly queues: readonly string[] | null;
  /**
   * A claim repeated with the same owner and request id is answered with the jobs that the first
   * one won and that are still owned by it (deadline not yet passed), and takes no others. With
   * none left the id is free again. Owners of two tenants may have the same name and id, so here
   * too `tenants` says whose jobs may be shown.
   */
  readonly requestId: string | null;
}

/**
 * A job that was won: `job` as it is after the claim. The claim takes the lifecycle's one `claim`
 * row: a new epoch if it was waiting, attempts at least 1, a lease of its policy's ttl with the
 * deadline min(lease end, now + 2 heartbeats), startedAt if it is now executing and was null, and
 * one event `job_claimed` by the worker's actor, cause and payload null (none, and no new version,
 * for a quiet row); updatedAt = now.
 */
export interface ClaimedJob {
  readonly job: Job;
  readonly stages: readonly StageResult[];
  /** The database's time of this answer: what is left of the lease is `job.leaseExpiry - at`. */
  readonly at: Instant;
}
