import type { Instant } from '../core/clock.ts';
import type { Job } from '../core/job.ts';
import type { Revisions } from '../core/revision.ts';
import type { StageResult } from './stage-result.ts';

/**
 * Lanes are (tenant, queue, claim type), see `claimTypeOf`. Within one, jobs are in the order of
 * their rank (due time less a head start for priority, see rankAtOf), then of age, which is the
 * order of insertion. Lanes with a claimable job, but for those that a rule has paused, are visited
 * as `shareOut` says; a lane gives at most as many as its rules allow. The answer is in no
 * particular order.
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
   * A claim repeated with the same owner, types, tenants and request id is answered with the jobs
   * that the first one won and that are still owned by it (deadline not yet passed), and takes no
   * others.
   * With none left the id is free again. Owners of two tenants may have the same name and id:
   * theirs are two claims.
   */
  readonly requestId: string | null;
  /**
   * The revisions that the owner offers. A job that has none gets the one of its type, and with it
   * the lane of those that are pinned, if the offer pins.
   */
  readonly revisions?: Revisions;
  /** Which tenant comes first: counts on from claim to claim, so that each does in turn. */
  readonly turn?: number;
}

/** What a claim is known by when its owner repeats it; null where it cannot be repeated. */
export function claimName({ tenants, requestId }: ClaimRequest): string | null {
  return requestId === null ? null : JSON.stringify([requestId, tenants?.toSorted() ?? null]);
}

/**
 * A job that was won: `job` as it is after the claim. The claim takes the lifecycle's one `claim`
 * row: a new epoch if it was waiting, attempts at least 1, a lease of its policy's ttl with the
 * deadline min(lease end, now + 2 heartbeats, lease limit), startedAt if it is now executing and
 * was null, and one event `job_claimed` by the worker's actor, cause and payload null (none, and
 * no new version, for a quiet row); updatedAt = now. The lease limit is fixed by the claim and no
 * renewal moves it: min(now + timeoutMs of the policy, deadlineAt of the job), where there are
 * such. A job whose deadlineAt has passed is therefore lost as soon as it is claimed, and nobody
 * works on it.
 */
export interface ClaimedJob {
  readonly job: Job;
  readonly stages: readonly StageResult[];
  /** Drawn at random for this claim: every write of its owner may show it. */
  readonly token?: string;
  /** The store's own number of the job, where it has one: its owner's writes may bring it back. */
  readonly key?: string;
  /** The database's time of this answer: what is left of the lease is `job.leaseExpiry - at`. */
  readonly at: Instant;
}
