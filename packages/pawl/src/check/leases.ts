import { SYSTEM_ACTOR } from '../core/actor.ts';
import type { JobEvent } from '../core/event.ts';
import { type LeasePolicy, leaseWindowMs } from '../core/lease.ts';
import { isTerminal } from '../core/phase.ts';
import type { JobInvariant } from './invariant.ts';
import { type Hop, leavesOwner, sourceEpochsOf, type Trail } from './trail.ts';
import { at, type Finding } from './violation.ts';

export const leases: JobInvariant = {
  id: 'I6',
  sentence:
    "a job is taken from its owner only after the lease's deadline, by the database's clock",
  check: (trail, { policy }) =>
    trail.hops.flatMap((hop) => {
      if (!leavesOwner(hop)) return [];
      const deadline = hop.event.payload?.['leaseExpiry'];
      if (typeof deadline !== 'number') return checkWithoutDeadline(hop);
      return [...checkDeadline(trail, hop, { deadline, lease: policy?.lease ?? null })];
    }),
};

/** Only an owner gives a job back, and only an order to end it takes it from a living one. */
function checkWithoutDeadline({ event }: Hop): readonly Finding[] {
  const wasLost = event.cause === 'lease_expired';
  const wasTaken = event.actor === SYSTEM_ACTOR && !isTerminal(event.phase);
  if (!wasLost && !wasTaken) return [];
  return [at(event.version, `${event.type} took the job from its owner and shows no deadline`)];
}

function checkDeadline(
  trail: Trail,
  hop: Hop,
  { deadline, lease }: { deadline: number; lease: LeasePolicy | null },
): readonly Finding[] {
  const { event } = hop;
  if (event.at < deadline) {
    const early = deadline - event.at;
    return [at(event.version, `${event.type} took the job ${early} ms before the deadline`)];
  }
  const lastSign = lastSignOfLife(trail, hop);
  if (lease === null || lastSign === null) return [];
  const earliest = lastSign.at + graceMs(lease, lastSign);
  if (deadline >= earliest) return [];
  const message = `the deadline was ${earliest - deadline} ms too early for ${lastSign.type}`;
  return [at(event.version, `${message} of version ${lastSign.version}`)];
}

function lastSignOfLife({ stream }: Trail, hop: Hop): JobEvent | null {
  const epochs = sourceEpochsOf(hop);
  const isSign = ({ type, epoch, version }: JobEvent): boolean =>
    version < hop.event.version &&
    epochs.includes(epoch) &&
    (type === 'job_claimed' || type === 'job_heartbeat' || type === 'job_lease_renewed');
  return stream.findLast(isSign) ?? null;
}

/** A heartbeat leaves at least half of the ttl, since the lease's end moves once half is gone. */
function graceMs(lease: LeasePolicy, sign: JobEvent): number {
  const windowMs = leaseWindowMs(lease);
  return sign.type === 'job_heartbeat' ? Math.min(windowMs, Math.floor(lease.ttlMs / 2)) : windowMs;
}
