// An execution from its acceptance to its results, through a provider that is a real HTTP server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExecutionResult } from '../src/gateway/conclude.ts';
import { type JobObserver, OBSERVERS } from '../src/gateway/observers.ts';
import { singleAttempt } from '../src/gateway/retry.ts';
import { type DerivationContext, STRATEGIES } from '../src/gateway/status-derivation.ts';
import { openBench } from './provider/gateway-bench.ts';
import type { Reply } from './provider/simulator.ts';

test('[O2, O6, O15, O16] accepted, forwarded, running, polled, successful', async (t) => {
  const bench = await openBench(t);
  const { world, simulator } = bench;
  const job = await bench.execute({ inputs: { a: 1 }, response: 'document' });
  assert.equal(job.state, 'accepted');
  const [post] = simulator.seen;
  assert.equal(post!.path, '/processes/echo/execution');
  assert.deepEqual(JSON.parse(post!.body), { inputs: { a: 1 }, response: 'document' });
  assert.equal(post!.headers['prefer'], 'respond-async');
  await world.clock.advance(5_000);
  await world.runUntilIdle();
  assert.equal(await world.stateOf(job), 'running');
  const done = await bench.finish(job);
  assert.equal(done.state, 'successful');
  const { status, results } = (await world.resultOf(job)) as ExecutionResult;
  const [remote] = simulator.jobs.keys();
  assert.equal(status.jobID, job.id, 'the local id replaces the remote one');
  assert.deepEqual(results, {
    kind: 'text',
    contentType: 'application/json',
    text: `{"answer":"of ${remote}"}`,
  });
  const states = (await world.events(job)).map(({ to }) => to);
  assert.deepEqual([...new Set(states)], ['accepted', 'running', 'successful']);
  assert.equal(done.attempts, 1, 'polls cost no attempt');
});

test('[O13, O15] polls that find nothing new write no event and no note', async (t) => {
  const bench = await openBench(t, { simulator: { statuses: ['running'] } });
  const { world, simulator } = bench;
  const job = await bench.execute();
  const next = async (): Promise<void> => {
    await world.clock.advance(5_000);
    await world.runUntilIdle();
  };
  await next();
  const before = await world.job(job);
  const history = [await world.events(job), await world.notes(job)];
  for (let poll = 0; poll < 10; poll++) await next();
  const after = await world.job(job);
  assert.equal(simulator.count('GET /jobs/'), 11);
  assert.deepEqual([await world.events(job), await world.notes(job)], history);
  assert.deepEqual(
    [after.version, after.attempts, after.checkpoint],
    [before.version, 1, before.checkpoint],
  );
});

test('[O12] observers are told in the document’s sequence; throwing ones harm nobody', async (t) => {
  const told: string[] = [];
  const wrapped = OBSERVERS.map((inner): JobObserver => {
    const short = inner.name
      .split('-')
      .map(([letter]) => letter)
      .join('')
      .toUpperCase();
    return {
      name: inner.name,
      onJobCreated: (job, status) => {
        told.push(`${short} created ${status.status}`);
        return inner.onJobCreated?.(job, status);
      },
      onStatusChanged: (job, previous, status) => {
        told.push(`${short} ${previous.status}→${status.status}`);
        return inner.onStatusChanged?.(job, previous, status);
      },
      onJobCompleted: (job, status) => {
        told.push(`${short} completed ${status.status}`);
        return inner.onJobCompleted?.(job, status);
      },
    };
  });
  const bad: JobObserver = {
    name: 'bad',
    onJobCreated: () => {
      throw new Error('bad at creation');
    },
    onStatusChanged: async () => {
      throw new Error('bad at change');
    },
    onJobCompleted: () => {
      throw new Error('bad at completion');
    },
  };
  const bench = await openBench(t, { observers: [bad, ...wrapped] });
  const job = await bench.finish(await bench.execute());
  assert.equal(job.state, 'successful');
  const happenings = [
    'created accepted',
    'accepted→accepted',
    'accepted→running',
    'running→successful',
    'completed successful',
  ];
  const inTurn = happenings.flatMap((what) => ['SH', 'PS', 'RV'].map((who) => `${who} ${what}`));
  assert.deepEqual(told, inTurn);
  assert.equal(bench.warnings.filter((line) => line.includes('"observer":"bad"')).length, 5);
  const history = (await bench.world.notes(job)).flatMap(({ type, message }) =>
    type === 'job_log' ? [message!.split(',')[0]] : [],
  );
  assert.deepEqual(history, [
    'status accepted',
    'status accepted',
    'status running',
    'status successful',
  ]);
});

test('[O5] strategies are asked in order: direct, immediate, location, fallback', async (t) => {
  const asked: string[] = [];
  const strategies = STRATEGIES.map((inner) => ({
    ...inner,
    canHandle: (context: DerivationContext) => {
      asked.push(inner.name);
      return inner.canHandle(context);
    },
  }));
  const bench = await openBench(t, { strategies });
  const rows: readonly (readonly [chosen: string, reply: Reply])[] = [
    [
      'direct',
      { status: 201, headers: { location: '/jobs/1' }, body: { id: '1', status: 'failed' } },
    ],
    ['immediate', { status: 200, headers: { location: '/jobs/1' }, body: { out: 1 } }],
    ['location', { status: 201, headers: { location: '/jobs/1' } }],
    ['fallback', { status: 201 }],
  ];
  for (const [index, [chosen, reply]] of rows.entries()) {
    asked.length = 0;
    bench.simulator.on('POST /processes/echo/execution', reply);
    await bench.execute();
    assert.deepEqual(asked, ['direct', 'immediate', 'location', 'fallback'].slice(0, index + 1));
    assert.equal(asked.at(-1), chosen);
  }
});

test('[O19] every part can be replaced: client, retry, clock, observers, strategies', async (t) => {
  const asked: string[] = [];
  const bench = await openBench(t, {
    http: (client) => ({
      fetch: (url, request) => {
        asked.push(`${request?.method ?? 'GET'} ${new URL(String(url)).pathname}`);
        return client.fetch(url, request);
      },
    }),
    retry: singleAttempt,
    observers: [],
  });
  const job = await bench.finish(await bench.execute());
  assert.equal(job.state, 'successful');
  assert.ok(asked[0]!.startsWith('POST /processes/echo/execution'));
  const { results } = (await bench.world.resultOf(job)) as ExecutionResult;
  assert.equal(results, null, 'without the verifying observer the results stay with the provider');
});
