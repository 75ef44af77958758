import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { inThread } from '../../../../test/fixtures/handlers/misbehaving.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { WaitTimeout } from '../handle/job-errors.ts';
import type { JobHandle } from '../handle/job-handle.ts';
import type { RunContext } from '../handler/context.ts';
import { declareJob, defineJob } from '../handler/define-job.ts';
import { fail } from '../handler/failure.ts';
import type { PolicyOptions } from '../handler/policy-options.ts';
import { typed } from '../handler/schema.ts';
import type { JobStop } from '../handler/stop.ts';
import { distributed } from '../lifecycles/distributed.ts';
import { partsOf } from '../pawl/parts.ts';
import { openWorld, type World } from './world.ts';

const never = new Promise<never>(() => undefined);

type More = PolicyOptions & { readonly lifecycle?: Lifecycle };

function jobThat(run: (context: RunContext<unknown>) => unknown, more: More = {}) {
  return defineJob('job', { input: typed<unknown>(), ...more, run });
}

/** A job whose handler has begun. */
async function begun(
  run: (context: RunContext<unknown>) => unknown,
  more: More = {},
): Promise<{ world: World; job: JobHandle }> {
  const definition = jobThat(run, more);
  const world = await openWorld({ jobs: [definition] });
  const job = await world.enqueue(definition, null);
  await world.begin();
  return { world, job };
}

async function stateOf(job: JobHandle): Promise<string> {
  return (await job.snapshot()).state;
}

describe('the clock of a world', () => {
  test('stands still unless it is moved, and then only by that much', async () => {
    const world = await openWorld({ jobs: [], startAt: new Date(1_000) });
    await world.runUntilIdle();
    assert.equal(world.clock.now().getTime(), 1_000);
    await world.clock.advance(12_345);
    assert.equal(world.clock.now().getTime(), 13_345);
  });

  test('[R8, R9] renews the leases of handlers at work as it goes', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { world, job } = await begun(() => promise, { lifecycle: distributed });
    await world.clock.advance('10m');
    const { phase, attempts } = await job.snapshot();
    assert.deepEqual([phase, attempts], ['executing', 1]);
    resolve('at last');
    assert.equal(await job.result(), 'at last');
  });

  test('ends an attempt that takes too long, at its time', async () => {
    const stops: unknown[] = [];
    const { world, job } = await begun(
      ({ signal }) => {
        const note = (): void => void stops.push((signal.reason as JobStop).why);
        signal.addEventListener('abort', note);
        return never;
      },
      { timeout: '2m', maxAttempts: 1 },
    );
    await world.clock.advance(119_000);
    assert.equal(await stateOf(job), 'running');
    await world.clock.advance(1_000);
    await world.runUntilIdle();
    const { state, error } = await job.snapshot();
    assert.deepEqual([state, error?.class, stops], ['failed', 'timeout', ['timedOut']]);
  });

  test('fires schedules', async () => {
    const job = jobThat(() => 'done');
    const world = await openWorld({ jobs: [job] });
    await world.schedule('hourly', { every: '1h', startAt: world.clock.now() }, job, null);
    await world.clock.advance('3h');
    await world.runUntilIdle();
    const { items } = await world.jobs({ type: job });
    assert.deepEqual(
      items.map(({ state }) => state),
      ['succeeded', 'succeeded', 'succeeded'],
    );
  });
});

describe('a crash', () => {
  test('[P2, T31] costs an attempt; the last one leaves a dead letter', async () => {
    const { world, job } = await begun(() => never, { maxAttempts: 2 });
    await world.crashWorker();
    assert.equal(await stateOf(job), 'pending');
    await world.begin();
    await world.crashWorker();
    const { state, error } = await job.snapshot();
    assert.deepEqual([state, error?.class], ['failed', 'worker_lost']);
    const [letter] = (await world.deadLetters.list()).items;
    assert.deepEqual(
      [letter!.jobId, letter!.reasonCode, letter!.lastOwner],
      [job.id, 'exhausted_retries', 'worker-2'],
    );
  });

  test('[R7] leaves its handler without an answer, and what it says without effect', async () => {
    const goOn = Promise.withResolvers<void>();
    let isAnswered = false;
    const { world, job } = await begun(async ({ attempt, checkpoint, artifact }) => {
      if (attempt === 2) return 'by the second';
      await goOn.promise;
      void artifact('late', 'late').then(() => (isAnswered = true));
      return checkpoint('late').finally(() => (isAnswered = true));
    });
    await world.crashWorker();
    goOn.resolve();
    await world.runUntilIdle();
    const { result, checkpoint } = await job.snapshot();
    assert.deepEqual([result, checkpoint, isAnswered], ['by the second', null, false]);
    assert.deepEqual(await job.artifacts(), []);
  });

  test('[R14] ends what its threads compute', async () => {
    const world = await openWorld({ jobs: [inThread] });
    const job = await world.enqueue(inThread, 'never resolves');
    await world.begin();
    await world.crashWorker();
    assert.equal(await stateOf(job), 'failed');
    await world.close();
  });
});

describe('values and documents', () => {
  test('of any size come back as they were', async () => {
    const large = 'x'.repeat(1_000_000);
    const echo = jobThat(({ input }) => input);
    const world = await openWorld({ jobs: [echo] });
    const job = await world.enqueue(echo, { large });
    assert.deepEqual(await job.result(), { large });
    const { input, result } = await job.snapshot();
    assert.deepEqual([input, result], [{ large }, { large }]);
    const ref = { tenant: 'default', id: job.id };
    assert.match((await partsOf(world).engine.job(ref)).result!, /^\{"\$artifact"/);
  });

  test('that were uploaded can be read by a handler', async () => {
    const reader = jobThat(async ({ input, openArtifact }) => {
      const { name, contentType, content } = await openArtifact(input as { $artifact: string });
      return [name, contentType, await text(content)];
    });
    const world = await openWorld({ jobs: [reader] });
    const scan = await world.upload('scan.txt', 'many pages');
    const job = await world.enqueue(reader, scan);
    const read = ['scan.txt', 'text/plain; charset=utf-8', 'many pages'];
    assert.deepEqual(await job.result(), read);
    assert.deepEqual((await job.snapshot()).input, scan);
  });

  test('[R36] an artifact that fails after the handler returned fails the attempt', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield 'half';
      throw fail('corruption_detected', 'the other half is not there');
    }
    const half = jobThat(({ artifact }) => {
      void artifact('half', broken());
      return 'done';
    });
    const world = await openWorld({ jobs: [half] });
    const job = await world.enqueue(half, null);
    const { state, error } = await job.ended();
    assert.deepEqual([state, error?.class], ['failed', 'corruption_detected']);
  });

  test('[R36] an artifact whose failure the handler dealt with does not', async () => {
    const careful = jobThat(async ({ artifact }) => {
      const refused = await artifact('', 'no name').catch((error: Error) => error.message);
      return refused;
    });
    const world = await openWorld({ jobs: [careful] });
    const job = await world.enqueue(careful, null);
    assert.match(String(await job.result()), /\/name: must be 1 to 512 characters/);
  });
});

test('what the platform warns of can be read', async () => {
  const job = jobThat(({ snooze }) => snooze(5));
  const world = await openWorld({ jobs: [job] });
  await world.enqueue(job, null);
  await world.runUntilIdle();
  assert.deepEqual(world.warnings, []);
});

test('to wait for a job that is not due says what to do, since time stands still', async () => {
  const job = jobThat(() => 'done');
  const world = await openWorld({ jobs: [job] });
  const later = await world.enqueue(job, null, { delay: '1h' });
  await assert.rejects(later.result(), (error: WaitTimeout) => {
    assert.match(error.message, /has not ended and nothing more is due .*world\.clock\.advance/);
    return error instanceof WaitTimeout;
  });
  await world.clock.advance('1h');
  assert.equal(await later.result(), 'done');
});

describe('a stub', () => {
  const pay = declareJob('pay', {
    input: typed<{ cents: number }>(),
    result: typed<{ receipt: string }>(),
  });
  const order = defineJob('order', {
    input: typed<{ cents: number }>(),
    run: ({ input }) => ({ paid: input.cents }),
  });

  test('stands in for a handler that is elsewhere, and for one that is here', async () => {
    const world = await openWorld({ jobs: [pay, order, inThread] });
    world.stub(pay, ({ input, attempt }) => ({ receipt: `${input.cents}/${attempt}` }));
    world.stub(inThread, ({ input }) => `here: ${input}`);
    assert.deepEqual(await (await world.enqueue(pay, { cents: 5 })).result(), { receipt: '5/1' });
    assert.deepEqual(await (await world.enqueue(order, { cents: 5 })).result(), { paid: 5 });
    const threaded = await world.enqueue(inThread, 'never resolves');
    assert.equal(await threaded.result(), 'here: never resolves');
    // @ts-expect-error a stub returns what the job does
    world.stub(pay, () => ({ receipt: 5 }));
    await world.close();
  });

  test('can fail, and is retried like any handler', async () => {
    const world = await openWorld({ jobs: [pay] });
    const attempts: number[] = [];
    world.stub(pay, ({ attempt }) => {
      attempts.push(attempt);
      throw fail('network_timeout', 'the bank does not answer');
    });
    const job = await world.enqueue(pay, { cents: 5 }, { maxAttempts: 2, backoff: '1s' });
    await world.runUntilIdle();
    await world.clock.advance('1s');
    await assert.rejects(job.result(), { name: 'JobFailed', attempts: 2 });
    assert.deepEqual(attempts, [1, 2]);
  });

  test('is missing for a job that is only declared: its failure says so', async () => {
    const world = await openWorld({ jobs: [pay] });
    const job = await world.enqueue(pay, { cents: 5 }, { maxAttempts: 1 });
    await assert.rejects(job.result(), /"pay" is only declared here.*world\.stub/);
    assert.throws(() => world.stub(order, () => ({ paid: 1 })), /add "order" to `jobs`/);
  });
});
