import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { opensEpoch } from '../core/lifecycle.ts';
import {
  claimsOf,
  outcomesOf,
  policyOf,
  statePairsOf,
  Walk,
} from '../../../../test/support/lifecycle-table.ts';
import { distributed } from './distributed.ts';

const RETURNS = ['assigned→queued', 'running→queued'];

describe('distributed', () => {
  test('[R1, R2] the listed transitions and no others', () => {
    assert.deepEqual(statePairsOf(distributed), [
      'assigned→cancelled',
      'assigned→dead_lettered',
      'assigned→queued',
      'assigned→running',
      'queued→assigned',
      'queued→cancelled',
      'queued→dead_lettered',
      'running→cancelled',
      'running→dead_lettered',
      'running→failed',
      'running→queued',
      'running→succeeded',
    ]);
  });

  test('[R2, R4] the returns to queued, and only they, open a new epoch', () => {
    const opening = distributed.transitions
      .filter(({ from, to }) => opensEpoch(from, to))
      .map(({ from, to }) => `${from.state}→${to.state}`);
    assert.deepEqual([...new Set(opening)].sort(), RETURNS);
  });

  test('[R2, R10, R12] what can be asked where, and all else refused', () => {
    assert.deepEqual(claimsOf(distributed), { 'queued/ready': 'assigned/leased' });
    const dead = 'dead_lettered/dead';
    const cancel = 'cancelled/cancelled';
    const owned = {
      'fail, retryable': 'queued/ready',
      'fail, to the dead': dead,
      lose: 'queued/ready',
      'lose, exhausted': dead,
      release: 'queued/ready',
      cancel,
      deadLetter: dead,
    };
    assert.deepEqual(outcomesOf(distributed), {
      'queued/ready': { cancel, deadLetter: dead },
      'assigned/leased': {
        ...owned,
        start: 'running/executing',
        'fail, exhausted': dead,
        'fail, fatal': dead,
      },
      'running/executing': {
        ...owned,
        succeed: 'succeeded/succeeded',
        'fail, exhausted': 'failed/failed',
        'fail, fatal': 'failed/failed',
        snooze: 'queued/ready',
      },
      'succeeded/succeeded': {},
      'failed/failed': {},
      'cancelled/cancelled': {},
      'dead_lettered/dead': {},
    });
  });

  test('[R12] exhausted retries end dead where the policy says so; a fatal error does not', () => {
    const policy = policyOf(distributed, { onExhausted: 'dead_lettered' });
    const running = outcomesOf(distributed, policy)['running/executing']!;
    assert.equal(running['fail, exhausted'], 'dead_lettered/dead');
    assert.equal(running['fail, fatal'], 'failed/failed');
  });

  test('[R8, R9, R11] the ranges of leases and the default backoff', () => {
    assert.deepEqual(distributed.bounds.ttlMs, [30_000, 120_000]);
    assert.deepEqual(distributed.bounds.heartbeatMs, [10_000, 30_000]);
    const { backoff } = distributed.defaults.retry;
    const wanted = { kind: 'exponential', baseMs: 500, factor: 2, maxMs: 60_000, jitter: 'full' };
    assert.deepEqual(backoff, wanted);
  });

  test('[R10] ownership lost: queued at once in a new epoch, dead after the last attempt', () => {
    const policy = policyOf(distributed, {
      retry: { ...distributed.defaults.retry, maxAttempts: 2 },
    });
    const walk = new Walk(distributed, { policy }).claim().ask({ on: 'lose' });
    assert.deepEqual([walk.facts.place.state, walk.facts.epoch], ['queued', 2]);
    assert.deepEqual([walk.facts.attempts, walk.steps[0]!.delayMs], [2, 0]);
    walk.claim().ask({ on: 'start' }).ask({ on: 'lose' });
    assert.equal(walk.facts.place.state, 'dead_lettered');
    assert.equal(walk.facts.epoch, 2);
  });
});
