// A second claim under way while jobs wait for a slot: how much it asks for, and as whom.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClaimOptions } from '../../src/engine/claim.ts';
import { StoreError } from '../../src/store/store-error.ts';
import type { JobSource } from '../../src/engine/source.ts';
import type { Worker } from '../../src/worker/worker.ts';
import { jobThat, openWorkshop, settled, sourceWith, type Workshop } from '../support/workshop.ts';

interface Bench {
  readonly shop: Workshop;
  readonly worker: Worker;
  /** The claims as they were asked for. */
  readonly asked: ClaimOptions[];
  /** Lets the oldest claim that waits reach the store. */
  readonly answer: () => Promise<void>;
  /** Lets so many of the jobs at hand end. */
  readonly end: (count: number) => Promise<void>;
  /** The next answer does not arrive. */
  readonly lose: () => void;
}

/** From its second claim on, answers must be let through one by one. */
async function bench({
  jobs,
  concurrency,
  prefetch = 6,
}: {
  jobs: number;
  concurrency?: number;
  prefetch?: number;
}): Promise<Bench> {
  const running: (() => void)[] = [];
  const run = (): Promise<void> => new Promise((resolve) => running.push(resolve));
  const shop = await openWorkshop([jobThat(run, concurrency === undefined ? {} : { concurrency })]);
  for (let n = 0; n < jobs; n++) await shop.world.enqueue('job', n);
  const asked: ClaimOptions[] = [];
  const gates: (() => void)[] = [];
  let isLost = false;
  let answered = Promise.withResolvers<void>();
  const claim: (verb: JobSource['claim']) => JobSource['claim'] = (verb) => async (options) => {
    asked.push(options);
    if (asked.length > 1) await new Promise<void>((resolve) => gates.push(resolve));
    const claims = await verb(options).finally(() => answered.resolve());
    if (!isLost) return claims;
    isLost = false;
    throw new StoreError('unknown', 'the answer was lost');
  };
  const source = sourceWith(shop.world.engine, { claim });
  const worker = shop.worker({ source, slots: 2, prefetch });
  await worker.poll();
  return {
    shop,
    worker,
    asked,
    answer: async () => {
      answered = Promise.withResolvers();
      gates.shift()!();
      await answered.promise;
      await settled();
    },
    end: async (count) => {
      for (let n = 0; n < count; n++) {
        running.shift()!();
        await settled();
      }
    },
    lose: () => (isLost = true),
  };
}

describe('a claim ahead', () => {
  test('is not waited for while jobs wait for a slot, and another may be beside it', async () => {
    const { worker, asked, end } = await bench({ jobs: 30 });
    assert.deepEqual(worker.load, { inFlight: 8, waiting: 6 });
    await end(4);
    assert.equal(await worker.poll(), 15_000, 'it sleeps until a job ends, or must be given back');
    assert.deepEqual(
      asked.map(({ max }) => max),
      [8, 4],
    );
    await worker.poll();
    assert.equal(asked.length, 2, 'there is no room beside what was asked for');
    await end(1);
    await worker.poll();
    assert.equal(asked.length, 2, 'less than a third is not worth a claim');
    await end(3);
    void worker.poll();
    assert.deepEqual(
      asked.map(({ max }) => max),
      [8, 4, 4],
    );
  });

  test('leaves no room for a small one beside it, even when nobody waits any more', async () => {
    const { worker, asked, end } = await bench({ jobs: 30 });
    await end(4);
    await worker.poll();
    await end(2);
    assert.deepEqual(worker.load, { inFlight: 2, waiting: 0 });
    void worker.poll();
    await settled();
    assert.deepEqual(
      asked.map(({ max }) => max),
      [8, 4],
    );
  });

  test('that brings nothing lets its worker look again', async () => {
    const { worker, asked, answer, end } = await bench({ jobs: 18, prefetch: 16 });
    await end(15);
    worker.start();
    await settled();
    await end(3);
    assert.deepEqual(
      asked.map(({ max }) => max),
      [18, 15],
    );
    await answer();
    assert.equal(asked[2]?.max, 18);
    void answer();
    await worker.drain();
  });

  test('never holds more than its slots and what it may take ahead', async () => {
    const { worker, answer, end, asked } = await bench({ jobs: 30 });
    await end(4);
    await worker.poll();
    await answer();
    assert.deepEqual(worker.load, { inFlight: 8, waiting: 6 });
    await worker.poll();
    assert.equal(asked.length, 2);
  });

  test('has a request of its own: its answer is not that of the claim beside it', async () => {
    const { worker, asked, answer, end } = await bench({ jobs: 30 });
    await end(4);
    await worker.poll();
    await end(4);
    const beside = worker.poll();
    assert.equal(new Set(asked.map(({ requestId }) => requestId)).size, 3);
    await answer();
    await answer();
    await beside;
    assert.equal(worker.load.inFlight, 8);
  });

  test('is not made for a type with a concurrency of its own', async () => {
    const { worker, asked } = await bench({ jobs: 30, concurrency: 2 });
    assert.deepEqual(worker.load, { inFlight: 2, waiting: 0 });
    assert.deepEqual(
      asked.map(({ max }) => max),
      [2],
    );
  });

  test('[R20, P2] whose answer was lost is asked again as the same, and found', async () => {
    const { worker, asked, answer, end, lose } = await bench({ jobs: 8 + 4 });
    await end(4);
    await worker.poll();
    lose();
    await answer();
    await end(4);
    const again = worker.poll();
    assert.equal(asked[2]!.requestId, asked[1]!.requestId);
    await answer();
    await again;
    assert.deepEqual(worker.load, { inFlight: 4, waiting: 2 });
  });

  test('that comes after the worker was told to leave is given back', async () => {
    const { shop, worker, answer, end } = await bench({ jobs: 12 });
    await end(4);
    await worker.poll();
    const drained = worker.drain({ timeout: 60_000 });
    await answer();
    await end(2);
    await drained;
    const tally = await shop.world.engine.tally(null);
    assert.deepEqual(
      tally.map(({ phase, count }) => [phase, count]),
      [['ready', 6]],
    );
  });
});
