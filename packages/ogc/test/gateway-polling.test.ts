// What polls find, and what becomes of the job.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExecutionResult } from '../src/gateway/conclude.ts';
import type { Following } from '../src/gateway/remote-state.ts';
import { type Bench, openBench } from './provider/gateway-bench.ts';
import { openSimulator, type Reply } from './provider/simulator.ts';

async function next(bench: Bench, ms = 5_000): Promise<void> {
  await bench.world.clock.advance(ms);
  await bench.world.runUntilIdle();
}

/** What status requests are answered, one after the other. */
function statusAnswers(bench: Bench, ...answers: Reply[]): void {
  bench.simulator.on('GET /jobs/*', ...answers);
}

const told = (status: string, more: object = {}): Reply => ({
  status: 200,
  body: { jobID: 'remote', type: 'process', status, ...more },
});

describe('shapes of a status', () => {
  const rows: readonly { title: string; reply: Reply; progress?: number; state?: string }[] = [
    { title: 'nulls', reply: told('running', { finished: null, message: null, progress: null }) },
    {
      title: 'no type and `id` for `jobID`',
      reply: { status: 200, body: { id: 'r', status: 'running' } },
    },
    { title: 'paused', reply: told('paused') },
    { title: 'progress beyond its range', reply: told('running', { progress: 250 }), progress: 99 },
    { title: 'progress as a text', reply: told('running', { progress: '40 %' }), progress: 40 },
    { title: 'negative progress', reply: told('running', { progress: -3 }), progress: 0 },
    {
      title: 'a results link while it runs',
      reply: told('running', {
        links: [{ rel: 'http://www.opengis.net/def/rel/ogc/1.0/results', href: '/jobs/r/results' }],
      }),
    },
    {
      title: 'a wrong content type',
      reply: {
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: JSON.stringify({ jobID: 'r', status: 'running' }),
      },
    },
  ];
  for (const { title, reply, progress } of rows) {
    test(`[O10, O15] ${title}: the job runs`, async (t) => {
      const bench = await openBench(t);
      const job = await bench.execute();
      statusAnswers(bench, reply, told('succeeded'));
      await next(bench);
      const running = await bench.world.job(job);
      assert.equal(running.state, 'running', bench.warnings.join());
      if (progress !== undefined) assert.equal(running.progress, progress);
      assert.equal((await bench.finish(job)).state, 'successful');
    });
  }
});

test('[O10] the local id replaces the remote one; what is missing is filled in; links are ensured', async (t) => {
  const bench = await openBench(t);
  const job = await bench.execute();
  statusAnswers(bench, told('running', { progress: 30 }));
  await next(bench);
  const { status, remoteId } = (await bench.remote(job)) as Following;
  assert.equal(remoteId, 'remote');
  const { started, updated, created, ...rest } = status;
  assert.deepEqual(rest, {
    jobID: job.id,
    processID: 'sim:echo',
    type: 'process',
    status: 'running',
    message: 'The provider is running the job.',
    progress: 30,
    links: [
      { href: `/jobs/${job.id}`, rel: 'self', type: 'application/json', title: 'This job' },
      { href: `/jobs/${job.id}`, rel: 'monitor', type: 'application/json', title: 'Its status' },
    ],
  });
  const now = new Date(bench.world.clock.now()).toISOString();
  assert.deepEqual([started, updated], [now, now]);
  assert.equal(created, new Date(job.createdAt).toISOString());
});

test('[O24] remote links are replaced by local ones, or left where that is configured', async (t) => {
  const link = { rel: 'monitor', href: 'https://provider.example/jobs/r' };
  for (const isRewritten of [true, false]) {
    const bench = await openBench(t, { settings: { rewrite_remote_links: isRewritten } });
    const job = await bench.execute();
    statusAnswers(bench, told('running', { links: [link] }));
    await next(bench);
    const { status } = (await bench.remote(job)) as Following;
    const hrefs = status.links!.map(({ href }) => href);
    assert.equal(hrefs.includes(link.href), !isRewritten);
    assert.ok(hrefs.includes(`/jobs/${job.id}`), 'the link to itself is there either way');
  }
});

test('[O15] a repeated status makes no duplicate history, a changed one is kept', async (t) => {
  const bench = await openBench(t);
  const job = await bench.execute();
  const half = told('running', { progress: 50, message: 'half' });
  statusAnswers(bench, told('running', { progress: 10 }), half, half, half, told('successful'));
  const done = await bench.finish(job);
  assert.equal(done.state, 'successful');
  const lines = (await bench.world.notes(job)).flatMap(({ type, message }) =>
    type === 'job_log' ? [message] : [],
  );
  assert.deepEqual(lines, [
    'status accepted, 0 %: The job was accepted.',
    'status accepted, 0 %: The job was accepted.',
    'status running, 10 %: The provider is running the job.',
    'status running, 50 %: half',
    'status successful, 100 %: The job is done.',
  ]);
});

test('[O13] a burst of errors and unreadable answers is logged, and polling goes on', async (t) => {
  const bench = await openBench(t);
  const job = await bench.execute();
  statusAnswers(
    bench,
    { status: 500 },
    { status: 200, body: '<html>log in</html>' },
    told('hibernating'),
    'reset',
    { status: 401 },
    { status: 404 },
    told('running'),
    told('successful'),
  );
  for (let poll = 0; poll < 6; poll++) await next(bench);
  assert.equal(await bench.world.stateOf(job), 'accepted');
  assert.equal(bench.warnings.filter((line) => line.startsWith('polling')).length, 6);
  const done = await bench.finish(job);
  assert.deepEqual([done.state, done.attempts], ['successful', 1]);
});

test('[O13] a provider that does not know the job for good has lost it', async (t) => {
  for (const status of [404, 410]) {
    const bench = await openBench(t, { settings: { poll_gone_max: 3 } });
    const job = await bench.execute();
    statusAnswers(bench, { status });
    const done = await bench.finish(job);
    assert.deepEqual([done.state, done.error?.code], ['failed', 'REMOTE_LOST']);
    assert.match(done.error!.message, /no longer knows the job.*3 times in a row/);
  }
});

test('[O13] failures in a row are bounded; one answer in between begins the count again', async (t) => {
  const bench = await openBench(t, { settings: { poll_failures_max: 3 } });
  const job = await bench.execute();
  const bad: Reply = { status: 500 };
  statusAnswers(bench, bad, bad, told('running'), bad, bad, bad);
  for (let poll = 0; poll < 5; poll++) await next(bench);
  assert.equal(await bench.world.stateOf(job), 'running');
  await next(bench);
  const done = await bench.world.job(job);
  assert.deepEqual([done.state, done.error?.code], ['failed', 'POLL_FAILURES']);
});

test('a provider that was moved in the file is polled where it is now', async (t) => {
  const bench = await openBench(t);
  const job = await bench.execute();
  const moved = await openSimulator({ basePath: '/moved', statuses: ['successful'] });
  t.after(() => moved.close());
  for (const [id, one] of bench.simulator.jobs) moved.jobs.set(id, one);
  bench.configure({ url: moved.url });
  assert.equal((await bench.finish(job)).state, 'successful');
  assert.equal(bench.simulator.count('GET /jobs/'), 0);
  assert.equal(moved.count('GET /jobs/'), 2);
});

test('a provider that is taken out of the file is waited for; without it nothing is begun', async (t) => {
  const bench = await openBench(t);
  const job = await bench.execute();
  bench.unconfigure();
  await next(bench);
  const refused = await bench.execute();
  assert.deepEqual([refused.state, refused.error?.code], ['failed', 'PROVIDER_UNKNOWN']);
  assert.equal(await bench.world.stateOf(job), 'accepted');
  bench.configure({});
  await next(bench, 60_000);
  assert.equal((await bench.finish(job)).state, 'successful');
});

test('[O14] after poll_timeout the job has failed, and observers are told', async (t) => {
  const told: string[] = [];
  const bench = await openBench(t, {
    simulator: { statuses: ['running'] },
    settings: { poll_timeout: 12 },
    observers: [{ name: 'ear', onJobCompleted: (_, { status }) => void told.push(status) }],
  });
  const job = await bench.execute();
  for (let poll = 0; poll < 2; poll++) await next(bench);
  assert.equal(await bench.world.stateOf(job), 'running');
  await next(bench, 2_000);
  const done = await bench.world.job(job);
  assert.deepEqual([done.state, done.error?.code], ['failed', 'POLL_TIMEOUT']);
  assert.deepEqual(told, ['failed']);
  assert.equal(bench.simulator.count('GET /jobs/'), 2, 'a job that has timed out is not polled');
});

test('[O13] a dismissed or failed remote job ends ours with what it said', async (t) => {
  for (const [status, code] of [
    ['dismissed', 'REMOTE_DISMISSED'],
    ['failed', 'REMOTE_FAILED'],
  ] as const) {
    const bench = await openBench(t);
    const job = await bench.execute();
    statusAnswers(bench, told(status, { message: 'because of the weather' }));
    const done = await bench.finish(job);
    assert.deepEqual([done.state, done.error?.code], ['failed', code]);
    assert.match(done.error!.message, /because of the weather/);
  }
});

describe('results', () => {
  test('[O16] they are taken from the link, before the usual place', async (t) => {
    const bench = await openBench(t);
    const job = await bench.execute();
    const rel = 'http://www.opengis.net/def/rel/ogc/1.0/results';
    statusAnswers(bench, told('successful', { links: [{ rel, href: '/elsewhere/7' }] }));
    bench.simulator.on('GET /elsewhere/7', { status: 200, body: { from: 'the link' } });
    await bench.finish(job);
    const { results } = (await bench.world.resultOf(job)) as ExecutionResult;
    assert.equal(results?.kind === 'text' && results.text, '{"from":"the link"}');
  });

  test('[O16] missing for a while: they are asked for again', async (t) => {
    const bench = await openBench(t, { simulator: { statuses: ['successful'] } });
    const job = await bench.execute();
    const [id] = bench.simulator.jobs.keys();
    bench.simulator.on(`GET /jobs/${id}/results`, { status: 404 }, { status: 200, body: { a: 1 } });
    const done = await bench.finish(job);
    assert.equal(done.state, 'successful');
    const { results } = (await bench.world.resultOf(job)) as ExecutionResult;
    assert.equal(results?.kind === 'text' && results.text, '{"a":1}');
  });

  test('[O16] missing for ever: a warning, and the job stays successful', async (t) => {
    const bench = await openBench(t, { simulator: { statuses: ['successful'] } });
    const job = await bench.execute();
    const [id] = bench.simulator.jobs.keys();
    bench.simulator.on(`GET /jobs/${id}/results`, { status: 404 });
    const done = await bench.finish(job);
    assert.equal(done.state, 'successful');
    assert.equal(((await bench.world.resultOf(job)) as ExecutionResult).results, null);
    assert.ok(bench.warnings.some((line) => line.includes('the results could not be fetched')));
  });

  test('[O16] HTML unless JSON is asked for, and bytes where there is no JSON', async (t) => {
    const bench = await openBench(t, { simulator: { statuses: ['successful'] } });
    const job = await bench.execute();
    const [id] = bench.simulator.jobs.keys();
    bench.simulator.on(`GET /jobs/${id}/results`, ({ headers }) =>
      headers['accept'] === 'application/json'
        ? { status: 406 }
        : { status: 200, headers: { 'content-type': 'image/png' }, body: new Uint8Array([1, 2]) },
    );
    await bench.finish(job);
    const [kept] = await bench.world.artifacts(job);
    assert.deepEqual([kept!.contentType, [...(await kept!.bytes())]], ['image/png', [1, 2]]);
  });
});

test('[O21] credentials go with every request, to the provider alone, and into no message', async (t) => {
  const secret = 'S3cr3t-t0ken';
  const bench = await openBench(t, { settings: { auth: { type: 'bearer', token: secret } } });
  const job = await bench.execute();
  const foreign = 'http://127.0.0.2:9/results';
  const rel = 'http://www.opengis.net/def/rel/ogc/1.0/results';
  statusAnswers(bench, told('successful', { links: [{ rel, href: foreign }] }));
  await bench.finish(job);
  assert.ok(bench.simulator.seen.length >= 3);
  for (const { headers } of bench.simulator.seen) {
    assert.equal(headers['authorization'], `Bearer ${secret}`);
  }
  bench.simulator.on('POST /processes/echo/execution', {
    status: 403,
    body: { detail: `the token ${secret} is not welcome` },
  });
  const { error } = await bench.execute();
  assert.match(error!.message, /the token \*\*\* is not welcome/);
  assert.ok(!JSON.stringify(error).includes(secret));
});
