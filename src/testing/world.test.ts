import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { inThread } from '../../test/fixtures/handlers/misbehaving.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { RunContext } from '../handler/context.ts';
import { defineJob } from '../handler/define-job.ts';
import { fail } from '../handler/failure.ts';
import type { PolicyOptions } from '../handler/policy-options.ts';
import { typed } from '../handler/schema.ts';
import type { JobStop } from '../handler/stop.ts';
import { distributed } from '../lifecycles/distributed.ts';
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
): Promise<{ world: World; id: string }> {
  const world = await openWorld({ jobs: [jobThat(run, more)] });
  const { id } = await world.enqueue('job');
  await world.begin();
  return { world, id };
}

describe('the clock of a world', () => {
  test('stands still unless it is moved, and then only by that much', async () => {
    const world = await openWorld({ jobs: [], startAt: 1_000 });
    await world.runUntilIdle();
    assert.equal(world.clock.now(), 1_000);
    await world.clock.advance(12_345);
    assert.equal(world.clock.now(), 13_345);
  });

  test('[R8, R9] renews the leases of handlers at work as it goes', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { world, id } = await begun(() => promise, { lifecycle: distributed });
    await world.clock.advance(10 * 60_000);
    const { phase, attempts } = await world.job(id);
    assert.deepEqual([phase, attempts], ['executing', 1]);
    resolve('at last');
    await world.runUntilIdle();
    assert.equal(await world.resultOf(id), 'at last');
  });

  test('ends an attempt that takes too long, at its time', async () => {
    const stops: unknown[] = [];
    const { world, id } = await begun(
      ({ signal }) => {
        const note = (): void => void stops.push((signal.reason as JobStop).why);
        signal.addEventListener('abort', note);
        return never;
      },
      { timeout: '2m', maxAttempts: 1 },
    );
    await world.clock.advance(119_000);
    assert.equal(await world.stateOf(id), 'running');
    await world.clock.advance(1_000);
    await world.runUntilIdle();
    const { state, error } = await world.job(id);
    assert.deepEqual([state, error?.class, stops], ['failed', 'timeout', ['timedOut']]);
  });

  test('fires schedules', async () => {
    const world = await openWorld({ jobs: [jobThat(() => 'done')] });
    const caller = { tenant: 'default', principal: null };
    const rule = { kind: 'interval', everyMs: 3_600_000, startAt: world.clock.now() } as const;
    await world.engine.schedules.put({ name: 'hourly', caller }, { rule, job: { type: 'job' } });
    await world.clock.advance(3 * 3_600_000);
    await world.runUntilIdle();
    const { jobs } = await world.engine.jobs({ tenant: 'default', limit: 10 });
    assert.deepEqual(
      jobs.map(({ state }) => state),
      ['succeeded', 'succeeded', 'succeeded'],
    );
  });
});

describe('a crash', () => {
  test('[P2, T31] costs an attempt; the last one leaves a dead letter', async () => {
    const { world, id } = await begun(() => never, { maxAttempts: 2 });
    await world.crashWorker();
    assert.equal(await world.stateOf(id), 'pending');
    await world.begin();
    await world.crashWorker();
    const { state, error } = await world.job(id);
    assert.deepEqual([state, error?.class], ['failed', 'worker_lost']);
    const [letter] = await world.deadLetters();
    assert.deepEqual(
      [letter!.jobId, letter!.reasonCode, letter!.lastOwner],
      [id, 'exhausted_retries', 'worker-2'],
    );
  });

  test('[R7] leaves its handler without an answer, and what it says without effect', async () => {
    const goOn = Promise.withResolvers<void>();
    let isAnswered = false;
    const { world, id } = await begun(async ({ attempt, checkpoint, artifact }) => {
      if (attempt === 2) return 'by the second';
      await goOn.promise;
      void artifact('late', 'late').then(() => (isAnswered = true));
      return checkpoint('late').finally(() => (isAnswered = true));
    });
    await world.crashWorker();
    goOn.resolve();
    await world.runUntilIdle();
    const { result, checkpoint } = await world.job(id);
    assert.deepEqual([result, checkpoint, isAnswered], ['"by the second"', null, false]);
    assert.deepEqual(await world.artifacts(id), []);
  });

  test('[R14] ends what its threads compute', async () => {
    const world = await openWorld({ jobs: [inThread] });
    const job = await world.enqueue(inThread, 'never resolves');
    await world.begin();
    await world.crashWorker();
    assert.equal(await world.stateOf(job), 'failed');
    await world.close();
  });
});

describe('values and documents', () => {
  test('of any size come back as they were', async () => {
    const large = 'x'.repeat(1_000_000);
    const echo = jobThat(({ input }) => input);
    const world = await openWorld({ jobs: [echo] });
    const job = await world.enqueue('job', { large });
    await world.runUntilIdle();
    assert.deepEqual(await world.resultOf(job), { large });
    assert.match((await world.job(job)).result!, /^\{"\$artifact"/);
  });

  test('that were uploaded can be read by a handler', async () => {
    const reader = jobThat(async ({ input, openArtifact }) => {
      const { name, contentType, content } = await openArtifact(input as { $artifact: string });
      return [name, contentType, await text(content)];
    });
    const world = await openWorld({ jobs: [reader] });
    const scan = await world.upload('scan.txt', 'many pages');
    const job = await world.enqueue('job', scan);
    await world.runUntilIdle();
    const read = ['scan.txt', 'text/plain; charset=utf-8', 'many pages'];
    assert.deepEqual(await world.resultOf(job), read);
  });

  test('[R36] an artifact that fails after the handler returned fails the attempt', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield 'half';
      throw fail('corruption_detected', 'the other half is not there');
    }
    const world = await openWorld({
      jobs: [
        jobThat(({ artifact }) => {
          void artifact('half', broken());
          return 'done';
        }),
      ],
    });
    const job = await world.enqueue('job');
    await world.runUntilIdle();
    const { state, error } = await world.job(job);
    assert.deepEqual([state, error?.class], ['failed', 'corruption_detected']);
  });

  test('[R36] an artifact whose failure the handler dealt with does not', async () => {
    const world = await openWorld({
      jobs: [
        jobThat(async ({ artifact }) => {
          const refused = await artifact('', 'no name').catch((error: Error) => error.message);
          return refused;
        }),
      ],
    });
    const job = await world.enqueue('job');
    await world.runUntilIdle();
    assert.match(String(await world.resultOf(job)), /\/name: must be 1 to 512 characters/);
  });
});

test('what the platform warns of can be read', async () => {
  const world = await openWorld({ jobs: [jobThat(({ snooze }) => snooze(5))] });
  await world.enqueue('job');
  await world.runUntilIdle();
  assert.deepEqual(world.warnings, []);
});
