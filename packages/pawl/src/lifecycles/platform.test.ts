import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide } from '../core/decide.ts';
import { SeededRandom } from '../core/random.ts';
import {
  claimsOf,
  factsOf,
  outcomesOf,
  statePairsOf,
  Walk,
} from '../../../../test/support/lifecycle-table.ts';
import { platform } from './platform.ts';

const TRANSIENT = { class: 'TransientError', message: 'again' };

describe('platform', () => {
  test('[P6, P7] exactly six transitions', () => {
    assert.deepEqual(statePairsOf(platform), [
      'CREATED→QUEUED',
      'QUEUED→RUNNING',
      'RETRY→DEAD',
      'RETRY→QUEUED',
      'RUNNING→RETRY',
      'RUNNING→SUCCESS',
    ]);
    assert.equal(platform.transitions.filter(({ from, to }) => from.state === to.state).length, 0);
  });

  test('[P6, P7, P15] what can be asked where, and all else refused', () => {
    assert.deepEqual(claimsOf(platform), { 'QUEUED/ready': 'RUNNING/executing' });
    assert.deepEqual(outcomesOf(platform), {
      'CREATED/held': { submit: 'QUEUED/ready' },
      'QUEUED/ready': {},
      'RUNNING/executing': {
        succeed: 'SUCCESS/succeeded',
        'fail, retryable': 'RETRY/waiting',
        'fail, exhausted': 'RETRY/waiting → DEAD/dead',
        'fail, fatal': 'RETRY/waiting → DEAD/dead',
        'fail, to the dead': 'RETRY/waiting → DEAD/dead',
        lose: 'RETRY/waiting',
        'lose, exhausted': 'RETRY/waiting → DEAD/dead',
        release: 'RETRY/waiting',
      },
      'RETRY/waiting': { requeue: 'QUEUED/ready' },
      'SUCCESS/succeeded': {},
      'DEAD/dead': {},
    });
  });

  test('a cancel is refused with the reason that there is none', () => {
    const request = { on: 'cancel', reason: null } as const;
    const decision = decide(factsOf(platform), request, new SeededRandom(1));
    assert.deepEqual(decision, {
      isLegal: false,
      reason: 'the lifecycle platform v1 has no cancellation',
    });
  });

  test('[P7, P8, P11] retry_count rises at every RUNNING → RETRY', () => {
    const walk = new Walk(platform).claim().ask({ on: 'release' });
    assert.equal(walk.facts.retryCount, 1);
    walk.ask({ on: 'requeue' }).claim().ask({ on: 'lose' });
    assert.equal(walk.facts.retryCount, 2);
    walk.ask({ on: 'requeue' }).claim().ask({ on: 'fail', error: TRANSIENT });
    assert.equal(walk.facts.retryCount, 3);
    walk.ask({ on: 'requeue' }).claim().ask({ on: 'fail', error: TRANSIENT });
    assert.deepEqual([walk.facts.place.state, walk.facts.retryCount], ['DEAD', 4]);
  });

  test('[P7] a fatal error passes through RETRY without scheduling a retry', () => {
    const error = { class: 'ValidationError', message: 'no' };
    const { steps } = new Walk(platform).claim().ask({ on: 'fail', error });
    assert.deepEqual(
      steps.map(({ event, delayMs, backoffMs, attempts, epoch }) => {
        return [event, delayMs, backoffMs, attempts, epoch];
      }),
      [
        ['job_failed', 0, null, 1, 1],
        ['job_dead_lettered', 0, null, 1, 1],
      ],
    );
  });
});
