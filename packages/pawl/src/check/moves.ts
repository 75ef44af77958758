import type { JobEvent } from '../core/event.ts';
import { placeName } from '../core/lifecycle.ts';
import { isTerminal } from '../core/phase.ts';
import type { JobInvariant } from './invariant.ts';
import { quietPlaces } from './quiet.ts';
import { type Hop, isAnnotation, standingOf, type Trail } from './trail.ts';
import { at, type Finding } from './violation.ts';

/** What leads out of a terminal state is left to I5 and I10, which say it more plainly. */
export const listedMoves: JobInvariant = {
  id: 'L1',
  sentence: 'every event is a listed row of the lifecycle, seen from the event before it',
  check: (trail) => [...trail.hops.flatMap(checkHop), ...checkAnnotations(trail)],
};

function checkHop({ before, event, rows }: Hop): readonly Finding[] {
  if (rows.length > 0 || isTerminal(before.phase)) return [];
  const move = `${event.from} → ${placeName(standingOf(event))}`;
  const message = `${event.type} (${move}) is not listed after ${placeName(standingOf(before))}`;
  return [at(event.version, message)];
}

function checkAnnotations({ lifecycle, events }: Trail): readonly Finding[] {
  return events.flatMap((event, index) => {
    const before = events[index - 1];
    if (!isAnnotation(event) || before === undefined || before.version + 1 !== event.version) {
      return [];
    }
    const places = quietPlaces(lifecycle, standingOf(before)).map(placeName);
    if (places.includes(placeName(standingOf(event)))) return [];
    const from = placeName(standingOf(before));
    return [at(event.version, `${event.type} moved the job from ${from} to ${event.to}`)];
  });
}

export const birth: JobInvariant = {
  id: 'L2',
  sentence: 'the log begins with job_created, in the initial place and with nothing counted yet',
  check: ({ events, lifecycle }) => {
    const first = events[0];
    if (first?.version !== 1) return [];
    const faults = birthFaults(first, placeName(lifecycle.initial));
    return faults.length === 0 ? [] : [at(1, `the job was not born: ${faults.join(', ')}`)];
  },
};

function birthFaults(first: JobEvent, initial: string): readonly string[] {
  const place = placeName(standingOf(first));
  return [
    ...(first.type === 'job_created' ? [] : [`its first event is ${first.type}`]),
    ...(first.from === null ? [] : [`it came from ${first.from}`]),
    ...(place === initial ? [] : [`it began in ${place}`]),
    ...(first.epoch === 1 ? [] : [`it began at epoch ${first.epoch}`]),
    ...(first.attempt === 0 ? [] : [`it began with ${first.attempt} attempts`]),
    ...(first.retryCount === 0 ? [] : [`it began with ${first.retryCount} retries`]),
    ...(first.progress === 0 ? [] : [`it began with progress ${first.progress}`]),
  ];
}
