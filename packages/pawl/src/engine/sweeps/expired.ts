import { SYSTEM_ACTOR } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import type { Request } from '../../core/decision.ts';
import type { Job } from '../../core/job.ts';
import { leaseWindowMs } from '../../core/lease.ts';
import { isOwned } from '../../core/phase.ts';
import type { EngineContext } from '../context.ts';
import { transition } from '../transition.ts';

const BATCH = 500;
/** While many leases are left alone, so many are looked at to find those that are not. */
const LOOK_MAX = 16 * BATCH;

/** A time in which nobody could renew a lease, by the database's clock. */
export interface Outage {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * Takes jobs back from owners whose deadline has passed. The database judges the deadline once
 * more with the move, so a renewal that comes in between is not lost.
 *
 * After an outage a lease that ran out in it, or so soon after it that its owner had no time for a
 * heartbeat, is left alone for one window of its own: its owner may be alive. Then its job is
 * given back without spending an attempt, since nobody knows of a loss.
 */
export async function sweepExpired(
  context: EngineContext,
  round: { readonly now: Instant; readonly outage: Outage } | null = null,
): Promise<number> {
  let total = 0;
  let limit = BATCH;
  for (;;) {
    const jobs = await context.store.expired(limit);
    const policies = await context.registry.policies(jobs.map(({ policy }) => policy));
    const verdicts = jobs.map((job, index) => {
      const { lease } = policies[index]!;
      if (round === null || !isBlameless(job, round.outage, lease.heartbeatMs)) return LOST;
      return round.now < round.outage.until + leaseWindowMs(lease) ? null : GIVEN_BACK;
    });
    const due = jobs.flatMap((job, index) => {
      const request = verdicts[index]!;
      return request === null ? [] : [takeBack(job, request)];
    });
    const outcomes = await transition(context, due);
    const moved = outcomes.filter((outcome) => outcome.kind === 'moved').length;
    total += moved;
    if (jobs.length < limit) return total;
    if (moved === 0 && (due.length > 0 || limit >= LOOK_MAX)) return total;
    if (moved === 0) limit *= 2;
  }
}

const LOST: Request = { on: 'lose' };
const GIVEN_BACK: Request = { on: 'release', cause: 'store_outage' };

function isBlameless(job: Job, outage: Outage, heartbeatMs: number): boolean {
  const { leaseExpiry } = job;
  if (leaseExpiry === null) return false;
  return leaseExpiry > outage.from && leaseExpiry <= outage.until + heartbeatMs;
}

function takeBack(job: Job, request: Request) {
  return {
    ref: { tenant: job.tenant, id: job.id },
    actor: SYSTEM_ACTOR,
    known: job,
    fence: () => ({ kind: 'expired' as const }),
    plan: (seen: Job) =>
      isOwned(seen.phase) && seen.epoch === job.epoch
        ? { kind: 'request' as const, request }
        : { kind: 'leave' as const },
  };
}
