import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { breakEvent, breakRow, broken, planted } from '../../../../test/support/check/planted.ts';
import { claimed, failedRun, retriedRun } from '../../../../test/support/check/runs.ts';
import { failure, World } from '../../../../test/support/check/world.ts';
import type { Policy } from '../core/policy.ts';
import { SeededRandom } from '../core/random.ts';
import { backoffMs, exponential, fixed, JITTERS } from '../core/retry.ts';
import { distributed } from '../lifecycles/distributed.ts';
import { task } from '../lifecycles/task.ts';
import { checkHistory } from './check-history.ts';
import type { HistoryInput } from './history.ts';
import { delayBounds } from './retries.ts';

/** A task that fails with a retryable error until its attempts are used up. */
async function exhaustedRun(policy: Partial<Policy> = {}): Promise<HistoryInput> {
  const world = new World(task, { policy });
  await world.submit();
  for (let attempt = 1; attempt <= world.policy.retry.maxAttempts; attempt++) {
    const error = failure('network_timeout');
    await world.ask(await claimed(world), { on: 'fail', error }, 'owner');
    world.clock.advance(60_000);
  }
  return world.record();
}

function withPolicy(kept: HistoryInput, edit: Partial<Policy>): HistoryInput {
  return { ...kept, policies: new Map([[1, { ...kept.policies.get(1)!, ...edit }]]) };
}

describe('retries', () => {
  for (const jitter of JITTERS) {
    test(`the bounds of ${jitter} jitter hold all that the policy can choose`, () => {
      const random = new SeededRandom(7);
      for (const backoff of [exponential({ baseMs: 100, maxMs: 1_000, jitter }), fixed(250)]) {
        for (const previousMs of [null, 0, 100, 900]) {
          for (let number = 1; number < 8; number++) {
            const retry = { number, previousMs };
            const [min, max] = delayBounds(backoff, retry);
            const delayMs = backoffMs(backoff, retry, random);
            assert.ok(delayMs >= min && delayMs <= max, `${delayMs} of ${min} to ${max}`);
          }
        }
      }
    });
  }

  planted('I15', 'a retry that waits longer than the policy says is found', async () => {
    const kept = await retriedRun();
    const { error } = kept.events[3]!.payload!;
    const { events } = breakEvent(kept, 4, { payload: { error, delayMs: 999 } }).broken;
    return broken(kept, { events, jobs: kept.jobs.map((job) => ({ ...job, backoffMs: 999 })) });
  });

  planted('I15', 'a job that comes back before its wait is over is found', async () => {
    const world = new World(task);
    await world.submit();
    await world.ask(await claimed(world), { on: 'snooze', delayMs: 1_000 }, 'owner');
    world.clock.advance(1_000);
    await claimed(world, 'w2');
    return breakEvent(await world.record(), 3, { payload: { delayMs: 1_001 } });
  });

  planted('I15', 'an attempt beyond the maximum is found', async () => {
    const kept = await retriedRun();
    const retry = { ...kept.policies.get(1)!.retry, maxAttempts: 1 };
    const jobs = kept.jobs.map((job) => ({ ...job, maxAttempts: 1 }));
    return broken(kept, { ...withPolicy(kept, { retry }), jobs });
  });

  planted('I15', 'a row that allows other attempts than its policy is found', async () =>
    breakRow(await retriedRun(), { maxAttempts: 9 }),
  );

  planted('I15', 'a retry of a final error is found', async () => {
    const kept = await retriedRun();
    const { payload } = kept.events[3]!;
    const error = { ...(payload!['error'] as object), retryable: false };
    return breakEvent(kept, 4, { payload: { ...payload, error } });
  });

  planted('I15', 'a failure for good while attempts were left is found', async () => {
    const kept = await failedRun();
    const error = { ...kept.jobs[0]!.error!, retryable: true };
    const { events } = breakEvent(kept, 4, { payload: { error } }).broken;
    return broken(kept, { events, jobs: kept.jobs.map((job) => ({ ...job, error })) });
  });
});

describe('the dead-letter queue', () => {
  planted('I15', 'an exhausted job that is missing there is found', async () =>
    broken(await exhaustedRun(), { deadLetters: [] }),
  );

  planted('I15', 'a job that is there twice is found', async () => {
    const kept = await exhaustedRun();
    const [copy] = kept.deadLetters;
    return broken(kept, { deadLetters: [copy!, copy!] });
  });

  planted('I15', 'a job that is there though it only waits is found', async () => {
    const kept = await exhaustedRun();
    const [copy] = kept.deadLetters;
    const world = new World(task);
    const { id: jobId } = await world.submit();
    const input = await world.record();
    return broken(input, { deadLetters: [{ ...copy!, jobId }] });
  });

  planted('I15', 'a copy that counts other attempts than the job is found', async () => {
    const kept = await exhaustedRun();
    return broken(kept, { deadLetters: [{ ...kept.deadLetters[0]!, attempts: 2 }] });
  });

  planted('I15', 'a copy that calls a job exhausted too early is found', async () => {
    const kept = await exhaustedRun();
    const retry = { ...kept.policies.get(1)!.retry, maxAttempts: 4 };
    const jobs = kept.jobs.map((job) => ({ ...job, maxAttempts: 4 }));
    return broken(kept, { ...withPolicy(kept, { retry }), jobs });
  });

  planted('I15', 'a dead job that is missing there is found', async () => {
    const world = new World(distributed);
    const job = await world.submit();
    await world.ask(job, { on: 'deadLetter', reason: 'timeout', message: 'enough' });
    return broken(await world.record(), { deadLetters: [] });
  });

  test('a failed compensation may put any ended job there', async () => {
    const kept = await exhaustedRun();
    const [copy] = kept.deadLetters;
    const extra = { ...copy!, reasonCode: 'compensation_failed' as const };
    assert.deepEqual(checkHistory({ ...kept, deadLetters: [copy!, extra] }), []);
  });

  test('a handler that asks for a copy gets one, whatever the policy', async () => {
    const world = new World(task, { policy: { dlq: 'never' } });
    await world.submit();
    const error = failure('network_timeout');
    await world.ask(await claimed(world), { on: 'fail', error, deadLetter: 'timeout' }, 'owner');
    const input = await world.record();
    assert.equal(input.deadLetters.length, 1);
    assert.deepEqual(checkHistory(input), []);
  });
});
