import { workerActor } from '../core/actor.ts';
import type { JobEvent } from '../core/event.ts';
import { leaseWindowMs } from '../core/lease.ts';
import type { JobInvariant } from './invariant.ts';
import { mayLeaveOwner, sourceEpochsOf, type Trail } from './trail.ts';
import { at, type Finding } from './violation.ts';

/**
 * I6 judges those who take a job; this one those who hold on to it. A lease that ran out while
 * nobody could reach the database may be renewed, and its note says so: see decision 68.
 */
export const noLateWrites: JobInvariant = {
  id: 'L3',
  sentence: 'an owner writes nothing once the longest lease that it can have had is over',
  check: (trail, { policy, areNotesKept }) => {
    if (policy === null || !areNotesKept) return [];
    const windowMs = leaseWindowMs(policy.lease);
    return writesOf(trail).flatMap(({ event, epochs }): Finding[] => {
      const aliveAt = lastSignBefore(trail, event, epochs);
      const lateMs = event.at - (aliveAt + windowMs);
      if (lateMs < 0) return [];
      const message = `${event.type} came ${lateMs} ms after the lease of ${event.actor} was over`;
      return [at(event.version, message)];
    });
  },
};

/** What an owner wrote, with the epochs in which it can have been the owner. */
function writesOf({ stream, hops }: Trail): readonly { event: JobEvent; epochs: number[] }[] {
  const byEvent = new Map(hops.map((hop) => [hop.event, hop]));
  return stream.flatMap((event) => {
    if (!event.actor.startsWith(workerActor('')) || event.type === 'job_claimed') return [];
    if (event.note > 0) {
      return event.payload?.['afterOutage'] === true ? [] : [{ event, epochs: [event.epoch] }];
    }
    const hop = byEvent.get(event);
    if (hop === undefined || !mayLeaveOwner(hop)) return [];
    return [{ event, epochs: [...sourceEpochsOf(hop)] }];
  });
}

/** A turn that was claimed quietly shows no beginning: nothing is late before its first sign. */
function lastSignBefore({ stream }: Trail, event: JobEvent, epochs: readonly number[]): number {
  const signs = stream
    .slice(0, stream.indexOf(event))
    .filter(
      ({ type, epoch }) =>
        epochs.includes(epoch) &&
        (type === 'job_claimed' || type === 'job_heartbeat' || type === 'job_lease_renewed'),
    );
  return signs.length === 0 ? Infinity : Math.max(...signs.map((sign) => sign.at));
}
