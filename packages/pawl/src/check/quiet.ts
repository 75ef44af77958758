import { type Lifecycle, opensEpoch, type Place, placeName, samePlace } from '../core/lifecycle.ts';

/** A place at one turn of the wheel: what `(epoch, phase)` orders. */
export interface Standing extends Place {
  readonly epoch: number;
}

/** The place itself and every other that quiet rows lead to: where a job may be by now. */
export function quietPlaces(lifecycle: Lifecycle, start: Place): readonly Place[] {
  const found: Place[] = [start];
  for (const place of found) {
    for (const { quiet, from, to } of lifecycle.transitions) {
      if (!quiet || !samePlace(from, place)) continue;
      if (!found.some((one) => samePlace(one, to))) found.push(to);
    }
  }
  return found;
}

/** Whether quiet rows alone, or no row at all, lead from one standing to the other. */
export function isQuietlyReached(lifecycle: Lifecycle, from: Standing, to: Standing): boolean {
  if (to.epoch < from.epoch) return false;
  let places = withinEpoch(lifecycle, [from]);
  for (let epoch = from.epoch; epoch < to.epoch; epoch++) {
    const next = withinEpoch(lifecycle, intoNextEpoch(lifecycle, places));
    // A set that comes back the same stays the same, so days of polls need no counting.
    if (sameSet(places, next)) break;
    places = next;
  }
  return places.some((place) => samePlace(place, to));
}

function withinEpoch(lifecycle: Lifecycle, start: readonly Place[]): readonly Place[] {
  const found = [...start];
  for (const place of found) {
    for (const { quiet, from, to } of lifecycle.transitions) {
      if (!quiet || !samePlace(from, place) || opensEpoch(from, to)) continue;
      if (!found.some((one) => samePlace(one, to))) found.push(to);
    }
  }
  return found;
}

function intoNextEpoch(lifecycle: Lifecycle, places: readonly Place[]): readonly Place[] {
  return lifecycle.transitions
    .filter(({ quiet, from, to }) => quiet && opensEpoch(from, to) && has(places, from))
    .map(({ to }) => to);
}

function has(places: readonly Place[], wanted: Place): boolean {
  return places.some((place) => samePlace(place, wanted));
}

function sameSet(one: readonly Place[], other: readonly Place[]): boolean {
  const names = new Set(one.map(placeName));
  return names.size === new Set(other.map(placeName)).size && other.every((p) => has(one, p));
}
