// A worker that dies at each step of an execution: where another one takes it to.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Job } from 'pawl/internal/core/job';
import { OBSERVERS } from '../src/gateway/observers.ts';
import { type Bench, type BenchOptions, openBench, PROVIDER } from './provider/gateway-bench.ts';
import type { Reply } from './provider/simulator.ts';

const EXECUTE = 'POST /processes/echo/execution';

/** Something is reached, and stays there for the dead. */
function trap(): { reached: Promise<void>; hold: () => Promise<never> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const hold = (): Promise<never> => {
    resolve();
    return new Promise<never>(() => undefined);
  };
  return { reached: promise, hold };
}

async function begin(bench: Bench): Promise<Job> {
  const input = { provider: PROVIDER, process: 'echo', request: { inputs: { a: 1 } } };
  const job = await bench.world.enqueue('ogc/sim:echo', input);
  await bench.world.begin();
  return job;
}

async function crash(bench: Bench): Promise<void> {
  await bench.world.crashWorker();
  await bench.world.runUntilIdle();
}

test('[O23] killed before the forward: it is sent once, by another', async (t) => {
  const { reached, hold } = trap();
  let deaths = 0;
  const observers = [
    { name: 'trap', onJobCreated: () => (deaths++ === 0 ? hold() : undefined) },
    ...OBSERVERS,
  ];
  const bench = await openBench(t, { observers });
  const job = await begin(bench);
  await reached;
  await crash(bench);
  const done = await bench.finish(job);
  assert.deepEqual([done.state, bench.simulator.count(EXECUTE)], ['successful', 1]);
});

describe('[O23] killed between the forward and its answer', () => {
  async function killedWhileSending(
    t: Parameters<typeof openBench>[0],
    { isMade, ...options }: BenchOptions & { isMade: boolean },
  ): Promise<{ bench: Bench; done: Job }> {
    const { reached, hold } = trap();
    const bench = await openBench(t, options);
    const first = (): Promise<Reply> => {
      if (isMade) bench.simulator.create('echo');
      return hold();
    };
    bench.simulator.on(EXECUTE, first, () => null);
    const job = await begin(bench);
    await reached;
    await crash(bench);
    return { bench, done: await bench.finish(job) };
  }

  test('with `fail` the job fails, says why, and is not sent again', async (t) => {
    const settings = { in_doubt: 'fail' };
    const { bench, done } = await killedWhileSending(t, { isMade: true, settings });
    assert.deepEqual([done.state, done.error?.code], ['failed', 'FORWARD_IN_DOUBT']);
    assert.match(done.error!.message, /it is not known whether the provider sim has the job/);
    assert.equal(bench.simulator.count(EXECUTE), 1);
  });

  test('with `retry` it is sent again, under the same idempotency key', async (t) => {
    const settings = { in_doubt: 'retry' };
    const { bench, done } = await killedWhileSending(t, { isMade: true, settings });
    assert.equal(done.state, 'successful');
    const keys = bench.simulator.seen.flatMap(({ method, headers }) =>
      method === 'POST' ? [headers['idempotency-key']] : [],
    );
    assert.deepEqual(keys, [done.id, done.id]);
  });

  test('by default the job is found among the provider’s and not sent again', async (t) => {
    const { bench, done } = await killedWhileSending(t, { isMade: true });
    assert.deepEqual([done.state, bench.simulator.count(EXECUTE)], ['successful', 1]);
    assert.equal(bench.simulator.jobs.size, 1);
  });

  test('with `probe` a job that never arrived is sent again', async (t) => {
    const settings = { in_doubt: 'probe' };
    const { bench, done } = await killedWhileSending(t, { isMade: false, settings });
    assert.deepEqual([done.state, bench.simulator.count(EXECUTE)], ['successful', 2]);
    assert.equal(bench.simulator.jobs.size, 1);
  });

  test('with `probe` a job that has ended meanwhile is found with its results', async (t) => {
    const simulator = { statuses: ['successful'] };
    const { bench, done } = await killedWhileSending(t, { isMade: true, simulator });
    assert.deepEqual([done.state, bench.simulator.count(EXECUTE)], ['successful', 1]);
    assert.match(done.result!, /of r1-/);
    assert.equal(bench.simulator.count('GET /jobs/'), 1, 'its results alone');
  });

  test('with `probe` a job that another one may have is nobody’s', async (t) => {
    const settings = { in_doubt: 'probe' };
    const claimed = { remoteIds: new Set<string>(), isOpen: true, isEqualOpen: true };
    const { done } = await killedWhileSending(t, { isMade: true, settings, claimed });
    assert.deepEqual([done.state, done.error?.code], ['failed', 'FORWARD_IN_DOUBT']);
  });
});

test('[O23] killed between a Location and its status: the job is followed by another', async (t) => {
  const { reached, hold } = trap();
  const bench = await openBench(t);
  bench.simulator.on(EXECUTE, () => {
    const reply = bench.simulator.create('echo') as Exclude<Reply, string>;
    return { status: 201, headers: reply.headers! };
  });
  bench.simulator.on(
    'GET /jobs/*',
    () => hold(),
    () => null,
  );
  const job = await begin(bench);
  await reached;
  await crash(bench);
  const done = await bench.finish(job);
  assert.deepEqual([done.state, bench.simulator.count(EXECUTE)], ['successful', 1]);
});

test('[O23] killed again and again while polling: every time another goes on', async (t) => {
  const bench = await openBench(t, { simulator: { statuses: ['running'] } });
  const job = await bench.execute();
  for (let deaths = 0; deaths < 5; deaths++) {
    const { reached, hold } = trap();
    bench.simulator.on(
      'GET /jobs/*',
      () => hold(),
      () => null,
    );
    await bench.world.clock.advance(5_000);
    await bench.world.begin();
    await reached;
    await crash(bench);
  }
  bench.simulator.statuses = ['successful'];
  const done = await bench.finish(job);
  assert.equal(done.state, 'successful');
  assert.equal(bench.simulator.count(EXECUTE), 1);
});

test('[O23] killed while the results are fetched: another fetches them', async (t) => {
  const { reached, hold } = trap();
  const bench = await openBench(t, { simulator: { statuses: ['successful'] } });
  const job = await bench.execute();
  const [id] = bench.simulator.jobs.keys();
  bench.simulator.on(
    `GET /jobs/${id}/results`,
    () => hold(),
    () => null,
  );
  await bench.world.clock.advance(5_000);
  await bench.world.begin();
  await reached;
  await crash(bench);
  const done = await bench.finish(job);
  assert.equal(done.state, 'successful');
  assert.match(done.result!, new RegExp(`of ${id}`));
});

test('[O23] killed between what is kept and the state: the next poll sets the state right', async (t) => {
  const { reached, hold } = trap();
  let isTrapped = true;
  const observers = [
    ...OBSERVERS,
    {
      name: 'trap',
      onStatusChanged: (_job: unknown, _before: unknown, now: { status: string }) => {
        if (now.status !== 'running' || !isTrapped) return undefined;
        isTrapped = false;
        return hold();
      },
    },
  ];
  const bench = await openBench(t, { observers, simulator: { statuses: ['running'] } });
  const job = await bench.execute();
  await bench.world.clock.advance(5_000);
  await bench.world.begin();
  await reached;
  assert.equal(await bench.world.stateOf(job), 'accepted');
  await crash(bench);
  assert.equal(await bench.world.stateOf(job), 'running');
});
