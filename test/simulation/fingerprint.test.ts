import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TailPage, TailQuery } from 'pawl/internal/store/query';
import { fingerprint } from './fingerprint.ts';
import { TailFingerprint } from './tail-fingerprint.ts';

const LOG = 'the name of this log';
const job = {
  id: 'a',
  epoch: 3,
  owner: null,
  at: 1_767_225_600_001,
  tags: ['x', 'y'],
  done: false,
};

test('members count by name and value, in whatever order they come', () => {
  const { done, id, ...rest } = job;
  assert.equal(fingerprint({ done, ...rest, id, gone: undefined }, LOG), fingerprint(job, LOG));
});

test('whatever else differs has another number', () => {
  const others: readonly unknown[] = [
    { ...job, id: 'b' },
    { ...job, epoch: 4 },
    { ...job, epoch: '3' },
    { ...job, owner: 'w1' },
    { ...job, at: job.at + 1 },
    { ...job, tags: ['y', 'x'] },
    { ...job, done: true },
    { ...job, id: null, owner: 'a' },
    [job],
    null,
  ];
  const numbers = [job, ...others].map((value) => fingerprint(value, LOG));
  assert.equal(new Set(numbers).size, numbers.length);
});

test('places in a log and its name are the same on every store', () => {
  const page = (name: string): object => ({ cursor: `${name}-17`, log: name, items: [job] });
  assert.equal(fingerprint(page('one'), 'one'), fingerprint(page('other'), 'other'));
  assert.notEqual(fingerprint({ cursor: null }, LOG), fingerprint({ cursor: 'x' }, LOG));
});

/** The numbers of the pages in which a reader gets these items, and of the empty one at the end. */
function readInPages(items: readonly unknown[], size: number): number[] {
  const tails = new TailFingerprint(LOG);
  const numbers: number[] = [];
  let from: TailQuery['from'] = 'start';
  for (let at = 0; at <= items.length; at += size) {
    const page = { items: items.slice(at, at + size), cursor: `${at + size}`, isReset: false };
    numbers.push(tails.of({ tenant: 't', from, limit: size }, page as unknown as TailPage));
    from = { cursor: page.cursor };
  }
  return numbers;
}

test('what a reader was told up to the end of the log counts in any order', () => {
  const items = ['a', 'b', 'c', 'd'].map((id) => ({ event: { ...job, id } }));
  const [one, two, three, four] = items;
  assert.deepEqual(readInPages([one, three, two, four], 2), readInPages(items, 2));
  assert.notDeepEqual(readInPages([one, two, three, three], 2), readInPages(items, 2));
  assert.notDeepEqual(readInPages([one, two, three], 2), readInPages(items, 2));
});
