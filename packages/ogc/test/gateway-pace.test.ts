// How soon and how often a provider is asked for the status of a job.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStatusInfo } from '../src/model/status-info.ts';
import { type Bench, openBench } from './provider/gateway-bench.ts';

/** At which milliseconds after the forward it was asked, looking every 50 ms. */
async function pollsOf(bench: Bench, untilMs: number): Promise<number[]> {
  const times: number[] = [];
  for (let ms = 50; ms <= untilMs; ms += 50) {
    const before = bench.simulator.count('GET /jobs/');
    await bench.world.clock.advance(50);
    await bench.world.runUntilIdle();
    if (bench.simulator.count('GET /jobs/') > before) times.push(ms);
  }
  return times;
}

test('polls begin after a quarter of a second and slow down to the interval', async (t) => {
  const bench = await openBench(t, { simulator: { statuses: ['running'] } });
  await bench.execute();
  const times = await pollsOf(bench, 25_000);
  assert.deepEqual(times.slice(0, 4), [250, 500, 750, 1_150]);
  const waits = times.slice(1).map((at, index) => at - times[index]!);
  assert.ok(
    waits.every((ms, index) => index === 0 || ms >= waits[index - 1]! - 50),
    waits.join(),
  );
  assert.equal(Math.max(...waits), 5_000);
});

test('a job of a second and a half is seen to end within two', async (t) => {
  const bench = await openBench(t, { simulator: { statuses: ['running'] } });
  const job = await bench.execute();
  await pollsOf(bench, 1_500);
  bench.simulator.statuses = ['successful'];
  await pollsOf(bench, 500);
  assert.equal((await bench.world.job(job)).state, 'successful');
});

test('a Retry-After beside a status comes before the pace', async (t) => {
  const bench = await openBench(t);
  const headers = { 'retry-after': '20' };
  const body = { jobID: 'r', type: 'process', status: 'running' };
  await bench.execute();
  bench.simulator.on('GET /jobs/*', { status: 200, headers, body });
  assert.deepEqual(await pollsOf(bench, 41_000), [250, 20_250, 40_250]);
});

test('a time without a zone is UTC', () => {
  const created = (time: string): string | undefined =>
    readStatusInfo({ jobID: 'r', status: 'running', created: time })?.created;
  const noon = '2026-11-16T12:00:00.000Z';
  const texts = ['2026-11-16T12:00:00', '2026-11-16 12:00', '2026-11-16T13:00:00+01:00', noon];
  assert.deepEqual(texts.map(created), [noon, noon, noon, noon]);
  assert.equal(created('2026-11-16T12:00:00.123456'), '2026-11-16T12:00:00.123Z');
});
