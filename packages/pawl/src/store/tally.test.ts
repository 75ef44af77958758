import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byPhase, mergeTallies, type Tally } from './tally.ts';

const READY: Tally = {
  tenant: 'default',
  type: 'mail',
  queue: 'default',
  state: 'pending',
  phase: 'ready',
  priorityClass: 'normal',
  count: 3,
  isAtLeast: false,
  oldestRunAt: 20,
};

test('counts of one place are one: together at least so many, the oldest of all', () => {
  const later = { ...READY, count: 2, isAtLeast: true, oldestRunAt: 30 };
  const both = { ...READY, count: 5, isAtLeast: true };
  assert.deepEqual(mergeTallies([READY, later]), [both]);
  assert.deepEqual(mergeTallies([later, READY]), [both]);
});

test('counts of places that differ in anything stay apart', () => {
  const others: Partial<Tally>[] = [
    { tenant: 'other' },
    { type: 'other' },
    { queue: 'other' },
    { state: 'other' },
    { phase: 'held' },
    { priorityClass: 'high' },
  ];
  const all = [READY, ...others.map((other) => ({ ...READY, ...other }))];
  assert.deepEqual(mergeTallies(all), all);
});

test('a phase is named once of which not all jobs were counted', () => {
  const more = { ...READY, type: 'other', isAtLeast: true };
  const running = { ...READY, phase: 'executing', count: 1 } as const;
  assert.deepEqual(byPhase([READY, more, { ...more, queue: 'slow' }, running]), {
    phases: { ready: 9, executing: 1 },
    atLeast: ['ready'],
  });
});
