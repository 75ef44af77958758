import type { Instant } from '../../core/clock.ts';
import { jobsOf } from './together.ts';
import type { Answer, Call, Verb } from './verbs.ts';

/**
 * What travels between threads, as JSON: faster than a structured clone, and it takes whatever a
 * database could take. Jobs, moves and outcomes go by the thousand and are much alike, so a list of
 * them is sent as its first thing and those members that are not the same in all. Whoever receives
 * them makes copies of the first, which is quicker than reading each, and they share what is equal.
 */
interface Alike {
  readonly count: number;
  readonly first: Thing;
  readonly others: Readonly<Record<string, Column>>;
}

type Thing = Readonly<Record<string, unknown>>;

type Column = { readonly each: readonly unknown[] } | { readonly alike: Alike };

/** One argument, or one answer. */
type Parcel = { readonly value: unknown } | { readonly alike: Alike };

/** Shorter lists are not worth a comparison. */
const ALIKE_MIN = 4;

/** A list's things, and the things that are members of these: below are the words of users. */
const DEPTH_MAX = 2;

/** One call, or inserts in a row as one list of jobs: how many are of which call. */
type Load =
  | { readonly verb: Verb; readonly args: readonly Parcel[]; readonly now: Instant | null }
  | { readonly jobs: Parcel; readonly counts: readonly number[]; readonly now: Instant | null };

export function textOfCalls(calls: readonly Call[]): string {
  const loads: Load[] = [];
  for (let start = 0; start < calls.length;) {
    const end = endOfInserts(calls, start);
    loads.push(end - start > 1 ? insertsOf(calls.slice(start, end)) : loadOf(calls[start]!));
    start = Math.max(end, start + 1);
  }
  return JSON.stringify(loads);
}

export function callsOfText(text: string): Call[] {
  return (JSON.parse(text) as Load[]).flatMap((load): Call[] => {
    const { now } = load;
    if ('verb' in load) return [{ verb: load.verb, args: load.args.map(unpacked), now }];
    const jobs = unpacked(load.jobs) as unknown[];
    let next = 0;
    return load.counts.map((count) => ({
      verb: 'insert',
      args: [jobs.slice(next, (next += count))],
      now,
    }));
  });
}

/** Where a row of inserts that were asked for at one time ends, which may be where it starts. */
function endOfInserts(calls: readonly Call[], start: number): number {
  const { now } = calls[start]!;
  let end = start;
  while (end < calls.length && calls[end]!.now === now && jobsOf(calls[end]!) !== null) end++;
  return end;
}

function insertsOf(calls: readonly Call[]): Load {
  const lists = calls.map((call) => jobsOf(call)!);
  const counts = lists.map(({ length }) => length);
  return { jobs: packed(lists.flat()), counts, now: calls[0]!.now };
}

function loadOf({ verb, args, now }: Call): Load {
  return { verb, args: args.map(packed), now };
}

export function textOfAnswers(answers: readonly Answer[]): string {
  return JSON.stringify(
    answers.map((answer) => ('failure' in answer ? answer : packed(answer.value))),
  );
}

export function answersOfText(text: string): Answer[] {
  const parcels = JSON.parse(text) as (Parcel | Extract<Answer, { failure: unknown }>)[];
  return parcels.map((parcel) => ('failure' in parcel ? parcel : { value: unpacked(parcel) }));
}

function packed(value: unknown): Parcel {
  const alike = Array.isArray(value) ? alikeOf(value, 1) : null;
  return alike === null ? { value } : { alike };
}

function unpacked(parcel: Parcel): unknown {
  return 'alike' in parcel ? thingsOf(parcel.alike) : parcel.value;
}

/** Null for what cannot be told in this way: things of other members, or of none. */
function alikeOf(list: readonly unknown[], depth: number): Alike | null {
  if (list.length < ALIKE_MIN || !list.every(isThing)) return null;
  const [first] = list as [Thing];
  const names = differing(list);
  if (names === null) return null;
  const others: Record<string, Column> = {};
  for (const name of names) {
    const each = list.map((thing) => thing[name]);
    // JSON has no word for it in a list.
    if (each.includes(undefined)) return null;
    const alike = depth < DEPTH_MAX ? alikeOf(each, depth + 1) : null;
    others[name] = alike === null ? { each } : { alike };
  }
  return { count: list.length, first, others };
}

function isThing(value: unknown): value is Thing {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

/** Names of members that are not the same in all; null where not all have the same members. */
function differing(list: readonly Thing[]): Set<string> | null {
  const first = list[0]!;
  const names = Object.keys(first);
  const values = Object.values(first);
  const found = new Set<string>();
  for (const thing of list) {
    let at = 0;
    for (const name in thing) {
      if (name !== names[at]) return null;
      const value = thing[name];
      if (value !== values[at] && !isSame(value, values[at])) found.add(name);
      at++;
    }
    if (at !== names.length) return null;
  }
  return found;
}

/** Of things and lists: the same in every member. Whatever else is no constant is another. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && isSameList(one, other);
  }
  return isThing(one) && isThing(other) && isSameThing(one, other);
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  for (let at = 0; at < one.length; at++) if (!isSame(one[at], other[at])) return false;
  return true;
}

function isSameThing(one: Thing, other: Thing): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  for (const name of names) {
    if (!Object.hasOwn(other, name) || !isSame(one[name], other[name])) return false;
  }
  return true;
}

function thingsOf({ count, first, others }: Alike): unknown[] {
  const things = Array.from({ length: count }, () => ({ ...first }));
  for (const [name, column] of Object.entries(others)) {
    const values = 'each' in column ? column.each : thingsOf(column.alike);
    for (let index = 0; index < count; index++) things[index]![name] = values[index];
  }
  return things;
}
