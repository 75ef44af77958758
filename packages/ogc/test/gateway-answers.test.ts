// Whatever a provider answers to an execution: what becomes of the job.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExecutionResult } from '../src/gateway/conclude.ts';
import type { HttpClient } from '../src/gateway/provider-client.ts';
import { singleAttempt } from '../src/gateway/retry.ts';
import { OutgoingError } from 'pawl/internal/outgoing/outgoing-error';
import { type Bench, openBench } from './provider/gateway-bench.ts';
import { ANSWERS, BASE } from './provider/execution-answers.ts';
import { LATER } from './provider/later-answers.ts';
import { REDIRECTS } from './provider/redirect-answers.ts';

const EXECUTE = 'POST /processes/echo/execution';
const MIB = 1024 * 1024;

const ROWS = [...ANSWERS, ...REDIRECTS, ...LATER];

test('the table has at least sixty answers, each under a title of its own', () => {
  const titles = new Set(ROWS.map(({ title }) => title));
  assert.equal(titles.size, ROWS.length);
  assert.ok(ROWS.length >= 60, String(ROWS.length));
});

describe('a provider answers an execution', () => {
  for (const row of ROWS) {
    test(row.title, async (t) => {
      const bench = await openBench(t, {
        simulator: { basePath: BASE },
        settings: row.settings ?? {},
      });
      bench.simulator.on(
        EXECUTE,
        ...row.answers.map((answer) =>
          typeof answer === 'function' ? () => answer(bench) : answer,
        ),
      );
      const job = await bench.finish(await bench.execute());
      assert.equal(job.state, row.state, job.error?.message ?? '');
      assert.equal(job.error?.code ?? undefined, row.code);
      if (row.message !== undefined) assert.match(job.error!.message, row.message);
      assert.equal(bench.simulator.count(EXECUTE), row.posts ?? 1);
      if (row.results !== undefined) assert.equal(await textOf(bench, job.id), row.results);
    });
  }
});

async function textOf(bench: Bench, id: string): Promise<string> {
  const { results } = (await bench.world.resultOf(id)) as ExecutionResult;
  if (results?.kind === 'text') return results.text;
  return results?.kind === 'references' ? results.linkHeaders.join() : '';
}

test('[O7] binary and multipart results are kept as they came, with their types', async (t) => {
  const bench = await openBench(t);
  const bytes = Uint8Array.from({ length: 10 * MIB }, (_, index) => index % 251);
  const parts = '--b\r\nContent-ID: a\r\n\r\n1\r\n--b--\r\n';
  bench.simulator.on(
    EXECUTE,
    { status: 200, headers: { 'content-type': 'image/tiff' }, body: bytes },
    { status: 200, headers: { 'content-type': 'multipart/related; boundary=b' }, body: parts },
  );
  const image = await bench.execute();
  const [artifact] = await bench.world.artifacts(image);
  assert.equal(image.state, 'successful');
  assert.deepEqual([artifact!.contentType, artifact!.size], ['image/tiff', 10 * MIB]);
  assert.ok(Buffer.from(await artifact!.bytes()).equals(bytes));
  const related = await bench.execute();
  const { results } = (await bench.world.resultOf(related)) as ExecutionResult;
  assert.equal(
    results?.kind === 'artifact' && results.contentType,
    'multipart/related; boundary=b',
  );
  assert.equal(await (await bench.world.artifacts(related))[0]!.text(), parts);
});

test('[O3, O17] three attempts, 1 s and 2 s apart, at most 5 s; Retry-After counts', async (t) => {
  const bench = await openBench(t);
  bench.simulator.on(EXECUTE, { status: 503 });
  await bench.execute();
  assert.deepEqual(bench.waits, [1_000, 2_000]);
  bench.waits.length = 0;
  bench.simulator.on(EXECUTE, { status: 503, headers: { 'retry-after': '3' } }, { status: 504 });
  bench.configure({ forward_max_retries: 5 });
  await bench.execute();
  assert.deepEqual(bench.waits, [3_000, 2_000, 4_000, 5_000]);
});

test('[O3] without a retry adapter there is one attempt', async (t) => {
  const bench = await openBench(t, { retry: singleAttempt });
  bench.simulator.on(EXECUTE, { status: 503 });
  const job = await bench.execute();
  assert.deepEqual([job.state, bench.simulator.count(EXECUTE)], ['failed', 1]);
});

test('[O3] a provider that is not there is tried three times', async (t) => {
  const bench = await openBench(t);
  await bench.simulator.close();
  const job = await bench.execute();
  assert.deepEqual([job.state, job.error?.code], ['failed', 'UPSTREAM_UNREACHABLE']);
  assert.deepEqual(bench.waits, [1_000, 2_000]);
});

test('[O3] a reset before a byte was sent is tried again, whatever is to be done in doubt', async (t) => {
  let resets = 2;
  const http = (client: HttpClient): HttpClient => ({
    fetch: (url, request) => {
      if (request?.method !== 'POST' || resets-- <= 0) return client.fetch(url, request);
      const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      const error = new OutgoingError('network', 'it failed: ECONNRESET', cause, {
        isUnsent: true,
      });
      return Promise.reject(error);
    },
  });
  const bench = await openBench(t, { http, settings: { in_doubt: 'fail' } });
  const job = await bench.finish(await bench.execute());
  assert.equal(job.state, 'successful', job.error?.message ?? '');
  assert.deepEqual([bench.waits, bench.simulator.count(EXECUTE)], [[1_000, 2_000], 1]);
});

test('[O3] in doubt the list is asked again before the next attempt: it may be late', async (t) => {
  const bench = await openBench(t);
  let lists = 0;
  bench.simulator.on(EXECUTE, () => {
    bench.simulator.create('echo');
    return 'reset';
  });
  bench.simulator.on('GET /jobs', () =>
    lists++ === 0 ? { status: 200, body: { jobs: [] } } : null,
  );
  const job = await bench.finish(await bench.execute());
  assert.equal(job.state, 'successful', job.error?.message ?? '');
  assert.deepEqual([bench.simulator.count(EXECUTE), lists], [1, 2]);
});

test('[O3] in doubt, a list that cannot be asked now is asked later, and nothing is sent', async (t) => {
  const bench = await openBench(t, { settings: { unavailable_wait: 600 } });
  bench.simulator.on(EXECUTE, () => {
    bench.simulator.create('echo');
    return 'reset';
  });
  const away = Array.from({ length: 5 }, () => 'reset' as const);
  bench.simulator.on('GET /jobs', ...away, () => null);
  const job = await bench.finish(await bench.execute());
  assert.equal(job.state, 'successful', job.error?.message ?? '');
  assert.equal(bench.simulator.count(EXECUTE), 1);
});

test('[O3] in doubt and without a list the job fails, and is not sent again', async (t) => {
  const bench = await openBench(t);
  bench.simulator.on(EXECUTE, 'reset');
  bench.simulator.on('GET /jobs', { status: 404 });
  const job = await bench.execute();
  assert.deepEqual([job.state, job.error?.code], ['failed', 'FORWARD_IN_DOUBT']);
  assert.match(job.error!.message, /in_doubt/);
  assert.equal(bench.simulator.count(EXECUTE), 1);
});

test('[O21] a failure is classified, kept with the answer, and told to observers', async (t) => {
  const told: string[] = [];
  const bench = await openBench(t, {
    observers: [
      {
        name: 'ear',
        onStatusChanged: (_, before, now) => void told.push(`${before.status}→${now.status}`),
        onJobCompleted: (_, now) => void told.push(`completed: ${now.message}`),
      },
    ],
  });
  bench.simulator.on(EXECUTE, { status: 409, body: { title: 'Busy', code: 'E7' } });
  const { error } = await bench.execute();
  assert.deepEqual([error?.class, error?.code], ['validation_error', 'UPSTREAM_ERROR']);
  assert.deepEqual(error?.details, {
    upstreamStatus: 409,
    upstream: { title: 'Busy', code: 'E7' },
  });
  assert.deepEqual(told, ['accepted→failed', 'completed: the provider sim answered 409: Busy']);
});

test('[O11] a success at once is downgraded where its results cannot be fetched', async (t) => {
  const bench = await openBench(t);
  const claimed = { jobID: 'none', type: 'process', status: 'successful' };
  bench.simulator.on(EXECUTE, { status: 200, body: claimed });
  const job = await bench.finish(await bench.execute());
  assert.deepEqual([job.state, job.error?.code], ['failed', 'RESULTS_UNREACHABLE']);
});
