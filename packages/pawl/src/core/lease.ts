import type { Instant } from './clock.ts';

/** A lease lasts `ttlMs` and is kept alive by a heartbeat every `heartbeatMs`. */
export interface LeasePolicy {
  readonly ttlMs: number;
  readonly heartbeatMs: number;
}

/** Two heartbeats missed in a row make the job an orphan, whatever is left of the lease. */
export const HEARTBEATS_MISSED_MAX = 2;

/**
 * How long a fresh lease is really good for: the one deadline that is stored, shown and enforced
 * is min(lease expiry, last heartbeat + 2 heartbeats).
 */
export function leaseWindowMs(lease: LeasePolicy): number {
  return Math.min(lease.ttlMs, HEARTBEATS_MISSED_MAX * lease.heartbeatMs);
}

/** An owner renews when half of the remaining time has passed. */
export function renewInMs(lease: LeasePolicy): number {
  return Math.min(lease.heartbeatMs, Math.floor(leaseWindowMs(lease) / 2));
}

/**
 * The latest moment to which an attempt may be kept alive: its time-out from the claim on, and the
 * job's own deadline. Null where neither is set.
 */
export function leaseLimit(attempt: {
  readonly claimedAt: Instant;
  readonly timeoutMs: number | null;
  readonly deadlineAt: Instant | null;
}): Instant | null {
  const { claimedAt, timeoutMs, deadlineAt } = attempt;
  const timeoutAt = timeoutMs === null ? Infinity : claimedAt + timeoutMs;
  const limit = Math.min(timeoutAt, deadlineAt ?? Infinity);
  return limit === Infinity ? null : limit;
}
