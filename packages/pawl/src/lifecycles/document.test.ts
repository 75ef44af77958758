import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide } from '../core/decide.ts';
import { SeededRandom } from '../core/random.ts';
import {
  claimsOf,
  factsOf,
  legal,
  outcomesOf,
  placeAt,
  statePairsOf,
  Walk,
} from '../../../../test/support/lifecycle-table.ts';
import { document } from './document.ts';

const random = new SeededRandom(1);
const TIMEOUT = { class: 'timeout', message: 'too slow' };

describe('document', () => {
  test('[D1] six states, the last two terminal', () => {
    const states = document.places.map(({ state, phase }) => `${state}/${phase}`);
    assert.deepEqual(states, [
      'CREATED/held',
      'QUEUED/ready',
      'RUNNING/executing',
      'RETRYING/waiting',
      'SUCCEEDED/succeeded',
      'FAILED/failed',
      'FAILED/cancelled',
    ]);
  });

  test('[D2] exactly seven transitions', () => {
    assert.deepEqual(statePairsOf(document), [
      'CREATED→QUEUED',
      'QUEUED→FAILED',
      'QUEUED→RUNNING',
      'RETRYING→QUEUED',
      'RUNNING→FAILED',
      'RUNNING→RETRYING',
      'RUNNING→SUCCEEDED',
    ]);
    assert.equal(document.transitions.filter(({ from, to }) => from.state === to.state).length, 0);
  });

  test('[D2, D3, D11, D18, D19] what can be asked where, and all else refused', () => {
    assert.deepEqual(claimsOf(document), { 'QUEUED/ready': 'RUNNING/executing' });
    assert.deepEqual(outcomesOf(document), {
      'CREATED/held': { submit: 'QUEUED/ready', cancel: 'QUEUED/ready → FAILED/cancelled' },
      'QUEUED/ready': { reject: 'FAILED/failed', cancel: 'FAILED/cancelled' },
      'RUNNING/executing': {
        succeed: 'SUCCEEDED/succeeded',
        'fail, retryable': 'RETRYING/waiting',
        'fail, exhausted': 'FAILED/failed',
        'fail, fatal': 'FAILED/failed',
        'fail, to the dead': 'FAILED/failed',
        lose: 'RETRYING/waiting',
        'lose, exhausted': 'FAILED/failed',
        release: 'RETRYING/waiting',
        cancel: 'FAILED/cancelled',
      },
      'RETRYING/waiting': { requeue: 'QUEUED/ready', cancel: 'QUEUED/ready → FAILED/cancelled' },
      'SUCCEEDED/succeeded': {},
      'FAILED/failed': {},
      'FAILED/cancelled': {},
    });
  });

  test('[D4, D6] the four retryable kinds wait exactly one second, unchangeably', () => {
    const kinds = ['transient_system_error', 'timeout', 'queue_overload', 'dependency_unavailable'];
    assert.deepEqual(document.defaults.retryable, kinds);
    assert.deepEqual(document.defaults.retry.backoff, { kind: 'fixed', baseMs: 1_000 });
    assert.equal(document.bounds.retryIsFixed, true);
    const place = placeAt(document, 'RUNNING/executing');
    for (const kind of kinds) {
      const request = { on: 'fail', error: { class: kind, message: '' } } as const;
      const [step] = legal(decide(factsOf(document, { place }), request, random)).steps;
      assert.deepEqual([step!.to.state, step!.delayMs], ['RETRYING', 1_000]);
    }
  });

  test('[D5] the five other kinds go straight to FAILED', () => {
    const place = placeAt(document, 'RUNNING/executing');
    for (const kind of [
      'invalid_document',
      'job_validation',
      'permanent_timeout',
      'configuration_error',
      'resource_limit_exceeded',
    ]) {
      const request = { on: 'fail', error: { class: kind, message: 'no' } } as const;
      const { steps } = legal(decide(factsOf(document, { place }), request, random));
      assert.deepEqual([steps.length, steps[0]!.to.state], [1, 'FAILED']);
      assert.deepEqual(
        [steps[0]!.retryCount, steps[0]!.error!.retryable, steps[0]!.error!.message],
        [0, false, 'no'],
      );
    }
  });

  test('[D6, D7, D10] at most three retries, counted from 0', () => {
    const walk = new Walk(document);
    for (let retry = 1; retry <= 3; retry++) {
      walk.claim().ask({ on: 'fail', error: TIMEOUT });
      assert.equal(walk.facts.retryCount, retry);
      walk.ask({ on: 'requeue' });
    }
    walk.claim().ask({ on: 'fail', error: TIMEOUT });
    assert.deepEqual([walk.facts.place.state, walk.facts.retryCount], ['FAILED', 3]);
    assert.equal(walk.states.filter((state) => state === 'RETRYING').length, 3);
  });

  test('[D18] a cancelled job has an error that says so, for FAILED has one', () => {
    const place = placeAt(document, 'RUNNING/executing');
    const request = { on: 'cancel', reason: 'by Ann' } as const;
    const [step] = legal(decide(factsOf(document, { place }), request, random)).steps;
    const { class: kind, message, retryable } = step!.error!;
    assert.deepEqual([kind, message, retryable], ['cancelled', 'by Ann', false]);
    assert.deepEqual([step!.event, step!.cause], ['job_cancelled', 'by Ann']);
  });
});

describe("the document's four traces", () => {
  test('[D14] successful processing', () => {
    const walk = new Walk(document).claim().ask({ on: 'succeed' });
    assert.deepEqual(walk.states, ['CREATED', 'QUEUED', 'RUNNING', 'SUCCEEDED']);
    assert.equal(walk.steps.at(-1)!.error, null);
  });

  test('[D14] failure with successful retry', () => {
    const walk = new Walk(document).claim().ask({ on: 'fail', error: TIMEOUT });
    assert.deepEqual([walk.facts.retryCount, walk.steps.at(-1)!.delayMs], [1, 1_000]);
    walk.ask({ on: 'requeue' }).claim().ask({ on: 'succeed' });
    assert.deepEqual(walk.states, [
      'CREATED',
      'QUEUED',
      'RUNNING',
      'RETRYING',
      'QUEUED',
      'RUNNING',
      'SUCCEEDED',
    ]);
    assert.equal(walk.facts.retryCount, 1);
  });

  test('[D14] failure exhausting retries', () => {
    const error = { class: 'dependency_unavailable', message: 'temporary unavailable' };
    const walk = new Walk(document).claim();
    const counts: number[] = [];
    for (let retry = 1; retry <= 3; retry++) {
      walk.ask({ on: 'fail', error });
      counts.push(walk.facts.retryCount);
      walk.ask({ on: 'requeue' }).claim();
    }
    walk.ask({ on: 'fail', error });
    const round = ['RETRYING', 'QUEUED', 'RUNNING'];
    const begin = ['CREATED', 'QUEUED', 'RUNNING'];
    assert.deepEqual(walk.states, [...begin, ...round, ...round, ...round, 'FAILED']);
    assert.deepEqual([counts, walk.facts.retryCount], [[1, 2, 3], 3]);
  });

  test('[D14] non-retryable failure', () => {
    const error = { class: 'invalid_document', message: 'invalid document format' };
    const walk = new Walk(document).claim().ask({ on: 'fail', error });
    assert.deepEqual(walk.states, ['CREATED', 'QUEUED', 'RUNNING', 'FAILED']);
    assert.equal(walk.facts.retryCount, 0);
  });
});
