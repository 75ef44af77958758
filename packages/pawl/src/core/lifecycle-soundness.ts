import {
  type Lifecycle,
  opensEpoch,
  type Place,
  placeName,
  rowsOf,
  samePlace,
  type Transition,
  type Trigger,
} from './lifecycle.ts';
import { findPath } from './path.ts';
import { isOwned, isTerminal, type Phase } from './phase.ts';

/** Between which phases each trigger may move: the engine's meaning of the word. */
const MEANING: Record<Trigger, { from: readonly Phase[]; to: readonly Phase[] }> = {
  submit: { from: ['held'], to: ['ready'] },
  claim: { from: ['ready', 'waiting'], to: ['leased', 'executing'] },
  start: { from: ['leased'], to: ['executing'] },
  advance: { from: ['executing'], to: ['waiting'] },
  succeed: { from: ['executing'], to: ['succeeded'] },
  fail: { from: ['leased', 'executing'], to: ['waiting', 'ready', 'failed', 'dead'] },
  lose: { from: ['leased', 'executing'], to: ['waiting', 'ready', 'failed', 'dead'] },
  snooze: { from: ['executing'], to: ['waiting', 'ready'] },
  release: { from: ['leased', 'executing'], to: ['waiting', 'ready'] },
  requeue: { from: ['waiting'], to: ['ready'] },
  exhaust: { from: ['waiting'], to: ['failed', 'dead'] },
  cancel: {
    from: ['held', 'ready', 'leased', 'executing', 'waiting'],
    to: ['cancelled'],
  },
  reject: { from: ['ready'], to: ['failed', 'dead'] },
  deadLetter: { from: ['ready', 'leased', 'executing', 'waiting'], to: ['dead'] },
};

/** Everything that is wrong with a table, as sentences; none means it is sound. */
export function checkLifecycle(lifecycle: Lifecycle): string[] {
  return [
    ...checkNames(lifecycle),
    ...lifecycle.transitions.flatMap((row) => checkRow(row)),
    ...checkChoices(lifecycle),
    ...checkReach(lifecycle),
    ...lifecycle.places.flatMap((place) => checkDuties(lifecycle, place)),
  ];
}

function checkNames(lifecycle: Lifecycle): string[] {
  const faults: string[] = [];
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(lifecycle.name)) {
    faults.push(`the name "${lifecycle.name}" must be lower-case letters, digits, "-" or "_"`);
  }
  if (!Number.isInteger(lifecycle.version) || lifecycle.version < 1) {
    faults.push(`the version ${lifecycle.version} must be a whole number from 1`);
  }
  if (lifecycle.initial.phase !== 'held' && lifecycle.initial.phase !== 'ready') {
    faults.push(`jobs begin in ${placeName(lifecycle.initial)}, which is neither held nor ready`);
  }
  for (const { state } of lifecycle.places) {
    if (!/^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(state))
      faults.push(`"${state}" is not a valid state name`);
  }
  return faults;
}

function checkRow(row: Transition): string[] {
  const meaning = MEANING[row.on];
  const name = `${row.on}: ${placeName(row.from)} → ${placeName(row.to)}`;
  if (isTerminal(row.from.phase)) return [`${name} leads out of a terminal state`];
  const faults: string[] = [];
  if (!meaning.from.includes(row.from.phase)) {
    faults.push(`${name}: ${row.on} starts from ${meaning.from.join(', ')} only`);
  }
  if (!meaning.to.includes(row.to.phase)) {
    faults.push(`${name}: ${row.on} leads to ${meaning.to.join(', ')} only`);
  }
  if (row.quiet && row.from.state !== row.to.state) {
    faults.push(`${name} is quiet but changes the state, which needs an event`);
  }
  return faults;
}

function checkChoices(lifecycle: Lifecycle): string[] {
  const faults: string[] = [];
  for (const place of lifecycle.places) {
    for (const on of Object.keys(MEANING) as Trigger[]) {
      const rows = rowsOf(lifecycle, on, place);
      const guards = rows.map((row) => row.when);
      if (on === 'claim' && rows.length > 1) {
        faults.push(`a claim of ${placeName(place)} has ${rows.length} destinations`);
      } else if (new Set(guards).size < guards.length) {
        faults.push(`${on} from ${placeName(place)} has two rows that apply at once`);
      } else if (guards.indexOf(null) !== -1 && guards.indexOf(null) < guards.length - 1) {
        faults.push(`${on} from ${placeName(place)}: rows after the unguarded one never apply`);
      }
    }
  }
  return faults;
}

function reachableFrom(lifecycle: Lifecycle, start: Place): readonly Place[] {
  const found: Place[] = [start];
  for (const place of found) {
    for (const { from, to } of lifecycle.transitions) {
      if (samePlace(from, place) && !found.some((one) => samePlace(one, to))) found.push(to);
    }
  }
  return found;
}

function checkReach(lifecycle: Lifecycle): string[] {
  const faults: string[] = [];
  const reachable = reachableFrom(lifecycle, lifecycle.initial);
  for (const place of lifecycle.places) {
    if (!reachable.some((one) => samePlace(one, place))) {
      faults.push(`${placeName(place)} can never be reached`);
    } else if (!reachableFrom(lifecycle, place).some((one) => isTerminal(one.phase))) {
      faults.push(`${placeName(place)} is a dead end: no terminal state can be reached from it`);
    }
  }
  return faults;
}

/** What the engine relies on to never strand a job in this place. */
function checkDuties(lifecycle: Lifecycle, place: Place): string[] {
  const has = (on: Trigger): boolean => rowsOf(lifecycle, on, place).length > 0;
  const name = placeName(place);
  const faults: string[] = [];
  if (place.phase === 'held' && !has('submit')) faults.push(`${name} cannot be submitted`);
  if (place.phase === 'ready' && !has('claim')) faults.push(`${name} cannot be claimed`);
  if (place.phase === 'leased' && !has('start')) faults.push(`${name} cannot be started`);
  if (place.phase === 'waiting' && !has('claim') && !has('requeue')) {
    faults.push(`${name} waits for ever: it needs a requeue or a claim row`);
  }
  if (isOwned(place.phase)) {
    for (const on of ['fail', 'lose', 'release'] as const) {
      if (!has(on)) faults.push(`${name} has no ${on} row: its worker may fail, die or stop`);
    }
    if (findPath(lifecycle, place, ['failed', 'dead']) === null) {
      faults.push(`${name} has no way to fail for good`);
    }
  }
  return faults;
}

/** Exported for the store's guard: a listed move with the epoch it must open. */
export interface ListedMove {
  readonly from: Place;
  readonly to: Place;
  readonly quiet: boolean;
  readonly opensEpoch: boolean;
}

/** The distinct moves of a table, without their triggers: what a database must let through. */
export function listedMoves(lifecycle: Lifecycle): readonly ListedMove[] {
  const moves = new Map<string, ListedMove>();
  for (const { from, to, quiet } of lifecycle.transitions) {
    const key = `${placeName(from)}>${placeName(to)}>${quiet}`;
    moves.set(key, { from, to, quiet, opensEpoch: opensEpoch(from, to) });
  }
  return [...moves.values()];
}
