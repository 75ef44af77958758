import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  claimsOf,
  outcomesOf,
  statePairsOf,
  Walk,
} from '../../../../test/support/lifecycle-table.ts';
import { task } from './task.ts';

describe('task', () => {
  test('[T2, T4, T31] the state machine, with the lost worker as the only way back', () => {
    assert.deepEqual(statePairsOf(task), [
      'pending→canceled',
      'pending→running',
      'running→canceled',
      'running→failed',
      'running→pending',
      'running→succeeded',
    ]);
    const back = task.transitions.filter(({ to }) => to.state === 'pending');
    assert.deepEqual(
      back.map(({ on }) => on),
      ['lose'],
    );
  });

  test('[T2, T4, T7] what can be asked where, and all else refused', () => {
    assert.deepEqual(claimsOf(task), {
      'pending/ready': 'running/executing',
      'running/ready': 'running/executing',
    });
    const cancel = 'canceled/cancelled';
    assert.deepEqual(outcomesOf(task), {
      'pending/ready': { cancel },
      'running/ready': { cancel },
      'running/executing': {
        succeed: 'succeeded/succeeded',
        'fail, retryable': 'running/waiting',
        'fail, exhausted': 'failed/failed',
        'fail, fatal': 'failed/failed',
        'fail, to the dead': 'failed/failed',
        lose: 'pending/ready',
        'lose, exhausted': 'failed/failed',
        snooze: 'running/waiting',
        release: 'running/ready',
        cancel,
      },
      'running/waiting': { requeue: 'running/ready', cancel },
      'succeeded/succeeded': {},
      'failed/failed': {},
      'canceled/cancelled': {},
    });
  });

  test('[T4] the backoff wait is inside running', () => {
    const error = { class: 'network_timeout', message: '' };
    const walk = new Walk(task).claim().ask({ on: 'fail', error }).ask({ on: 'requeue' }).claim();
    assert.deepEqual(walk.states, ['pending', 'running', 'running', 'running', 'running']);
    assert.equal(walk.facts.attempts, 2);
  });

  test('[T31] a lost worker: attempt + 1 and pending at once, else failed with worker_lost', () => {
    const walk = new Walk(task).claim().ask({ on: 'lose' });
    assert.deepEqual([walk.facts.place.state, walk.facts.attempts], ['pending', 2]);
    assert.deepEqual([walk.steps[0]!.delayMs, walk.steps[0]!.cause], [0, 'lease_expired']);
    walk.claim().ask({ on: 'lose' });
    assert.deepEqual([walk.facts.place.state, walk.facts.attempts], ['pending', 3]);
    walk.claim().ask({ on: 'lose' });
    assert.deepEqual([walk.facts.place.state, walk.facts.attempts], ['failed', 3]);
    assert.equal(walk.steps.at(-1)!.error!.class, 'worker_lost');
  });

  test('a snooze or a release costs no attempt', () => {
    const walk = new Walk(task).claim().ask({ on: 'snooze', delayMs: 9 }).ask({ on: 'requeue' });
    walk.claim().ask({ on: 'release' }).claim();
    assert.deepEqual([walk.facts.attempts, walk.facts.retryCount, walk.facts.epoch], [1, 0, 3]);
  });
});
