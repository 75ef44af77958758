// Handlers of many jobs: gathered by number or by time, each job with an end of its own.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BatchJob, declareJob, openPawl, PermanentError, typed } from 'pawl';
import type { JobDefinition } from 'pawl/internal/handler/define-job';
import { openWorld } from 'pawl/testing';
import { freshDatabases } from '../support/databases.ts';
import { openWorkshop, settled, type Workshop } from '../support/workshop.ts';

type Jobs = readonly BatchJob<number>[];
const numbers = declareJob('job', { input: typed<number>() });
const plan = { max: 3, wait: '100ms', maxAttempts: 1 } as const;

function batchThat(run: (jobs: Jobs) => unknown, more: object = {}): JobDefinition {
  return numbers.runMany({ ...plan, ...more }, run as (jobs: Jobs) => undefined);
}

async function enqueued({ world }: Workshop, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= count; n++) ids.push((await world.enqueue('job', n)).id);
  return ids;
}

async function endsOf({ world }: Workshop, ids: readonly string[]): Promise<string[]> {
  const jobs = await Promise.all(ids.map((id) => world.job(id)));
  return jobs.map(({ state, error, result }) => `${state} ${error?.message ?? result}`);
}

describe('a handler of many jobs', () => {
  test('gets as many as there may be at once, the rest when the first has waited', async () => {
    const sizes: number[] = [];
    const shop = await openWorkshop([
      batchThat((jobs) => {
        sizes.push(jobs.length);
        return jobs.map(({ input }) => input * 2);
      }),
    ]);
    const ids = await enqueued(shop, 5);
    const worker = shop.worker();
    await worker.poll();
    await settled();
    assert.deepEqual([sizes, worker.load.inFlight], [[3], 2], 'each is in flight by itself');
    shop.timers.advance(99);
    await settled();
    assert.deepEqual(sizes, [3]);
    shop.timers.advance(1);
    await shop.runUntilIdle(worker);
    assert.deepEqual(sizes, [3, 2]);
    const ends = [2, 4, 6, 8, 10].map((result) => `succeeded ${result}`);
    assert.deepEqual(await endsOf(shop, ids), ends);
  });

  test('is not kept waiting for more than its worker has slots, or its type may run', async () => {
    const sizes: number[] = [];
    const run = (jobs: Jobs): void => void sizes.push(jobs.length);
    for (const [more, options] of [
      [{ max: 9 }, { slots: 2 }],
      [{ max: 9, concurrency: 2 }, {}],
    ] as const) {
      const shop = await openWorkshop([batchThat(run, more)]);
      await enqueued(shop, 4);
      await shop.runUntilIdle(shop.worker(options));
      assert.deepEqual(sizes.splice(0), [2, 2]);
    }
  });

  test('fails single jobs by name, and all that have no end yet by a throw', async () => {
    const shop = await openWorkshop([
      batchThat((jobs) => {
        if (jobs.length === 1) return jobs.map((job) => job.fail(new PermanentError('last')));
        jobs[1]!.fail(new Error('second'));
        throw new Error('all');
      }),
    ]);
    const ids = await enqueued(shop, 4);
    const worker = shop.worker();
    await worker.poll();
    shop.timers.advance(100);
    await shop.runUntilIdle(worker);
    const ends = ['failed all', 'failed second', 'failed all', 'failed last'];
    assert.deepEqual(await endsOf(shop, ids), ends);
  });

  test('must return a result for each job, in their order, or nothing', async () => {
    for (const wrong of [[1, 2], 'three', null]) {
      const shop = await openWorkshop([batchThat(() => wrong)]);
      const ids = await enqueued(shop, 3);
      await shop.runUntilIdle(shop.worker());
      for (const end of await endsOf(shop, ids)) {
        assert.match(end, /failed runMany got 3 jobs and returned .*: return one result for each/);
      }
    }
  });

  test('cannot use stages, waits or snoozes: it is told so, and what to do', async () => {
    for (const name of [
      'stage',
      'call',
      'callAll',
      'spawn',
      'sleep',
      'receive',
      'first',
      'snooze',
    ]) {
      const shop = await openWorkshop([
        batchThat((jobs) => (jobs[0] as unknown as Record<string, () => void>)[name]!()),
      ]);
      const ids = await enqueued(shop, 3);
      await shop.runUntilIdle(shop.worker());
      for (const end of await endsOf(shop, ids)) {
        assert.match(
          end,
          new RegExp(`"${name}" cannot be used in runMany.*handle\\(\\{ run \\}\\)`),
        );
      }
    }
  });

  test('gives each job its own signal, progress, log and checkpoint', async () => {
    const shop = await openWorkshop([
      batchThat(async (jobs) => {
        for (const job of jobs) {
          job.progress({ percent: job.input * 10 }, `at ${job.input}`);
          await job.checkpoint({ n: job.input });
        }
      }),
    ]);
    const ids = await enqueued(shop, 3);
    const worker = shop.worker();
    worker.start();
    for (const id of ids) {
      while ((await shop.world.job(id)).phase !== 'succeeded') await settled();
    }
    for (const [index, id] of ids.entries()) {
      const { message, checkpoint } = await shop.world.job(id);
      assert.deepEqual([message, checkpoint], [`at ${index + 1}`, `{"n":${index + 1}}`]);
    }
    await worker.drain();
  });

  test('fails the jobs without an end by an error that nobody caught', async () => {
    // In a process of its own: a test runner has listeners of its own for those.
    const file = fileURLToPath(new URL('./batch-uncaught-process.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    assert.deepEqual(JSON.parse(stdout), ['first', 'floating', 'floating']);
  });
});

describe('a job of a batch', () => {
  /** A batch at work, whose handler goes on until it is let go. */
  async function atWork(more: object = {}) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stopped: number[] = [];
    const shop = await openWorkshop([
      batchThat(async (jobs) => {
        for (const { input, signal } of jobs) {
          signal.addEventListener('abort', () => stopped.push(input));
        }
        await promise;
        return jobs.map(({ input }) => input);
      }, more),
    ]);
    const ids = await enqueued(shop, 3);
    const worker = shop.worker({ slots: 3 });
    await worker.poll();
    await settled();
    return { shop, worker, ids, stopped, letGo: resolve };
  }

  test('that is cancelled leaves alone, and its slot is free when the handler ends', async () => {
    const { shop, worker, ids, stopped, letGo } = await atWork();
    await shop.world.cancel(ids[1]!);
    worker.check();
    await worker.beat();
    while ((await shop.world.job(ids[1]!)).phase !== 'cancelled') await settled();
    assert.deepEqual([stopped, worker.load.inFlight, worker.strays], [[2], 2, 1]);
    const next = await shop.world.enqueue('job', 4);
    await worker.poll();
    assert.equal((await shop.world.job(next.id)).phase, 'ready', 'the handler still has the slot');
    letGo();
    await worker.idle();
    assert.equal(worker.strays, 0);
    assert.deepEqual(await endsOf(shop, ids), ['succeeded 1', 'canceled null', 'succeeded 3']);
  });

  test("that is another owner's by now is lost alone", async () => {
    const { shop, worker, ids, letGo } = await atWork();
    await shop.world.cancel(ids[0]!, 'hard');
    worker.check();
    await worker.beat();
    letGo();
    await worker.idle();
    assert.deepEqual(await endsOf(shop, ids), ['canceled null', 'succeeded 2', 'succeeded 3']);
  });

  test('that leaves before the handler begins is not among its jobs', async () => {
    const seen: number[][] = [];
    const shop = await openWorkshop([
      batchThat((jobs) => void seen.push(jobs.map(({ input }) => input))),
    ]);
    const ids = await enqueued(shop, 2);
    const worker = shop.worker();
    await worker.poll();
    await settled();
    await shop.world.cancel(ids[0]!);
    worker.check();
    await worker.beat();
    await settled();
    shop.timers.advance(100);
    await worker.idle();
    assert.deepEqual(seen, [[2]]);
  });

  test('takes too long with all others: they end, and the worker says that slots are taken', async () => {
    const { shop, worker, ids, stopped, letGo } = await atWork({ timeout: '10s' });
    shop.timers.advance(9_500);
    await worker.beat();
    await worker.idle();
    assert.deepEqual([stopped, worker.strays, worker.isHealthy], [[1, 2, 3], 3, false]);
    for (const end of await endsOf(shop, ids)) assert.match(end, /^failed /);
    letGo();
    await settled();
    assert.equal(worker.isHealthy, true);
  });

  test('is handled at once when its worker drains', async () => {
    const shop = await openWorkshop([batchThat((jobs) => jobs.map(({ input }) => input))]);
    const ids = await enqueued(shop, 2);
    const worker = shop.worker();
    await worker.poll();
    await settled();
    await worker.drain();
    assert.deepEqual(await endsOf(shop, ids), ['succeeded 1', 'succeeded 2']);
  });
});

test('what makes no sense for many jobs is refused where the job is defined', () => {
  for (const [more, pointer] of [
    [{ max: 0 }, '/max'],
    [{ wait: 'soon' }, '/wait'],
    [{ isolation: { kind: 'thread', module: import.meta.url, export: 'x' } }, '/isolation'],
    [{ stages: [] }, '/stages'],
    [{ calls: [] }, '/calls'],
  ] as const) {
    assert.throws(
      () => batchThat(() => undefined, more),
      ({ faults }: { faults: { pointer: string }[] }) => faults[0]!.pointer === pointer,
    );
  }
  const none = undefined as unknown as () => undefined;
  assert.throws(() => numbers.runMany(plan, none), { code: 'VALIDATION_ERROR' });
});

test('in a world of tests, what is due together is a batch, and time stands still', async () => {
  const sizes: number[] = [];
  const job = numbers.runMany({ max: 10, wait: '1h' }, async (jobs) => {
    sizes.push(jobs.length);
    return jobs.map(({ input }) => input + 1);
  });
  const world = await openWorld({ jobs: [job] });
  const jobs = await world.enqueueMany(job, [1, 2, 3]);
  await world.runUntilIdle();
  assert.deepEqual(await Promise.all(jobs.map((one) => one.result())), [2, 3, 4]);
  assert.deepEqual(sizes, [3]);
  world.stub(job, ({ input }) => input * 100);
  assert.equal(await (await world.enqueue(job, 7)).result(), 700);
});

for (const { label, database } of await freshDatabases()) {
  test(`on ${label} jobs are handled together, with what the program puts around`, async () => {
    const around: number[] = [];
    const seen: { tag: string; size: number }[] = [];
    const job = numbers.runMany({ max: 4, wait: '10s' }, (jobs) => {
      const tags = jobs.map((one) => (one as unknown as { tag: string }).tag);
      seen.push({ tag: tags.join(), size: jobs.length });
      return jobs.map(({ input }) => ({ half: input / 2 }));
    });
    const pawl = await openPawl({
      database,
      jobs: [job],
      log: false,
      context: ({ attempt }) => ({ tag: `t${attempt}` }),
      around: async ({ input }, next) => {
        around.push(input as number);
        return next();
      },
    });
    const jobs = await pawl.enqueueMany(job, [2, 4, 6, 8]);
    pawl.work();
    const results = await Promise.all(jobs.map((one) => one.result({ timeout: '60s' })));
    assert.deepEqual(results, [{ half: 1 }, { half: 2 }, { half: 3 }, { half: 4 }]);
    assert.deepEqual(seen, [{ tag: 't1,t1,t1,t1', size: 4 }]);
    assert.deepEqual(new Set(around), new Set([2, 4, 6, 8]));
    await pawl.close();
  });
}
