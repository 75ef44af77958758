// Ends that take the next claim along: one call and one commit for both.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClaimOptions } from 'pawl/internal/engine/claim';
import type { JobDefinition } from 'pawl/internal/handler/define-job';
import { StoreError } from 'pawl/internal/store/store-error';
import type { JobSource } from 'pawl/internal/engine/source';
import type { WorkerOptions } from 'pawl/internal/worker/open-worker';
import type { Worker } from 'pawl/internal/worker/worker';
import { jobThat, openWorkshop, settled, sourceWith, type Workshop } from '../support/workshop.ts';

interface Bench {
  readonly shop: Workshop;
  readonly worker: Worker;
  /** What was called, with how many ends and for how many jobs. */
  readonly calls: string[];
  /** The claims, alone or with ends. */
  readonly asked: ClaimOptions[];
  /** What handlers were given, in the order of their begin. */
  readonly begun: unknown[];
  /** Lets the oldest handler end. */
  readonly end: () => Promise<void>;
  /** From now on a call of both waits until it is let through. */
  readonly hold: () => () => Promise<void>;
  /** The next answer of both does not arrive. */
  readonly lose: () => void;
}

interface Given extends Partial<WorkerOptions> {
  readonly count: number;
  readonly says?: boolean;
  readonly others?: readonly JobDefinition[];
}

async function bench({ count, says = false, others = [], ...options }: Given): Promise<Bench> {
  const running: (() => void)[] = [];
  const begun: unknown[] = [];
  const job = jobThat(async ({ input, progress }) => {
    begun.push(input);
    await new Promise<void>((resolve) => running.push(resolve));
    if (says) progress(0.5);
  });
  const shop = await openWorkshop([job, ...others]);
  for (let n = 0; n < count; n++) await shop.world.enqueue('job', n);
  const calls: string[] = [];
  const asked: ClaimOptions[] = [];
  let isLost = false;
  let gate: PromiseWithResolvers<void> | null = null;
  const settleAndClaim: (
    verb: NonNullable<JobSource['settleAndClaim']>,
  ) => JobSource['settleAndClaim'] = (verb) => async (ends, claim) => {
    calls.push(`both ${ends.length} ${claim.max}`);
    asked.push(claim);
    await gate?.promise;
    const answer = await verb(ends, claim);
    if (!isLost) return answer;
    isLost = false;
    throw new StoreError('unknown', 'the answer was lost');
  };
  const source = sourceWith(shop.world.engine, {
    claim: (verb) => (claim) => {
      calls.push(`claim ${claim.max}`);
      asked.push(claim);
      return verb(claim);
    },
    settle: (verb) => (ends) => (calls.push(`settle ${ends.length}`), verb(ends)),
    settleAndClaim,
  });
  const worker = shop.worker({ source, slots: 1, prefetch: 0, ...options });
  worker.start();
  await settled();
  return {
    shop,
    worker,
    calls,
    asked,
    begun,
    end: async () => {
      running.shift()!();
      await settled();
    },
    hold: () => {
      const held = (gate = Promise.withResolvers<void>());
      return async () => {
        gate = null;
        held.resolve();
        await settled();
      };
    },
    lose: () => (isLost = true),
  };
}

async function standing({ world }: Workshop): Promise<object> {
  const counts: Record<string, number> = {};
  for (const { phase, count } of await world.engine.tally(null)) {
    counts[phase] = (counts[phase] ?? 0) + count;
  }
  return counts;
}

describe('a claim beside a report', () => {
  test('[P6] is made in the same call, and no other is made for it', async () => {
    const { worker, calls, begun, end } = await bench({ count: 3 });
    await end();
    await end();
    assert.deepEqual(calls, ['claim 1', 'both 1 1', 'both 1 1']);
    assert.deepEqual(begun, [0, 1, 2]);
    assert.equal(worker.load.inFlight, 1);
    await worker.crash();
  });

  test('asks for all that there is room for, once for all ends of a turn', async () => {
    const { worker, calls, begun, end } = await bench({ count: 9, slots: 3 });
    void end();
    void end();
    await end();
    assert.deepEqual(calls, ['claim 3', 'both 3 3']);
    assert.equal(begun.length, 6);
    await worker.crash();
  });

  test('that finds less than it asked for is not followed by another one at once', async () => {
    const { shop, worker, calls, begun, end } = await bench({ count: 1 });
    await end();
    assert.deepEqual(calls, ['claim 1', 'both 1 1']);
    await shop.world.enqueue('job', 'later');
    worker.wake();
    await settled();
    assert.deepEqual(calls, ['claim 1', 'both 1 1', 'claim 1']);
    assert.deepEqual(begun, [0, 'later']);
    await worker.crash();
  });

  test('asks for few where the last claim was short, whatever there is room for', async () => {
    const { shop, worker, calls, begun, end } = await bench({ count: 1, prefetch: 984 });
    await end();
    assert.deepEqual(calls, ['claim 985', 'both 1 100']);
    for (let n = 1; n <= 985; n++) await shop.world.enqueue('job', n);
    worker.wake();
    await settled();
    await end();
    assert.deepEqual(calls.slice(2, 4), ['claim 985', 'settle 1'], 'many are claimed apart');
    assert.deepEqual(begun, [0, 1, 2]);
    await worker.crash();
  });

  test('does not make its worker deaf: who calls meanwhile is heard', async () => {
    const { shop, worker, calls, begun, end, hold } = await bench({ count: 1 });
    const answer = hold();
    await end();
    worker.wake();
    await settled();
    await answer();
    assert.deepEqual(calls, ['claim 1', 'both 1 1', 'claim 1']);
    await shop.world.enqueue('job', 'later');
    shop.timers.advance(1_000);
    await settled();
    assert.deepEqual(begun, [0, 'later'], 'it goes on looking by itself');
    await worker.crash();
  });

  test('[R20, R6, P2] whose answer was lost is repeated with its ends, as the same', async () => {
    const { shop, worker, calls, asked, begun, end, lose } = await bench({ count: 3 });
    lose();
    await end();
    assert.deepEqual(calls, ['claim 1', 'both 1 1', 'claim 1']);
    assert.equal(asked[2]!.requestId, asked[1]!.requestId, 'it asks again for what it has won');
    assert.deepEqual(begun, [0, 1]);
    assert.equal(worker.load.inFlight, 2, 'the end of the first is not known to have arrived');
    shop.timers.advance(200);
    await settled();
    assert.deepEqual(await standing(shop), { ready: 1, executing: 1 });
    assert.deepEqual([begun, worker.load.inFlight], [[0, 1], 1]);
    await end();
    assert.deepEqual(begun, [0, 1, 2]);
    await worker.crash();
  });

  test('is not made by a worker that has been told to leave', async () => {
    const { shop, worker, calls, end } = await bench({ count: 3 });
    const drained = worker.drain({ timeout: 60_000 });
    await end();
    await drained;
    assert.deepEqual(calls, ['claim 1', 'settle 1']);
    assert.deepEqual(await standing(shop), { ready: 2 });
  });

  test('that comes back to a worker that leaves is given back', async () => {
    const { shop, worker, calls, begun, end, hold } = await bench({ count: 3 });
    const answer = hold();
    await end();
    const drained = worker.drain({ timeout: 60_000 });
    await answer();
    await drained;
    assert.deepEqual(calls, ['claim 1', 'both 1 1', 'settle 1']);
    assert.deepEqual([begun, await standing(shop)], [[0], { ready: 2 }]);
  });

  test('does not wait for the last words of a job', async () => {
    const { worker, calls, end } = await bench({ count: 3, says: true });
    await end();
    assert.deepEqual(calls.toSorted(), ['claim 1', 'claim 1', 'settle 1']);
    await worker.crash();
  });

  test('is not made where types are claimed one by one', async () => {
    const others = [jobThat(() => null, { type: 'other', concurrency: 1 })];
    const { worker, calls, end } = await bench({ count: 3, others });
    await end();
    assert.deepEqual(
      calls.filter((one) => one.startsWith('both')),
      [],
    );
    assert.equal(worker.load.inFlight, 1);
    await worker.crash();
  });

  test('is not made of a source that has no call for both', async () => {
    const { shop, worker } = await bench({ count: 0 });
    await worker.crash();
    let count = 0;
    const plain = sourceWith(shop.world.engine, {
      settle: (verb) => (ends) => ((count += 1), verb(ends)),
    });
    assert.ok(!('settleAndClaim' in plain));
    const other = shop.worker({ source: plain, jobs: [jobThat(() => null)] });
    for (let n = 0; n < 3; n++) await shop.world.enqueue('job', n);
    other.start();
    await settled();
    assert.ok(count > 0);
    assert.deepEqual(await standing(shop), {});
    await other.drain();
  });
});
