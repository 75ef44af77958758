import type { Instant } from '../../core/clock.ts';
import {
  type Alike,
  AlikeList,
  alikeOf,
  isPlainObject,
  type PlainObject,
  thingsOf,
} from './alike.ts';
import { jobsOf } from './together.ts';
import type { Answer, Call, Verb } from './verbs.ts';

/**
 * What travels between threads, as JSON: faster than a structured clone, and it takes whatever a
 * database could take. Jobs, moves and outcomes go by the thousand, as lists of things alike.
 * One argument, or one answer: anything, a list of things that are alike, or a page of such.
 */
type WireValue =
  | { readonly value: unknown }
  | { readonly alike: Alike }
  | { readonly page: PlainObject; readonly items: Alike };

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
  if (value instanceof AlikeList) return { alike: value.alike };
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
