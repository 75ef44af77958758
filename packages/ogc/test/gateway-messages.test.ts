// What a job of the gateway says of itself when it has ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBench } from './provider/gateway-bench.ts';
import type { Reply } from './provider/simulator.ts';

const told = (status: string, more: object = {}): Reply => ({
  status: 200,
  body: { jobID: 'remote', type: 'process', status, ...more },
});

for (const [title, more, message] of [
  ['what the provider said last', { message: 'all tiles are drawn' }, 'all tiles are drawn'],
  ['that it is done, where the provider said nothing', {}, 'The job is done.'],
] as const) {
  test(`[O10, O15] a successful job says ${title}`, async (t) => {
    const bench = await openBench(t);
    const job = await bench.execute();
    const running = told('running', { progress: 40, message: 'drawing tile 4 of 10' });
    bench.simulator.on('GET /jobs/*', running, told('successful', more));
    await bench.world.clock.advance(5_000);
    await bench.world.runUntilIdle();
    assert.equal((await bench.world.job(job)).message, 'drawing tile 4 of 10');
    const done = await bench.finish(job);
    assert.deepEqual([done.state, done.message, done.progress], ['successful', message, 100]);
  });
}

test('[O10, O20] a job that succeeded at once says so, too', async (t) => {
  const bench = await openBench(t);
  const answer = { jobID: 'remote', type: 'process', status: 'successful', message: 'quick' };
  bench.simulator.on('POST /processes/echo/execution', { status: 200, body: answer });
  bench.simulator.on('GET /jobs/remote/results', { status: 200, body: { a: 1 } });
  const done = await bench.execute();
  assert.deepEqual([done.state, done.message], ['successful', 'quick'], done.error?.message ?? '');
});
