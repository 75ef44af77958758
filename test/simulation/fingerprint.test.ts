import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from './fingerprint.ts';

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
