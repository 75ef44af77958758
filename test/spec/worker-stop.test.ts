// Why a handler stops: cancel, a lost lease, time-outs, the worker's end. Exactly one end wins.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunContext } from 'pawl/internal/handler/context';
import { fail } from 'pawl/internal/handler/failure';
import { JobStop } from 'pawl/internal/handler/stop';
import { distributed } from 'pawl/internal/lifecycles/distributed';
import { document } from 'pawl/internal/lifecycles/document';
import type { JobSource } from 'pawl/internal/engine/source';
import type { Worker } from 'pawl/internal/worker/worker';
import { jobThat, openWorkshop, sourceWith, type Workshop } from '../support/workshop.ts';

const never = new Promise<never>(() => undefined);

/** Resolves when the handler is told to stop, with the reason. */
function stopOf({ signal }: RunContext<unknown>): Promise<JobStop> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason as JobStop), { once: true });
  });
}

interface Running {
  readonly shop: Workshop;
  readonly worker: Worker;
  readonly id: string;
}

/** A job whose handler has begun. */
async function running(
  run: (context: RunContext<unknown>) => unknown,
  more: Parameters<typeof jobThat>[1] & { source?: (source: JobSource) => JobSource } = {},
): Promise<Running> {
  const { source, ...job } = more;
  const begun = Promise.withResolvers<void>();
  const shop = await openWorkshop([
    jobThat((context) => {
      begun.resolve();
      return run(context);
    }, job),
  ]);
  const { id } = await shop.world.enqueue('job');
  const { engine } = shop.world;
  const worker = shop.worker(source === undefined ? {} : { source: source(engine) });
  await worker.poll();
  await begun.promise;
  return { shop, worker, id };
}

async function hear({ shop, worker }: Running): Promise<void> {
  shop.timers.advance(15_000);
  await worker.beat();
}

describe('a soft cancel', () => {
  test('[R13] reaches the handler, which checkpoints and ends gracefully', async () => {
    const at = await running(async (context) => {
      const stop = await stopOf(context);
      await context.checkpoint({ done: 3 });
      throw stop;
    });
    await at.shop.world.cancel(at.id);
    await hear(at);
    await at.worker.idle();
    const job = await at.shop.world.job(at.id);
    assert.deepEqual([job.state, job.checkpoint], ['canceled', '{"done":3}']);
  });

  test('[T8] stops at the next stage boundary, without the handler looking for it', async () => {
    const did: string[] = [];
    const entered = Promise.withResolvers<void>();
    const at = await running(async ({ stage }) => {
      await stage('one', async () => {
        did.push('one');
        await entered.promise;
      });
      await stage('two', () => did.push('two'));
    });
    await at.shop.world.cancel(at.id);
    await hear(at);
    entered.resolve();
    await at.worker.idle();
    assert.deepEqual([await at.shop.world.stateOf(at.id), did], ['canceled', ['one']]);
  });

  test('[D18] of a document job ends in FAILED, cause cancelled', async () => {
    const at = await running(
      async (context) => {
        throw await stopOf(context);
      },
      { lifecycle: document, maxAttempts: undefined as never, backoff: undefined as never },
    );
    await at.shop.world.cancel(at.id);
    await hear(at);
    await at.worker.idle();
    const job = await at.shop.world.job(at.id);
    assert.deepEqual(
      [job.state, job.phase, job.error?.class],
      ['FAILED', 'cancelled', 'cancelled'],
    );
  });

  test('loses against a handler that completes all the same', async () => {
    const at = await running(async (context) => {
      await stopOf(context);
      return 'done';
    });
    await at.shop.world.cancel(at.id);
    await hear(at);
    await at.worker.idle();
    assert.equal(await at.shop.world.stateOf(at.id), 'succeeded');
  });

  test('tells why in signal.reason', async () => {
    const reasons: unknown[] = [];
    const at = await running(async (context) => {
      const stop = await stopOf(context);
      reasons.push(stop instanceof JobStop, stop.why, stop.mode, stop.name);
    });
    await at.shop.world.cancel(at.id);
    await hear(at);
    await at.worker.idle();
    assert.deepEqual(reasons, [true, 'cancelled', 'soft', 'AbortError']);
  });
});

test('[T7] a job that is cancelled before anyone claimed it never runs', async () => {
  let runs = 0;
  const shop = await openWorkshop([jobThat(() => ++runs)]);
  const { id } = await shop.world.enqueue('job');
  await shop.world.cancel(id);
  await shop.runUntilIdle(shop.worker());
  assert.deepEqual([runs, await shop.world.stateOf(id)], [0, 'canceled']);
});

test('[R14] a hard cancel ends the attempt without waiting for its handler', async () => {
  const stops: JobStop[] = [];
  const at = await running(async (context) => {
    void stopOf(context).then((stop) => stops.push(stop));
    return never;
  });
  await at.shop.world.cancel(at.id, 'hard');
  at.worker.check();
  await at.worker.idle();
  assert.deepEqual([stops[0]?.why, stops[0]?.mode], ['cancelled', 'hard']);
  assert.equal(await at.shop.world.stateOf(at.id), 'canceled');
});

describe('time', () => {
  test('an attempt that takes too long fails as a time-out and is tried again', async () => {
    const more = { lifecycle: distributed, timeout: '10s' } as const;
    const at = await running(() => never, more);
    at.shop.timers.advance(9_500);
    await at.worker.beat();
    await at.worker.idle();
    const job = await at.shop.world.job(at.id);
    assert.deepEqual([job.state, job.attempts, job.error?.class], ['queued', 2, 'timeout']);
  });
});

describe('self-fencing', () => {
  test('[R7] a worker paused past its lease stops its handler and reports nothing', async () => {
    const settled: number[] = [];
    const seen: unknown[] = [];
    const heard = Promise.withResolvers<void>();
    const at = await running(
      async (context) => {
        const stop = await stopOf(context);
        seen.push(stop.why);
        await context.checkpoint('too late').catch((error: unknown) => seen.push(error));
        heard.resolve();
        return 'too late as well';
      },
      {
        source: (source) =>
          sourceWith(source, { settle: (verb) => (all) => (settled.push(all.length), verb(all)) }),
      },
    );
    at.shop.timers.advance(31_000);
    await at.worker.beat();
    await at.worker.idle();
    await heard.promise;
    assert.equal(seen[0], 'leaseLost');
    assert.ok(seen[1] instanceof JobStop);
    assert.deepEqual(settled, []);
    assert.equal((await at.shop.world.job(at.id)).checkpoint, null);
  });

  test('[R7] a source that hangs does not keep it from noticing', async () => {
    const at = await running(async (context) => stopOf(context), {
      source: (source) => sourceWith(source, { renew: () => () => never }),
    });
    at.shop.timers.advance(15_000);
    void at.worker.beat();
    at.shop.timers.advance(16_000);
    void at.worker.beat();
    at.worker.check();
    await at.worker.idle();
    assert.equal(at.worker.load.inFlight, 0);
  });

  test('[R7] a lease that the store took away ends the handler at the next renewal', async () => {
    const seen: unknown[] = [];
    const at = await running(async (context) => {
      seen.push((await stopOf(context)).why);
    });
    const frozen = at.shop.world.clock;
    frozen.advance(31_000);
    await at.shop.world.sweep();
    frozen.advance(-31_000);
    at.worker.check();
    await at.worker.idle();
    assert.deepEqual([seen, await at.shop.world.stateOf(at.id)], [['leaseLost'], 'pending']);
  });
});

describe('draining', () => {
  test('finishes what runs, claims nothing, and is then stopped', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const at = await running(() => promise);
    const other = await at.shop.world.enqueue('job');
    at.worker.start();
    const drained = at.worker.drain();
    resolve('done');
    await drained;
    assert.equal(at.worker.mode, 'stopped');
    assert.equal(await at.shop.world.stateOf(at.id), 'succeeded');
    const { phase, attempts } = await at.shop.world.job(other.id);
    assert.equal(phase, 'ready', 'a claim that was on its way is given back');
    assert.ok(attempts <= 1);
  });

  test('begins by itself where an operator asked for it, and tells who started the worker', async () => {
    const shop = await openWorkshop([jobThat(() => 'done')]);
    const { engine } = shop.world;
    const source: JobSource = { ...sourceWith(engine, {}), announce: async () => ['w1'] };
    const worker = shop.worker({ source });
    worker.start();
    await worker.stopped;
    assert.equal(worker.mode, 'stopped');
    assert.match(shop.warnings.join(), /draining: running handlers finish/);
  });

  test('gives a job back that does not end in time, without spending an attempt', async () => {
    const seen: unknown[] = [];
    const at = await running(async (context) => {
      void stopOf(context).then((stop) => seen.push(stop.why));
      return never;
    });
    await at.worker.drain({ timeout: 0, grace: 0 });
    const job = await at.shop.world.job(at.id);
    assert.deepEqual([job.phase, job.attempts, job.epoch], ['ready', 1, 2]);
    assert.deepEqual(seen, ['shutdown']);
  });

  test('a handler that heeds the signal keeps its checkpoint and is given back', async () => {
    const at = await running(async (context) => {
      const stop = await stopOf(context);
      await context.checkpoint(7);
      throw stop;
    });
    const drained = at.worker.drain({ timeout: 1_000, grace: 10_000 });
    at.shop.timers.advance(1_000);
    await drained;
    const job = await at.shop.world.job(at.id);
    assert.deepEqual([job.phase, job.attempts, job.checkpoint], ['ready', 1, '7']);
  });

  test('a handler that fails by itself meanwhile spends its attempt', async () => {
    const at = await running(async (context) => {
      await stopOf(context);
      throw fail('network_timeout', 'not because of the shutdown');
    });
    await at.worker.drain({ timeout: 0 });
    assert.equal((await at.shop.world.job(at.id)).attempts, 2);
  });
});
