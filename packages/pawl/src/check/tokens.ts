import { workerActor } from '../core/actor.ts';
import type { JobEvent } from '../core/event.ts';
import { placeName } from '../core/lifecycle.ts';
import { isOwned } from '../core/phase.ts';
import type { JobInvariant } from './invariant.ts';
import { isQuietlyReached } from './quiet.ts';
import { type Hop, mayLeaveOwner, sourceEpochsOf, standingOf, type Trail } from './trail.ts';
import { at, type Finding } from './violation.ts';

export const tokens: JobInvariant = {
  id: 'I4',
  sentence: 'whatever a worker wrote, it wrote as the owner of the epoch that was current',
  check: (trail) => [...checkNotes(trail), ...checkAuthors(trail)],
};

function isWorker(actor: string): boolean {
  return actor.startsWith(workerActor(''));
}

/** A note belongs to the turn that was current at its version. */
function checkNotes({ lifecycle, events, stream }: Trail): readonly Finding[] {
  const byVersion = new Map(events.map((event) => [event.version, event]));
  return stream.flatMap((note) => {
    const event = byVersion.get(note.version);
    if (note.note === 0 || event === undefined) return [];
    const name = `${note.type} ${note.version}.${note.note}`;
    if (!isQuietlyReached(lifecycle, standingOf(event), standingOf(note))) {
      const [was, is] = [standingOf(event), standingOf(note)];
      const places = `${placeName(is)} of epoch ${is.epoch}, not ${placeName(was)} of ${was.epoch}`;
      return [at(note.version, `${name} was written in ${places}`)];
    }
    if (!isWorker(note.actor) || isOwned(note.phase)) return [];
    return [at(note.version, `${name} was written by ${note.actor} when nobody owned the job`)];
  });
}

interface Write {
  readonly event: JobEvent;
  readonly epochs: readonly number[];
  readonly isByRight: boolean;
}

/** What workers wrote, with the epochs whose owner they must have been. */
function writesOf(trail: Trail): readonly Write[] {
  const hops = new Map(trail.hops.map((hop) => [hop.event, hop]));
  return trail.stream.flatMap((event): Write[] => {
    if (!isWorker(event.actor)) return [];
    const hop = hops.get(event);
    if (event.type === 'job_claimed' || event.note > 0) {
      return [{ event, epochs: [event.epoch], isByRight: true }];
    }
    if (hop === undefined || hop.timelyRows.length === 0 || continuesChain(hop)) return [];
    return [{ event, epochs: sourceEpochsOf(hop), isByRight: mayLeaveOwner(hop) }];
  });
}

/** A chain to the end is one transaction: its first step was judged, the others belong to it. */
function continuesChain({ before, event, rows }: Hop): boolean {
  const isOneWrite =
    before.actor === event.actor && before.at === event.at && before.cause === event.cause;
  return isOneWrite && event.cause !== null && rows.every((row) => !isOwned(row.from.phase));
}

function checkAuthors(trail: Trail): readonly Finding[] {
  const owners = new Map<number, string>();
  for (const { type, epoch, actor } of trail.events) {
    if (type === 'job_claimed' && !owners.has(epoch)) owners.set(epoch, actor);
  }
  return writesOf(trail).flatMap(({ event, epochs, isByRight }) => {
    const { version, type, actor } = event;
    if (!isByRight) return [at(version, `${type} was written by ${actor}, who owned nothing`)];
    // A quiet claim leaves no event, so the first to write in its epoch stands for the owner.
    const [epoch] = epochs;
    if (epoch !== undefined && epochs.length === 1 && !owners.has(epoch)) owners.set(epoch, actor);
    const isOwner = epochs.some((one) => (owners.get(one) ?? actor) === actor);
    if (isOwner) return [];
    const owner = owners.get(epoch!);
    return [at(version, `${type} was written by ${actor}; epoch ${epoch} belonged to ${owner}`)];
  });
}
