// Settings of single processes, other addresses of a provider, and what it asks to wait for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExecutionResult } from '../src/gateway/conclude.ts';
import { readConfiguration } from '../src/gateway/configuration.ts';
import { forProcess } from '../src/gateway/provider.ts';
import { openBench } from './provider/gateway-bench.ts';
import { openSimulator, type Reply } from './provider/simulator.ts';

const EXECUTE = 'POST /processes/echo/execution';

test('a process has the settings that the file gives it, over those of its provider', () => {
  const processes = { settings: { slow: { poll_interval: 60, in_doubt: 'retry' } } };
  const demo = { url: 'https://demo.example', timeout: 7, processes };
  const { providers } = readConfiguration(JSON.stringify({ providers: { demo } }), {});
  const { settings } = forProcess(providers.get('demo')!, 'slow');
  assert.deepEqual(
    [settings.pollIntervalMs, settings.inDoubt, settings.timeoutMs],
    [60_000, 'retry', 7_000],
  );
  assert.equal(forProcess(providers.get('demo')!, 'other').settings.pollIntervalMs, 5_000);
});

test('[O17] poll_timeout has one default for all providers; a provider or a process has its own', () => {
  const url = 'https://demo.example';
  const processes = { settings: { quick: { poll_timeout: 60 }, weeks: { poll_timeout: null } } };
  const file = {
    settings: { poll_timeout: 86_400 },
    providers: { common: { url }, own: { url, poll_timeout: 3_600, processes } },
  };
  const { providers } = readConfiguration(JSON.stringify(file), {});
  const timeoutOf = (provider: string, process: string): number | null =>
    forProcess(providers.get(provider)!, process).settings.pollTimeoutMs;
  assert.equal(timeoutOf('common', 'any'), 86_400_000);
  assert.equal(timeoutOf('own', 'any'), 3_600_000);
  assert.equal(timeoutOf('own', 'quick'), 60_000);
  assert.equal(timeoutOf('own', 'weeks'), null, 'null takes the limit of all away');
});

test('what is no setting of a process, and what is no address, is named', () => {
  const processes = { settings: { slow: { pace: 60 } } };
  const demo = { url: 'https://demo.example', processes, other_urls: ['ftp://demo.example'] };
  assert.throws(
    () => readConfiguration(JSON.stringify({ providers: { demo } }), {}),
    (error) => {
      const { faults } = error as { faults: readonly { pointer: string }[] };
      assert.deepEqual(faults.map(({ pointer }) => pointer).toSorted(), [
        '/providers/demo/other_urls',
        '/providers/demo/processes/settings/slow/pace',
      ]);
      return true;
    },
  );
});

test('a provider that cannot be reached is asked at its other address', async (t) => {
  const gone = await openSimulator();
  const { url } = gone;
  await gone.close();
  const bench = await openBench(t, { simulator: { basePath: '/other' } });
  bench.configure({ url, other_urls: [bench.simulator.url] });
  const job = await bench.finish(await bench.execute());
  assert.equal(job.state, 'successful', job.error?.message ?? '');
  assert.equal(bench.simulator.count(EXECUTE), 1);
});

test('a job is asked for at the second address that is known of it', async (t) => {
  const bench = await openBench(t, { simulator: { statuses: ['successful'] } });
  bench.simulator.on(EXECUTE, () => {
    const { body } = bench.simulator.create('echo') as { body: object };
    return { status: 201, headers: { location: '/broken/1' }, body };
  });
  bench.simulator.on('GET /broken/1', { status: 500 });
  const job = await bench.finish(await bench.execute());
  assert.equal(job.state, 'successful', job.error?.message ?? '');
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a status and results that are led elsewhere by ${status} are found there`, async (t) => {
    const bench = await openBench(t);
    const { simulator } = bench;
    const led = ({ path }: { path: string }): Reply | null =>
      path.includes('?') ? null : { status, headers: { location: `${path}?there=1` } };
    simulator.on('GET /jobs/*', led);
    simulator.on('GET /jobs/*/results', led);
    const job = await bench.finish(await bench.execute());
    assert.equal(job.state, 'successful', job.error?.message ?? '');
    const { results } = (await bench.world.resultOf(job)) as ExecutionResult;
    assert.match(results?.kind === 'text' ? results.text : '', /"answer"/);
    assert.ok(simulator.seen.some(({ path }) => path.endsWith('/results?there=1')));
  });
}

test('results that are led to another origin are not fetched there, and the log names it', async (t) => {
  const bench = await openBench(t);
  const location = 'https://other.example/results';
  bench.simulator.on('GET /jobs/*/results', { status: 302, headers: { location } });
  const job = await bench.finish(await bench.execute());
  const { results } = (await bench.world.resultOf(job)) as ExecutionResult;
  assert.equal(results, null);
  assert.match(bench.warnings.join(), /redirects to https:\/\/other\.example\/results/);
});

test('an execution is not sent again before its Retry-After has passed', async (t) => {
  const bench = await openBench(t);
  bench.simulator.on(EXECUTE, { status: 503, headers: { 'retry-after': '60' } }, () => null);
  const job = await bench.execute();
  for (let seconds = 0; seconds < 55; seconds += 5) {
    await bench.world.clock.advance(5_000);
    await bench.world.runUntilIdle();
  }
  const { state, message } = await bench.world.job(job);
  assert.equal(state, 'accepted');
  assert.match(message!, /answered 503 without a body; it is sent again later/);
  assert.equal(bench.simulator.count(EXECUTE), 1);
  assert.equal((await bench.finish(job)).state, 'successful');
});
