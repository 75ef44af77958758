import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answer, Call } from './verbs.ts';
import { answersOfText, callsOfText, textOfAnswers, textOfCalls } from './wire.ts';

/** What arrives in the other thread, and how long the text was on its way. */
function sent(list: readonly unknown[]): { arrived: unknown; length: number } {
  const call: Call = { verb: 'insert', args: [list], now: 7 };
  const text = textOfCalls([call]);
  const [arrived] = callsOfText(text)[0]!.args;
  return { arrived, length: text.length };
}

/** JSON is the law: however a list travels, it arrives as its JSON would. */
function arrivesAsJson(list: readonly unknown[]): void {
  const plain = JSON.parse(JSON.stringify(list)) as unknown;
  assert.deepEqual(sent(list).arrived, plain);
  const answers: Answer[] = [
    { value: list },
    { failure: { outcome: 'refused', trouble: null, message: 'no' } },
  ];
  const back = JSON.parse(JSON.stringify(answers)) as unknown;
  assert.deepEqual(answersOfText(textOfAnswers(answers)), back);
  const page: Answer[] = [{ value: { items: list, cursor: 'c', isReset: false } }];
  const pageBack = JSON.parse(JSON.stringify(page)) as unknown;
  assert.deepEqual(answersOfText(textOfAnswers(page)), pageBack);
}

function five(make: (n: number) => unknown): unknown[] {
  return Array.from({ length: 5 }, (_, n) => make(n));
}

const LISTS: Readonly<Record<string, readonly unknown[]>> = {
  'no things': [],
  constants: [1, 'two', null, true, 5],
  'things that are all the same': five(() => ({ a: 1, b: null, c: [{ d: 'x' }] })),
  'things that differ in some members': five((n) => ({ a: 1, id: `${n}`, n, c: ['same'] })),
  'things with things in them': five((n) => ({ job: { id: n, error: { details: n } }, at: 1 })),
  'things of which one has none': five((n) => ({ job: n === 2 ? null : { id: n }, at: 1 })),
  'members in another order': five((n) => (n === 3 ? { b: 2, a: 1 } : { a: 1, b: 2 })),
  'a member that one alone has': five((n) => (n === 3 ? { a: 1, b: 2 } : { a: 1 })),
  'other members, as many': five((n) => (n === 3 ? { c: 1 } : { a: 1 })),
  'a member that is sometimes undefined': five((n) => ({ a: n, b: n === 4 ? undefined : 'b' })),
  'a member that is always undefined': five((n) => ({ a: n, b: undefined })),
  'dates, which are no plain things': five((n) => ({ a: 1, at: new Date(n) })),
  'names that every thing inherits': five((n) => ({
    a: n === 2 ? { x: 1 } : { toString: 1 },
    b: n === 2 ? JSON.parse('{"__proto__":{"x":1}}') : {},
  })),
  'places in trees': five((n) => ({ job: { id: n, awaitedBy: { jobId: 'j', key: `${n}` } } })),
  'a place that one alone has': five((n) => ({
    job: { awaitedBy: n === 1 ? { key: 'a' } : null },
  })),
  'lists of another length': five((n) => ({ steps: n === 1 ? ['one', 'two'] : ['one'] })),
  'texts of digits': five((n) => ({ key: `${n * 1_000}`, way: `${-n}` })),
  'texts that look like numbers': five((n) => ({
    a: n === 1 ? 'NaN' : 'Infinity',
    b: `0${n}`,
    c: `${n}.5`,
    d: n === 1 ? '-0' : '1',
    e: n === 1 ? 'null' : `${n}e3`,
    f: n === 1 ? '' : ' 1',
    g: n === 1 ? 1 : '1',
  })),
  'words that are no ASCII': five((n) => ({ a: `ü\u0000\ud83d\ude00${n}` })),
};

describe('a list that goes to another thread and back', () => {
  for (const [name, list] of Object.entries(LISTS)) {
    test(`arrives as JSON would bring it: ${name}`, () => arrivesAsJson(list));
  }

  test('says only once what a thousand things have in common', () => {
    const job = (n: number): unknown => ({ id: n, input: 'x'.repeat(100), place: { state: 's' } });
    const many = Array.from({ length: 1_000 }, (_, n) => job(n));
    const { arrived, length } = sent(many);
    assert.deepEqual(arrived, many);
    assert.ok(length < 10_000, `${length} characters`);
  });

  test('things that arrive are things of their own', () => {
    const { arrived } = sent(five((n) => ({ id: n, state: 's' })));
    const [one, other] = arrived as { state: string }[];
    one!.state = 'changed';
    assert.equal(other!.state, 's');
  });
});
