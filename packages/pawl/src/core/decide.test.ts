import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { distributed } from '../lifecycles/distributed.ts';
import { document } from '../lifecycles/document.ts';
import { platform } from '../lifecycles/platform.ts';
import { process } from '../lifecycles/process.ts';
import { task } from '../lifecycles/task.ts';
import { factsOf, legal, placeAt, policyOf } from '../../../../test/support/lifecycle-table.ts';
import { decide } from './decide.ts';
import type { Facts, Request, Step } from './decision.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Policy } from './policy.ts';
import { SeededRandom } from './random.ts';
import { exponential } from './retry.ts';

const EXECUTING = new Map<Lifecycle, string>([
  [document, 'RUNNING/executing'],
  [process, 'running/executing'],
  [platform, 'RUNNING/executing'],
  [task, 'running/executing'],
  [distributed, 'running/executing'],
]);

function executing(lifecycle: Lifecycle, more: Partial<Facts> = {}): Facts {
  return factsOf(lifecycle, { place: placeAt(lifecycle, EXECUTING.get(lifecycle)!), ...more });
}

function only(facts: Facts, request: Request): Step {
  const { steps } = legal(decide(facts, request, new SeededRandom(3)));
  assert.equal(steps.length, 1);
  return steps[0]!;
}

const BUG = { class: 'internal_bug', message: 'oops' };

describe('a decision', () => {
  test('is the same for the same facts and the same chance', () => {
    const facts = executing(task);
    const request = { on: 'fail', error: { class: 'network_timeout', message: '' } } as const;
    const one = decide(facts, request, new SeededRandom(5));
    assert.deepEqual(decide(facts, request, new SeededRandom(5)), one);
  });

  test('that is refused names the lifecycle, the trigger and the place', () => {
    const decision = decide(executing(document), { on: 'submit' }, new SeededRandom(1));
    const reason = 'the lifecycle document v1 lists no submit from RUNNING/executing';
    assert.deepEqual(decision, { isLegal: false, reason });
  });

  test('[T17] a success clears the error and keeps the counters', () => {
    const step = only(executing(task, { attempts: 2, retryCount: 1 }), { on: 'succeed' });
    assert.deepEqual(
      [step.error, step.attempts, step.retryCount, step.delayMs, step.event],
      [null, 2, 1, 0, 'job_succeeded'],
    );
  });

  test('an error that is not touched is kept', () => {
    assert.equal(only(executing(task), { on: 'release' }).error, undefined);
    assert.equal(only(executing(task), { on: 'cancel', reason: null }).error, undefined);
  });

  test('a delay that was asked for is taken as it is, and is no backoff', () => {
    const step = only(executing(task), { on: 'snooze', delayMs: 1_234 });
    assert.deepEqual([step.delayMs, step.backoffMs, step.event], [1_234, null, 'job_snoozed']);
  });
});

describe('a retry', () => {
  const retry = { maxAttempts: 9, backoff: exponential({ baseMs: 100, maxMs: 5_000 }) };
  const plain = { ...retry, backoff: { ...retry.backoff, jitter: 'none' as const } };

  test('[R11] waits longer each time, by the number of attempts spent', () => {
    const policy = policyOf(distributed, { retry: plain });
    const error = { class: 'TransientError', message: '' };
    const waits = [1, 2, 3, 6, 7].map((attempts) => {
      const step = only(executing(distributed, { policy, attempts }), { on: 'fail', error });
      assert.equal(step.backoffMs, step.delayMs);
      return step.delayMs;
    });
    assert.deepEqual(waits, [100, 200, 400, 3_200, 5_000]);
  });

  test('[R12] is granted below the maximum of attempts and not at it', () => {
    const error = { class: 'network_timeout', message: '' };
    const second = only(executing(task, { attempts: 2 }), { on: 'fail', error });
    assert.deepEqual([second.to.phase, second.attempts], ['waiting', 3]);
    const third = only(executing(task, { attempts: 3 }), { on: 'fail', error });
    assert.deepEqual([third.to.phase, third.attempts], ['failed', 3]);
  });

  test("[T5, T6] is up to the type's own list of classes", () => {
    const error = { class: 'quota_exceeded', message: '' };
    assert.equal(only(executing(task), { on: 'fail', error }).to.phase, 'failed');
    const policy = policyOf(task, { retryable: ['quota_exceeded'] });
    assert.equal(only(executing(task, { policy }), { on: 'fail', error }).to.phase, 'waiting');
    const other = { class: 'network_timeout', message: '' };
    const step = only(executing(task, { policy }), { on: 'fail', error: other });
    assert.deepEqual([step.to.phase, step.error!.retryable], ['failed', false]);
  });

  test('that is not granted although attempts are left says why in a hint, never in the message', () => {
    const error = { class: 'weird', message: 'Oh.' };
    const hintOf = (policy: Partial<Policy>, attempts = 1): unknown => {
      const facts = executing(task, { policy: policyOf(task, policy), attempts });
      const kept = only(facts, { on: 'fail', error }).error!;
      assert.equal(kept.message, 'Oh.');
      return kept.hint;
    };
    assert.equal(hintOf({}), undefined);
    assert.equal(
      hintOf({ retryable: ['a', 'b'] }),
      'not retried: type "job" retries only a, b; add "weird" to `retryable`',
    );
    assert.equal(hintOf({ fatal: ['weird'] }), 'not retried: "weird" is fatal for type "job"');
    assert.equal(hintOf({ fatal: ['weird'] }, 3), undefined, 'no attempt was left anyway');
  });

  test('an error keeps what was reported, its stage from the job if it has none', () => {
    const error = { class: 'internal_bug', message: 'm', code: 'C', details: { a: 1 } };
    const step = only(executing(task, { stage: 'extract' }), { on: 'fail', error });
    const { hint: _, ...kept } = step.error!;
    assert.deepEqual(kept, { ...error, stage: 'extract', retryable: false });
    const staged = { ...error, stage: 'own' };
    assert.equal(only(executing(task), { on: 'fail', error: staged }).error!.stage, 'own');
  });
});

describe('with a cancel wish pending', () => {
  const wished = { isCancelWished: true };

  test('[R13] fail, snooze, advance, release and loss end cancelled', () => {
    const requests: Request[] = [
      { on: 'fail', error: BUG },
      { on: 'fail', error: { class: 'network_timeout', message: '' } },
      { on: 'snooze', delayMs: 5 },
      { on: 'advance', delayMs: 5 },
      { on: 'release' },
      { on: 'lose' },
    ];
    for (const request of requests) {
      const step = only(executing(process, wished), request);
      assert.deepEqual([step.to.phase, step.event], ['cancelled', 'job_cancelled']);
      assert.equal(step.cause, 'a cancel was pending');
      const { deadLetter } = legal(
        decide(executing(process, wished), request, new SeededRandom(1)),
      );
      assert.equal(deadLetter, null);
    }
  });

  test('a success still wins', () => {
    assert.equal(only(executing(process, wished), { on: 'succeed' }).to.phase, 'succeeded');
  });

  test('start and requeue go on: only the owner or the sweep ends the job', () => {
    const place = placeAt(distributed, 'assigned/leased');
    const step = only(factsOf(distributed, { place, ...wished }), { on: 'start' });
    assert.equal(step.to.phase, 'executing');
  });
});

describe('a cancel', () => {
  test('[D18] takes a chain of listed rows where it has none, skipping the wait', () => {
    const place = placeAt(document, 'RETRYING/waiting');
    const request = { on: 'cancel', reason: 'Ann' } as const;
    const facts = factsOf(document, { place, epoch: 4, attempts: 2, retryCount: 1 });
    const { steps } = legal(decide(facts, request, new SeededRandom(1)));
    assert.deepEqual(
      steps.map(({ to, epoch, attempts, retryCount, delayMs }) => {
        return [to.phase, epoch, attempts, retryCount, delayMs];
      }),
      [
        ['ready', 5, 2, 1, 0],
        ['cancelled', 5, 2, 1, 0],
      ],
    );
  });

  test('without a reason has "cancelled" for its cause', () => {
    assert.equal(only(executing(task), { on: 'cancel', reason: null }).cause, 'cancelled');
  });
});
