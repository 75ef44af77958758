// A job that is dismissed here: until its provider knows.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Job } from 'pawl/internal/core/job';
import { jobWhen } from '../../../test/support/job-when.ts';
import { readConfiguration } from '../src/gateway/configuration.ts';
import { openGateway } from '../src/gateway/gateway.ts';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';
import { type Bench, openBench } from './provider/gateway-bench.ts';
import { openInstance } from './provider/instance.ts';
import { openSimulator, type Reply } from './provider/simulator.ts';

const DELETE = 'DELETE /jobs/*';
const MINUTE_MS = 60_000;

async function dismissed(
  t: Parameters<typeof openBench>[0],
  answers: readonly Reply[],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<{ bench: Bench; telling: Job; told: () => number }> {
  const bench = await openBench(t, { simulator: { statuses: ['running'] }, settings });
  const job = await bench.execute();
  bench.simulator.on(DELETE, ...answers);
  const telling = await bench.dismiss(job);
  return { bench, telling, told: () => bench.simulator.count('DELETE /jobs/') };
}

async function later(bench: Bench, ms: number): Promise<void> {
  await bench.world.clock.advance(ms);
  await bench.world.runUntilIdle();
}

describe('a dismissal is settled', () => {
  const html = { 'content-type': 'text/html' };
  const rows: readonly Exclude<Reply, string>[] = [
    { status: 200, headers: html, body: '{}' },
    ...[202, 204, 400, 404, 405, 409, 410, 501].map((status) => ({ status })),
  ];
  for (const answer of rows) {
    test(`by ${answer.status}`, async (t) => {
      const { telling, told } = await dismissed(t, [answer]);
      assert.equal(telling.phase, 'succeeded');
      assert.deepEqual(JSON.parse(telling.result!), { status: answer.status });
      assert.equal(told(), 1);
    });
  }
});

describe('a dismissal is told again', () => {
  const rows: readonly Reply[] = [
    'reset',
    ...[401, 403, 408, 429, 500, 502, 503].map((status) => ({ status })),
  ];
  for (const answer of rows) {
    const what = typeof answer === 'string' ? answer : answer.status;
    test(`after ${what}, until the provider answers`, async (t) => {
      const { bench, telling, told } = await dismissed(t, [answer, answer, { status: 204 }]);
      assert.equal(telling.phase, 'waiting');
      for (let minute = 0; minute < 3; minute++) await later(bench, MINUTE_MS);
      assert.equal((await bench.world.job(telling)).phase, 'succeeded');
      assert.equal(told(), 3);
    });
  }

  test('when its Retry-After has passed, and not before', async (t) => {
    const busy = { status: 503, headers: { 'retry-after': '90' } };
    const { bench, told } = await dismissed(t, [busy, { status: 204 }]);
    await later(bench, MINUTE_MS);
    assert.equal(told(), 1);
    await later(bench, MINUTE_MS);
    assert.equal(told(), 2);
  });

  test('until dismiss_timeout, and then it has failed', async (t) => {
    const settings = { dismiss_timeout: 150 };
    const { bench, telling, told } = await dismissed(t, [{ status: 500 }], settings);
    for (let minute = 0; minute < 10; minute++) await later(bench, MINUTE_MS);
    const { phase, error } = await bench.world.job(telling);
    assert.deepEqual([phase, error?.code], ['failed', 'DISMISSAL_TIMEOUT']);
    assert.match(error!.message, /it answered 500 without a body; given up after dismiss_timeout/);
    assert.ok(told() > 2);
  });

  test('when its provider is in the file again', async (t) => {
    const bench = await openBench(t, { simulator: { statuses: ['running'] } });
    const job = await bench.execute();
    bench.unconfigure();
    const telling = await bench.dismiss(job);
    assert.equal(telling.phase, 'waiting');
    bench.configure({});
    await later(bench, MINUTE_MS);
    assert.equal((await bench.world.job(telling)).phase, 'succeeded');
  });
});

test('a job that was never sent is dismissed here alone', async (t) => {
  const bench = await openBench(t);
  bench.simulator.on('POST /processes/echo/execution', { status: 503, body: {} });
  const job = await bench.execute();
  await bench.world.cancel(job).catch(() => undefined);
  assert.equal(bench.simulator.count('DELETE '), 0);
});

test('what was dismissed while no gateway ran is told by the next one', async (t) => {
  const simulator = await openSimulator({ statuses: ['running'] });
  const providers = { sim: { url: simulator.url, poll_interval: 0.05 } };
  const first = await openInstance({ providers });
  const job = await first.execute('sim:echo', {});
  await jobWhen(first.pawl.engine, job, ({ state }) => state === 'running');
  await first.gateway.stop();
  await first.pawl.cancel(job);
  assert.equal((await first.pawl.ended(job)).state, 'dismissed');
  const http = createOutgoing({ allow: ['127.0.0.1'] });
  const configuration = readConfiguration(JSON.stringify({ providers }), {});
  const second = openGateway({
    engine: first.pawl.engine,
    artifacts: first.pawl.artifacts!,
    http,
    configuration: () => configuration,
    log: { warn: () => undefined },
  });
  t.after(async () => {
    await second.stop();
    await http.close();
    await first.close();
    await simulator.close();
  });
  assert.equal(simulator.count('DELETE '), 0);
  await second.start({ isWorking: true, isSweeping: true });
  await simulator.news.until('it is gone there', () => simulator.jobs.size === 0);
  assert.equal(simulator.count('DELETE /jobs/'), 1);
});

test('a job that is removed before its provider was told is told all the same', async (t) => {
  const simulator = await openSimulator({ statuses: ['running'] });
  const providers = { sim: { url: simulator.url, poll_interval: 0.05 } };
  const instance = await openInstance({ providers, isSweeping: false });
  const { gateway, pawl, execute } = instance;
  t.after(async () => {
    await instance.close();
    await simulator.close();
  });
  const job = await execute('sim:echo', {});
  await jobWhen(pawl.engine, job, ({ state }) => state === 'running');
  await pawl.cancel(job);
  await gateway.release!(await pawl.ended(job));
  await pawl.engine.erase(job, 'tester');
  await simulator.news.until('it is gone there', () => simulator.jobs.size === 0);
});
