import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  claimsOf,
  outcomesOf,
  statePairsOf,
  Walk,
} from '../../../../test/support/lifecycle-table.ts';
import { process } from './process.ts';

describe('process', () => {
  test('[O1] accepted and running lead to each end; only accepted leads to running', () => {
    assert.deepEqual(statePairsOf(process), [
      'accepted→dismissed',
      'accepted→failed',
      'accepted→running',
      'accepted→successful',
      'running→dismissed',
      'running→failed',
      'running→successful',
    ]);
    const kept = process.transitions.filter(({ from, to }) => from.state === to.state);
    assert.deepEqual([...new Set(kept.map(({ from }) => from.state))], ['accepted', 'running']);
  });

  test('[O1] what can be asked where, and all else refused', () => {
    assert.deepEqual(claimsOf(process), {
      'accepted/ready': 'accepted/executing',
      'running/ready': 'running/executing',
      'accepted/waiting': 'accepted/executing, quiet',
      'running/waiting': 'running/executing, quiet',
    });
    const ends = {
      succeed: 'successful/succeeded',
      'fail, exhausted': 'failed/failed',
      'fail, fatal': 'failed/failed',
      'fail, to the dead': 'failed/failed',
      'lose, exhausted': 'failed/failed',
      cancel: 'dismissed/cancelled',
    };
    assert.deepEqual(outcomesOf(process), {
      'accepted/ready': { cancel: 'dismissed/cancelled', reject: 'failed/failed' },
      'accepted/executing': {
        ...ends,
        'fail, retryable': 'accepted/waiting',
        lose: 'accepted/ready',
        snooze: 'accepted/waiting',
        advance: 'running/waiting',
        release: 'accepted/ready',
      },
      'accepted/waiting': { cancel: 'dismissed/cancelled' },
      'running/ready': { cancel: 'dismissed/cancelled' },
      'running/executing': {
        ...ends,
        'fail, retryable': 'running/waiting',
        lose: 'running/ready',
        snooze: 'running/waiting',
        advance: 'running/waiting',
        release: 'running/ready',
      },
      'running/waiting': { cancel: 'dismissed/cancelled' },
      'successful/succeeded': {},
      'failed/failed': {},
      'dismissed/cancelled': {},
    });
  });

  test('[O3] three attempts, from 1 s to at most 5 s', () => {
    assert.equal(process.defaults.retry.maxAttempts, 3);
    const { backoff } = process.defaults.retry;
    assert.deepEqual(
      backoff.kind === 'exponential' && [backoff.baseMs, backoff.maxMs],
      [1_000, 5_000],
    );
  });

  test('[O15] polls that find nothing new are quiet and cost no attempt', () => {
    const walk = new Walk(process).claim().ask({ on: 'advance', delayMs: 5_000 });
    for (let poll = 0; poll < 50; poll++) walk.claim().ask({ on: 'snooze', delayMs: 5_000 });
    assert.equal(walk.facts.attempts, 1);
    assert.deepEqual(walk.steps.map(({ quiet }) => quiet).slice(0, 3), [false, true, true]);
    assert.equal(walk.steps.at(-1)!.delayMs, 5_000);
    walk.claim().ask({ on: 'succeed' });
    assert.equal(walk.facts.place.state, 'successful');
  });

  test('[O20] an immediate result goes from accepted to successful', () => {
    const walk = new Walk(process).claim().ask({ on: 'succeed' });
    assert.deepEqual(walk.states, ['accepted', 'accepted', 'successful']);
  });
});
