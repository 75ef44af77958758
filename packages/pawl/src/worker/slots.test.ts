import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defineJob, type JobDefinition } from '../handler/define-job.ts';
import { Slots } from './slots.ts';

function job(type: string, concurrency?: number): JobDefinition {
  const limit = concurrency === undefined ? {} : { concurrency };
  return defineJob(type, { run: () => null, ...limit });
}

describe('slots', () => {
  test('ask for all types without a limit at once, and for the others one by one', () => {
    const slots = new Slots([job('a'), job('b', 2), job('c'), job('d', 1)], OPTIONS);
    assert.deepEqual(slots.orders(), [
      { types: ['a', 'c'], max: Infinity },
      { types: ['b'], max: 2 },
      { types: ['d'], max: 1 },
    ]);
  });

  test('let another order come first in each round', () => {
    const slots = new Slots([job('a'), job('b', 2)], OPTIONS);
    const firsts = [1, 2, 3].map(() => slots.orders()[0]?.types);
    assert.deepEqual(firsts, [['a'], ['b'], ['a']]);
  });

  test('have room for what may run and what may wait, and none below zero', () => {
    const slots = new Slots([job('a')], { slots: 2, prefetch: 1 });
    for (const fixture of [3, 2, 1, 0, 0]) {
      assert.equal(slots.roomWith(1), fixture);
      slots.hold('a');
    }
  });

  test('are taken up to the worker and the type, and free again when left', () => {
    const slots = new Slots([job('a'), job('b', 1)], { slots: 2, prefetch: 0 });
    assert.deepEqual([slots.enter('b'), slots.enter('b')], [true, false]);
    assert.deepEqual([slots.enter('a'), slots.enter('a')], [true, false]);
    slots.leave('b');
    assert.equal(slots.enter('b'), true);
  });

  test('of a type count what is claimed, whether it runs or not', () => {
    const slots = new Slots([job('b', 2)], OPTIONS);
    slots.hold('b');
    assert.deepEqual(slots.orders(), [{ types: ['b'], max: 1 }]);
    slots.hold('b');
    assert.deepEqual(slots.orders(), []);
    slots.letGo('b');
    assert.equal(slots.orders()[0]?.max, 1);
  });
});

const OPTIONS = { slots: 8, prefetch: 0 };
