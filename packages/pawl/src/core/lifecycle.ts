import type { LeasePolicy } from './lease.ts';
import { type Phase, rankOf } from './phase.ts';
import type { RetryPolicy } from './retry.ts';

/** Imperatives: what can be asked of a job. A lifecycle says which rows each one has. */
export const TRIGGERS = [
  'submit',
  'claim',
  'start',
  'advance',
  'succeed',
  'fail',
  'lose',
  'snooze',
  'release',
  'requeue',
  'exhaust',
  'cancel',
  'reject',
  'deadLetter',
] as const;

export type Trigger = (typeof TRIGGERS)[number];

/** A pair: the document's word and the engine's word for one place in the lifecycle. */
export interface Place {
  readonly state: string;
  readonly phase: Phase;
}

/**
 * `mayRetry`: the error is retryable and attempts are left.
 * `deadLetters`: the end belongs in the dead phase, by the caller's wish or the type's policy.
 */
export type Guard = 'mayRetry' | 'deadLetters';

export interface Transition {
  readonly on: Trigger;
  readonly from: Place;
  readonly to: Place;
  readonly when: Guard | null;
  /** Moves the pair but keeps the version: no event, at most a note. */
  readonly quiet: boolean;
  /** Raises `retryCount`, as the lifecycle's document counts it. */
  readonly countsRetry: boolean;
}

/** Which failed jobs are copied to the dead-letter queue; dead ones always are. */
export type DeadLetterCopies = 'never' | 'exhausted' | 'failed';

export interface LifecycleDefaults {
  readonly retry: RetryPolicy;
  /** Null: everything is retried but what is fatal or final. */
  readonly retryable: readonly string[] | null;
  readonly fatal: readonly string[];
  /** Left out: a worker's judgement of an error counts before the lists. */
  readonly isRetryFixed?: true;
  readonly lease: LeasePolicy;
  readonly onExhausted: 'failed' | 'dead_lettered';
  readonly dlq: DeadLetterCopies;
}

/** What a type of this lifecycle may not choose. */
export interface LifecycleBounds {
  readonly retryIsFixed: boolean;
  readonly ttlMs: readonly [min: number, max: number];
  readonly heartbeatMs: readonly [min: number, max: number];
}

/** A checked lifecycle: the table of states and transitions of a job. */
export interface Lifecycle {
  readonly name: string;
  readonly version: number;
  readonly initial: Place;
  readonly places: readonly Place[];
  readonly transitions: readonly Transition[];
  readonly defaults: LifecycleDefaults;
  readonly bounds: LifecycleBounds;
}

export function samePlace(one: Place, other: Place): boolean {
  return one.state === other.state && one.phase === other.phase;
}

export function placeName(place: Place): string {
  return `${place.state}/${place.phase}`;
}

/** Going round: the rank does not rise, so the pair can only increase by a new epoch. */
export function opensEpoch(from: Place, to: Place): boolean {
  return rankOf(to.phase) <= rankOf(from.phase);
}

/** A lifecycle never changes, and every move of every job looks here. */
const rowsFound: WeakMap<Lifecycle, Map<string, readonly Transition[]>> = new WeakMap();

export function rowsOf(lifecycle: Lifecycle, on: Trigger, from: Place): readonly Transition[] {
  let found = rowsFound.get(lifecycle);
  if (found === undefined) rowsFound.set(lifecycle, (found = new Map()));
  const key = `${on} ${from.phase} ${from.state}`;
  let rows = found.get(key);
  if (rows === undefined) {
    rows = lifecycle.transitions.filter((row) => row.on === on && samePlace(row.from, from));
    found.set(key, rows);
  }
  return rows;
}

/** Where a new job stands first, and second when it is submitted at once. */
export function birthPlaces(lifecycle: Lifecycle, submit: boolean): readonly Place[] {
  const { initial } = lifecycle;
  if (initial.phase !== 'held' || !submit) return [initial];
  return [initial, rowsOf(lifecycle, 'submit', initial)[0]!.to];
}

/** True where a due job of this place is claimed as it stands, without being made ready first. */
export function isClaimedWhereItWaits(lifecycle: Lifecycle, place: Place): boolean {
  return place.phase === 'waiting' && rowsOf(lifecycle, 'claim', place).length > 0;
}
