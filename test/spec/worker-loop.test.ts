// The worker: slots, batches, prefetch, a source that fails, a lease that is lost, the end.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JobStop } from '../../src/handler/stop.ts';
import { distributed } from '../../src/lifecycles/distributed.ts';
import { StoreError } from '../../src/store/store-error.ts';
import type { JobSource } from '../../src/engine/source.ts';
import { jobThat, openWorkshop, sourceWith, type Workshop } from '../support/workshop.ts';

/** A handler that works until it is let go, and what it saw. */
function gate(): {
  run: (context: { signal: AbortSignal; input: unknown }) => Promise<unknown>;
  running: () => number;
  open: () => void;
  stops: JobStop[];
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stops: JobStop[] = [];
  let count = 0;
  return {
    running: () => count,
    open: resolve,
    stops,
    run: async ({ signal, input }) => {
      count += 1;
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          stops.push(signal.reason as JobStop);
          reject(signal.reason as JobStop);
        });
      });
      await Promise.race([promise, aborted]).finally(() => (count -= 1));
      return input;
    },
  };
}

function counted(source: JobSource): { source: JobSource; calls: Record<string, number[]> } {
  const calls: Record<string, number[]> = { claim: [], start: [], renew: [], settle: [] };
  const seen = sourceWith(source, {
    claim: (verb) => (options) => (calls['claim']!.push(options.max), verb(options)),
    start: (verb) => (all) => (calls['start']!.push(all.length), verb(all)),
    renew: (verb) => (all) => (calls['renew']!.push(all.length), verb(all)),
    settle: (verb) => (all) => (calls['settle']!.push(all.length), verb(all)),
  });
  return { source: seen, calls };
}

async function enqueueMany(shop: Workshop, count: number, type = 'job'): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++)
    ids.push((await shop.world.enqueue(type, number)).id);
  return ids;
}

async function statesOf(shop: Workshop, ids: readonly string[]): Promise<string[]> {
  return Promise.all(ids.map((id) => shop.world.stateOf(id)));
}

describe('slots', () => {
  test('a worker runs as many handlers as it has slots, and claims no more', async () => {
    const { run, running, open } = gate();
    const shop = await openWorkshop([jobThat(run)]);
    const ids = await enqueueMany(shop, 5);
    const worker = shop.worker({ slots: 3 });
    await worker.poll();
    assert.equal(running(), 3);
    assert.equal((await statesOf(shop, ids)).filter((state) => state === 'running').length, 3);
    assert.equal(await worker.poll(), Infinity, 'with no room it sleeps until it is woken');
    open();
    await shop.runUntilIdle(worker);
    assert.deepEqual(new Set(await statesOf(shop, ids)), new Set(['succeeded']));
  });

  test('a type runs no more handlers than its own concurrency, others use the rest', async () => {
    const [scarce, plenty] = [gate(), gate()];
    const shop = await openWorkshop([
      jobThat(scarce.run, { type: 'scarce', concurrency: 2 }),
      jobThat(plenty.run, { type: 'plenty' }),
    ]);
    await enqueueMany(shop, 5, 'scarce');
    await enqueueMany(shop, 5, 'plenty');
    const worker = shop.worker({ slots: 10 });
    await worker.poll();
    await worker.poll();
    assert.deepEqual([scarce.running(), plenty.running()], [2, 5]);
    scarce.open();
    plenty.open();
    await shop.runUntilIdle(worker);
    assert.deepEqual(await shop.world.engine.tally(null), []);
  });

  test('the sleep between polls grows while there is nothing to do', async () => {
    const shop = await openWorkshop([jobThat(() => null)]);
    const worker = shop.worker({ pollMs: { minMs: 10, maxMs: 50 } });
    const sleeps = [];
    for (let round = 0; round < 5; round++) sleeps.push(await worker.poll());
    assert.deepEqual(sleeps, [10, 20, 40, 50, 50]);
    await enqueueMany(shop, 1);
    assert.equal(await worker.poll(), 10);
  });
});

describe('batches', () => {
  test('jobs are claimed, started, renewed and settled in batches', async () => {
    const { run, open } = gate();
    const shop = await openWorkshop([jobThat(run, { lifecycle: distributed })]);
    await enqueueMany(shop, 8);
    const { source, calls } = counted(shop.world.engine);
    const worker = shop.worker({ source, slots: 8 });
    await worker.poll();
    shop.timers.advance(15_000);
    await worker.beat();
    open();
    await worker.idle();
    assert.deepEqual(calls, { claim: [8], start: [8], renew: [8], settle: [8] });
  });

  test('[R8, R9] a lease is renewed after half of its time, not earlier', async () => {
    const { run, open } = gate();
    const shop = await openWorkshop([jobThat(run, { lifecycle: distributed })]);
    await enqueueMany(shop, 1);
    const { source, calls } = counted(shop.world.engine);
    const worker = shop.worker({ source });
    await worker.poll();
    shop.timers.advance(14_999);
    await worker.beat();
    assert.deepEqual(calls['renew'], []);
    shop.timers.advance(1);
    await worker.beat();
    assert.deepEqual(calls['renew'], [1]);
    open();
    await worker.idle();
  });
});

describe('prefetch', () => {
  test('takes jobs ahead of a free slot, and starts them as slots come free', async () => {
    const { run, running, open } = gate();
    const shop = await openWorkshop([jobThat(run)]);
    await enqueueMany(shop, 9);
    const worker = shop.worker({ slots: 2, prefetch: 4 });
    await worker.poll();
    assert.deepEqual(worker.load, { inFlight: 6, waiting: 4 });
    assert.equal(running(), 2);
    open();
    await shop.runUntilIdle(worker);
    assert.deepEqual(await shop.world.engine.tally(null), []);
  });

  test('[R9] gives a job back in time, so that no lease runs out unstarted', async () => {
    const { run, open } = gate();
    const shop = await openWorkshop([jobThat(run, { lifecycle: distributed })]);
    const ids = await enqueueMany(shop, 2);
    const worker = shop.worker({ slots: 1, prefetch: 1 });
    await worker.poll();
    const sleepMs = await worker.poll();
    assert.equal(sleepMs, 15_000, 'it wakes in time to give the job back');
    shop.timers.advance(sleepMs);
    await worker.beat();
    await worker.poll();
    open();
    await worker.idle();
    assert.equal((await shop.world.sweep()).expired, 0);
    const [waited] = (await Promise.all(ids.map((id) => shop.world.job(id)))).filter(
      (job) => job.state !== 'succeeded',
    );
    assert.deepEqual([waited?.state, waited?.attempts, waited?.epoch], ['queued', 1, 2]);
  });
});

describe('a source that fails', () => {
  test('an end that cannot be stored costs its own job a failure and no other job its end', async () => {
    const shop = await openWorkshop([jobThat(({ input }) => input)]);
    const ids = await enqueueMany(shop, 5);
    const source = sourceWith(shop.world.engine, {
      settle: (verb) => async (all) => {
        if (all.some(({ ref, ending }) => ref.id === ids[2] && ending.kind === 'succeed')) {
          throw new StoreError('refused', 'that is no JSON');
        }
        return verb(all);
      },
    });
    await shop.runUntilIdle(shop.worker({ source }));
    const expected = ids.map((_, index) => (index === 2 ? 'failed' : 'succeeded'));
    assert.deepEqual(await statesOf(shop, ids), expected);
    const { error } = await shop.world.job(ids[2]!);
    assert.match(error!.message, /that is no JSON/);
  });

  const lost = (): never => {
    throw new StoreError('unknown', 'the answer was lost');
  };

  test('[R20, P2] a claim whose answer was lost is asked again and found', async () => {
    const shop = await openWorkshop([jobThat(() => null)]);
    const ids = await enqueueMany(shop, 2);
    let isFirst = true;
    const source = sourceWith(shop.world.engine, {
      claim: (verb) => async (options) => {
        const claims = await verb(options);
        if (!isFirst) return claims;
        isFirst = false;
        return lost();
      },
    });
    const worker = shop.worker({ source });
    await worker.poll();
    assert.deepEqual(await statesOf(shop, ids), ['running', 'running']);
    await shop.runUntilIdle(worker);
    assert.deepEqual(await statesOf(shop, ids), ['succeeded', 'succeeded']);
    assert.ok(
      (await Promise.all(ids.map((id) => shop.world.job(id)))).every((job) => job.epoch === 1),
    );
  });

  test('[T32] an end whose answer was lost is reported again, and counts once', async () => {
    const shop = await openWorkshop([jobThat(() => 'done')]);
    const [id] = await enqueueMany(shop, 1);
    let reports = 0;
    const source = sourceWith(shop.world.engine, {
      settle: (verb) => async (all) => {
        const outcomes = await verb(all);
        return ++reports === 1 ? lost() : outcomes;
      },
    });
    const worker = shop.worker({ source, timers: { sleep: () => Promise.resolve() } });
    await worker.poll();
    await worker.idle();
    assert.equal(reports, 2);
    const types = (await shop.world.events(id!)).map(({ type }) => type);
    assert.deepEqual(types, ['job_created', 'job_claimed', 'job_succeeded']);
  });

  test('a checkpoint waits for a renewal that works, and is then durable', async () => {
    const shop = await openWorkshop([
      jobThat(async ({ checkpoint, log }) => {
        log('before');
        await checkpoint(1);
      }),
    ]);
    const [id] = await enqueueMany(shop, 1);
    let renewals = 0;
    const source = sourceWith(shop.world.engine, {
      renew: (verb) => async (all) => (++renewals === 1 ? lost() : verb(all)),
    });
    const worker = shop.worker({ source });
    await worker.poll();
    await worker.beat();
    assert.equal(worker.load.inFlight, 1);
    shop.timers.advance(500);
    await worker.beat();
    await worker.idle();
    const job = await shop.world.job(id!);
    assert.deepEqual([job.state, job.checkpoint], ['succeeded', '1']);
    const notes = await shop.world.events(id!, { notes: true });
    assert.equal(notes.filter(({ message }) => message === 'before').length, 1);
  });
});

test('[T33] a worker whose clock is an hour ahead reports by the time of the server', async () => {
  const shop = await openWorkshop([
    jobThat(async ({ checkpoint, log }) => {
      log('begun');
      await checkpoint(1);
    }),
  ]);
  const [id] = await enqueueMany(shop, 1);
  const { clock } = shop.world;
  const worker = shop.worker({ clock: { now: () => clock.now() + 3_600_000 } });
  clock.advance(1_000);
  await worker.poll();
  await worker.idle();
  const { startedAt, completedAt } = await shop.world.job(id!);
  assert.deepEqual([startedAt, completedAt], [clock.now(), clock.now()]);
  const [created, ...later] = await shop.world.events(id!, { notes: true });
  assert.equal(created!.at, clock.now() - 1_000);
  assert.ok(later.length > 0 && later.every(({ at }) => at === clock.now()));
});
