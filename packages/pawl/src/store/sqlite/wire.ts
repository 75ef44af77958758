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
  readonly first: PlainObject;
  readonly others: Readonly<Record<string, Column>>;
}

type PlainObject = Readonly<Record<string, unknown>>;

type Column = { readonly each: readonly unknown[] } | { readonly alike: Alike };

/** One argument, or one answer: anything, a list of things that are alike, or a page of such. */
type WireValue =
  | { readonly value: unknown }
  | { readonly alike: Alike }
  | { readonly page: PlainObject; readonly items: Alike };

/** Shorter lists are not worth a comparison. */
const ALIKE_MIN = 4;

/** A list's things, and the things that are members of these: below are the words of users. */
const DEPTH_MAX = 2;

/** Members further down that are no words of users. */
const OURS: ReadonlySet<string> = new Set(['awaitedBy']);

/** One call, or inserts in a row as one list of jobs: how many are of which call. */
type WireCall =
  | { readonly verb: Verb; readonly args: readonly WireValue[]; readonly now: Instant | null }
  | { readonly jobs: WireValue; readonly counts: readonly number[]; readonly now: Instant | null };

export function textOfCalls(calls: readonly Call[]): string {
  const wireCalls: WireCall[] = [];
  for (let start = 0; start < calls.length;) {
    const end = endOfInserts(calls, start);
    wireCalls.push(end - start > 1 ? insertsOf(calls.slice(start, end)) : loadOf(calls[start]!));
    start = Math.max(end, start + 1);
  }
  return JSON.stringify(wireCalls);
}

export function callsOfText(text: string): Call[] {
  return (JSON.parse(text) as WireCall[]).flatMap((wireCall): Call[] => {
    const { now } = wireCall;
    if ('verb' in wireCall)
      return [{ verb: wireCall.verb, args: wireCall.args.map(unpacked), now }];
    const jobs = unpacked(wireCall.jobs) as unknown[];
    let next = 0;
    return wireCall.counts.map((count) => ({
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

function insertsOf(calls: readonly Call[]): WireCall {
  const lists = calls.map((call) => jobsOf(call)!);
  const counts = lists.map(({ length }) => length);
  return { jobs: packed(lists.flat()), counts, now: calls[0]!.now };
}

function loadOf({ verb, args, now }: Call): WireCall {
  return { verb, args: args.map(packed), now };
}

export function textOfAnswers(answers: readonly Answer[]): string {
  return JSON.stringify(
    answers.map((answer) => ('failure' in answer ? answer : packed(answer.value))),
  );
}

export function answersOfText(text: string): Answer[] {
  const wireValues = JSON.parse(text) as (WireValue | Extract<Answer, { failure: unknown }>)[];
  return wireValues.map((wireValue) =>
    'failure' in wireValue ? wireValue : { value: unpacked(wireValue) },
  );
}

function packed(value: unknown): WireValue {
  if (Array.isArray(value)) {
    const alike = alikeOf(value, 1);
    return alike === null ? { value } : { alike };
  }
  if (!isPlainObject(value) || !Array.isArray(value['items'])) return { value };
  const items = alikeOf(value['items'], 1);
  return items === null ? { value } : { page: { ...value, items: null }, items };
}

function unpacked(wireValue: WireValue): unknown {
  if ('alike' in wireValue) return thingsOf(wireValue.alike);
  if ('page' in wireValue) return { ...wireValue.page, items: thingsOf(wireValue.items) };
  return wireValue.value;
}

/** Null for what cannot be told in this way: things of other members, or of none. */
function alikeOf(list: readonly unknown[], depth: number): Alike | null {
  if (list.length < ALIKE_MIN || !list.every(isPlainObject)) return null;
  const [first] = list as [PlainObject];
  const names = differing(list);
  if (names === null) return null;
  const others: Record<string, Column> = {};
  for (const name of names) {
    const each = list.map((object) => object[name]);
    // JSON has no word for it in a list.
    if (each.includes(undefined)) return null;
    const alike = depth < DEPTH_MAX || OURS.has(name) ? alikeOf(each, depth + 1) : null;
    others[name] = alike === null ? { each } : { alike };
  }
  return { count: list.length, first, others };
}

function isPlainObject(value: unknown): value is PlainObject {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

/** Names of members that are not the same in all; null where not all have the same members. */
function differing(list: readonly PlainObject[]): Set<string> | null {
  const first = list[0]!;
  const names = Object.keys(first);
  const values = Object.values(first);
  const found = new Set<string>();
  for (const object of list) {
    let at = 0;
    for (const name in object) {
      if (name !== names[at]) return null;
      const value = object[name];
      if (value !== values[at] && !found.has(name) && !isSame(value, values[at])) found.add(name);
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
  return isPlainObject(one) && isPlainObject(other) && isSameObject(one, other);
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  for (let at = 0; at < one.length; at++) if (!isSame(one[at], other[at])) return false;
  return true;
}

function isSameObject(one: PlainObject, other: PlainObject): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  for (const name of names) {
    if (!Object.hasOwn(other, name) || !isSame(one[name], other[name])) return false;
  }
  return true;
}

function thingsOf({ count, first, others }: Alike): unknown[] {
  const objects = Array.from({ length: count }, () => ({ ...first }));
  for (const [name, column] of Object.entries(others)) {
    const values = 'each' in column ? column.each : thingsOf(column.alike);
    for (let index = 0; index < count; index++) objects[index]![name] = values[index];
  }
  return objects;
}
