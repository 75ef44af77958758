import type { Instant } from '../core/clock.ts';
import type { JobRef } from '../core/job.ts';

/** Names an artifact everywhere: ids are unique within a tenant. */
export interface ArtifactRef {
  readonly tenant: string;
  readonly id: string;
}

/** Bytes outside the database that belong to a job, or to a caller who will name them in one. */
export interface Artifact extends ArtifactRef {
  /** Null: uploaded by a caller, as an input. */
  readonly jobId: string | null;
  /** A label, never a path. */
  readonly name: string;
  readonly size: number;
  /** In hexadecimal; also the version that a signed link names. */
  readonly sha256: string;
  readonly contentType: string;
  /** Where the artifact store keeps the bytes; no two artifacts share one. */
  readonly location: string;
  readonly createdAt: Instant;
  /** From then on it is stale. Null: it lives as long as its job. */
  readonly expiresAt: Instant | null;
}

/**
 * Bytes that are stored already and shall be seen. With `holder`, only while that owner holds the
 * job (epoch, owner, deadline not yet passed), and in place of the job's artifact of the same name.
 */
export interface ArtifactCommit extends Omit<Artifact, 'createdAt' | 'expiresAt' | 'jobId'> {
  readonly holder: {
    readonly jobId: string;
    readonly owner: string;
    readonly epoch: number;
  } | null;
  /** How long from now it is kept; null for as long as its job. */
  readonly keepMs: number | null;
  /** What the tenant's artifacts may weigh together, this one included; null for no bound. */
  readonly tenantBytesMax: number | null;
}

/**
 * `replaced`: where the bytes lie of the artifact that had this name before. `lost`: not the
 * holder any more. `overQuota`: the tenant already has `usedBytes`. Only the first has written.
 */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly at: Instant; readonly replaced: string | null }
  | { readonly kind: 'lost' }
  | { readonly kind: 'overQuota'; readonly usedBytes: number };

/** One, those of a job in the order of their names, or those whose bytes lie at these places. */
export type ArtifactQuery =
  | { readonly ref: ArtifactRef }
  | { readonly job: JobRef }
  | { readonly locations: readonly string[] };

/**
 * The named ones; or up to so many stale ones. Stale is an upload from `expiresAt` on, what belongs
 * to a job that is gone, and the output of a job that ended without success. What has a name that
 * begins with `$` is a value of its job: it is stale once the job is gone, and no dead letter of it
 * is left. Such a value that was uploaded for a job (`$input`, under the id of that job) is its own
 * from `expiresAt` on, if it is there: `jobId` is set then and `expiresAt` is null.
 */
export type ArtifactRemoval =
  | { readonly refs: readonly ArtifactRef[] }
  | { readonly staleMax: number };
