// batch jobs: items as jobs of another type, items right here, and what a crash leaves.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { jobAccess } from '../../src/app/job-access.ts';
import { systemTimers } from '../../src/core/timers.ts';
import { defineJob, type JobDefinition, typeDefinitionOf } from '../../src/handler/define-job.ts';
import { PermanentError } from '../../src/handler/failure.ts';
import { typed } from '../../src/handler/schema.ts';
import { type BatchResult, batchJob } from '../../src/studio/small/batch.ts';
import { openWorker } from '../../src/worker/open-worker.ts';
import { eventually } from '../support/eventually.ts';
import { jobWhen } from '../support/job-when.ts';
import { type JobFixture, openJobFixture, resultOf } from './job-fixture.ts';

const AT_ONCE = { timeout: 0, grace: 0 };

/** The batch needs the engine of its fixture. */
async function openBatchFixture(
  context: TestContext,
  other: JobDefinition,
): Promise<JobFixture & { batch: JobDefinition }> {
  const fixture = await openJobFixture(context, [other]);
  const batch = batchJob({
    access: jobAccess(fixture.world.engine, fixture.access),
    timers: systemTimers,
  });
  await fixture.world.putType(batch.type, typeDefinitionOf(batch));
  return { ...fixture, batch };
}

test('[P14] a batch maps a type over a list, with a result an item, also where some fail', async (context) => {
  const square = defineJob('square', {
    input: typed<unknown>(),
    run: ({ input }) => {
      if (typeof input !== 'number') throw new PermanentError(`${String(input)} is no number`);
      return input * input;
    },
  });
  const fixture = await openBatchFixture(context, square);
  const worker = openWorker({ source: fixture.world.engine, jobs: [square, fixture.batch] });
  worker.start();
  context.after(() => worker.drain(AT_ONCE));
  const input = { type: 'square', items: [1, 2, 'x', 4], concurrency: 2 };
  const job = await fixture.world.enqueue('batch', input);
  const ended = await jobWhen(fixture.world.engine, job);
  const { succeeded, failed, items } = resultOf<BatchResult>(ended);
  assert.deepEqual([succeeded, failed], [3, 1]);
  assert.deepEqual(
    items.map(({ index, result, error }) => [index, result ?? error?.message]),
    [
      [0, 1],
      [1, 4],
      [2, 'x is no number'],
      [3, 16],
    ],
  );
  const child = await fixture.world.job(items[0]!.jobId!);
  assert.deepEqual([child.parentJobId, child.requestedBy], [job.id, 'tester']);
});

test('[P14] a batch whose worker dies goes on with the items that were left, and starts none twice', async (context) => {
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  const step = defineJob('step', {
    input: typed<number>(),
    run: async ({ input }) => {
      runs += 1;
      if (input >= 2) await gate.promise;
      return input;
    },
  });
  const fixture = await openBatchFixture(context, step);
  const [first, second] = ['first', 'second'].map((id) =>
    openWorker({ source: fixture.world.engine, jobs: [fixture.batch], id }),
  );
  const steps = openWorker({ source: fixture.world.engine, jobs: [step], id: 'steps' });
  for (const worker of [first!, second!, steps]) context.after(() => worker.drain(AT_ONCE));
  steps.start();
  first!.start();
  const items = [0, 1, 2, 3];
  const job = await fixture.world.enqueue('batch', { type: 'step', items, concurrency: 2 });
  await eventually(
    'half of it to be done',
    async () => runs === 4 && (await fixture.world.job(job)).progress >= 50,
  );
  await first!.crash();
  fixture.world.advance(120_000);
  await fixture.world.sweep();
  fixture.world.advance(60_000);
  await fixture.world.sweep();
  assert.equal((await fixture.world.job(job)).owner, null);
  gate.resolve();
  second!.start();
  await eventually('the batch to end', async () => {
    await fixture.world.sweep();
    return (await fixture.world.job(job)).phase === 'succeeded';
  });
  const { items: done } = resultOf<BatchResult>(await fixture.world.job(job));
  assert.deepEqual(
    done.map(({ result }) => result),
    items,
  );
  const { jobs } = await fixture.world.engine.jobs({
    tenant: job.tenant,
    type: 'step',
    limit: 100,
  });
  assert.equal(jobs.length, 4);
});

test('[P14] a batch applies a small operation to each item by itself', async (context) => {
  const other = defineJob('other', { run: () => null });
  const fixture = await openBatchFixture(context, other);
  const worker = openWorker({ source: fixture.world.engine, jobs: [fixture.batch] });
  context.after(() => worker.crash());
  const job = await fixture.world.enqueue('batch', {
    operation: 'words',
    items: ['a b', { c: 'd e' }],
  });
  await worker.poll();
  await worker.idle();
  const { items } = resultOf<BatchResult>(await fixture.world.job(job));
  assert.deepEqual(
    items.map(({ result }) => result),
    [2, 3],
  );
});
