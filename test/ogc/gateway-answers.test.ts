// Whatever a provider answers to an execution: what becomes of the job.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExecutionResult } from '../../src/ogc/gateway/conclude.ts';
import { type Bench, openBench } from './provider/gateway-bench.ts';
import type { Reply, Seen } from './provider/simulator.ts';

const EXECUTE = 'POST /processes/echo/execution';
const BASE = '/base';
const MIB = 1024 * 1024;

type Made = (bench: Bench) => Reply;

interface Row {
  readonly title: string;
  readonly answers: readonly (Reply | Made)[];
  /** How it ends. */
  readonly state: 'successful' | 'failed';
  readonly code?: string;
  readonly results?: string | null;
  readonly message?: RegExp;
  /** How often it was sent. */
  readonly posts?: number;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A job of the simulator's own, told as the row says. */
const made =
  (change: (reply: Exclude<Reply, string>, id: string, bench: Bench) => Reply): Made =>
  (bench) => {
    const reply = bench.simulator.create('echo') as Exclude<Reply, string>;
    const id = [...bench.simulator.jobs.keys()].at(-1)!;
    return change(reply, id, bench);
  };

const info = (id: string, status: string, more: object = {}): object => ({
  jobID: id,
  type: 'process',
  status,
  ...more,
});

const rows: readonly Row[] = [
  { title: '[O6] 201, Location and a full status', answers: [made((reply) => reply)], state: 'successful' },
  {
    title: '[O6] a status that has `id` only, without a type',
    answers: [made((reply, id) => ({ ...reply, body: { id, status: 'accepted' } }))],
    state: 'successful',
  },
  {
    title: '[O8] 201, Location and the body null',
    answers: [made((reply) => ({ ...reply, body: null }))],
    state: 'successful',
  },
  {
    title: '[O8] 201, Location, no body and no type',
    answers: [made(({ status, headers }) => ({ status, headers: headers! }))],
    state: 'successful',
  },
  {
    title: '[O8] 202 and Location',
    answers: [made(({ headers }) => ({ status: 202, headers: headers! }))],
    state: 'successful',
  },
  {
    title: '[O8] a relative Location',
    answers: [made((_, id) => ({ status: 201, headers: { location: `jobs/${id}` } }))],
    state: 'successful',
  },
  {
    title: '[O8] a Location that is a path below the base path',
    answers: [made((_, id) => ({ status: 201, headers: { location: `${BASE}/jobs/${id}` } }))],
    state: 'successful',
  },
  {
    title: '[O8] a Location that forgets the base path',
    answers: [made((_, id) => ({ status: 201, headers: { location: `/jobs/${id}` } }))],
    state: 'successful',
  },
  {
    title: '[O8] a header in lower case, at a host of the provider’s own network',
    answers: [
      made((_, id) => ({ status: 201, headers: { location: `http://inside:5000${BASE}/jobs/${id}` } })),
    ],
    state: 'successful',
  },
  {
    title: '[O8] a Location elsewhere whose job is not found is a failure',
    answers: [{ status: 201, headers: { location: 'http://127.0.0.2:9/jobs/none' } }],
    state: 'failed',
    code: 'STATUS_UNREADABLE',
  },
  {
    title: '[O6] 200 and a status that runs',
    answers: [made((_, id) => ({ status: 200, body: info(id, 'running') }))],
    state: 'successful',
  },
  {
    title: '[O11] 200 and a status that is successful: its results are fetched',
    answers: [made((_, id) => ({ status: 200, body: info(id, 'successful') }))],
    state: 'successful',
  },
  {
    title: '[O11] a success at once whose results cannot be had is a failure',
    answers: [{ status: 200, body: info('none', 'successful') }],
    state: 'failed',
    code: 'RESULTS_UNREACHABLE',
  },
  {
    title: '[O6, O21] 200 and a status that failed',
    answers: [{ status: 200, body: info('x', 'failed', { message: 'no such layer' }) }],
    state: 'failed',
    code: 'REMOTE_FAILED',
    message: /no such layer/,
  },
  {
    title: '[O6] a job without a status that can be read is a failure',
    answers: [{ status: 200, body: { jobID: 'x', status: 'dreaming', type: 'process' } }],
    state: 'failed',
    code: 'STATUS_UNREADABLE',
  },
  {
    title: '[O7] 200 and a map by output ids',
    answers: [{ status: 200, body: { out: 'teststring' } }],
    state: 'successful',
    results: '{"out":"teststring"}',
  },
  {
    title: '[O7] 200 and a list in `outputs`, with a Location beside it',
    answers: [{ status: 200, headers: { location: '/jobs/9' }, body: { outputs: [1] } }],
    state: 'successful',
    results: '{"outputs":[1]}',
  },
  { title: '[O7] a number', answers: [{ status: 200, body: 7 }], state: 'successful', results: '7' },
  { title: '[O7] an array', answers: [{ status: 200, body: [1, 2] }], state: 'successful', results: '[1,2]' },
  {
    title: '[O7] an output that is called status',
    answers: [{ status: 200, body: { status: 'failed', count: 3 } }],
    state: 'successful',
    results: '{"status":"failed","count":3}',
  },
  {
    title: '[O7] plain text',
    answers: [{ status: 200, headers: { 'content-type': 'text/plain' }, body: 'hello' }],
    state: 'successful',
    results: 'hello',
  },
  {
    title: '[O7] 204 and links',
    answers: [{ status: 204, headers: { link: '<https://data.example/1>; rel=out' } }],
    state: 'successful',
    results: '<https://data.example/1>; rel=out',
  },
  {
    title: '[O4, O21] 400 as pygeoapi says it',
    answers: [{ status: 400, body: { code: 'InvalidParameterValue', description: 'bad bbox' } }],
    state: 'failed',
    code: 'UPSTREAM_ERROR',
    message: /answered 400: bad bbox/,
    posts: 1,
  },
  {
    title: '[O4, O21] 422 as a problem',
    answers: [
      {
        status: 422,
        headers: { 'content-type': 'application/problem+json' },
        body: { type: 'about:blank', title: 'Unprocessable', detail: 'zoom is too large' },
      },
    ],
    state: 'failed',
    code: 'UPSTREAM_ERROR',
    message: /zoom is too large/,
    posts: 1,
  },
  ...[401, 403, 404, 429].map(
    (status): Row => ({
      title: `[O3, O4] ${status} fails at once`,
      answers: [{ status, headers: { 'retry-after': '1' }, body: { title: 'no' } }],
      state: 'failed',
      code: 'UPSTREAM_ERROR',
      posts: 1,
    }),
  ),
  {
    title: '[O3, O4] 500 with a page fails at once, and the page stays outside',
    answers: [
      { status: 500, headers: { 'content-type': 'text/html' }, body: '<h1>Traceback secret</h1>' },
    ],
    state: 'failed',
    code: 'UPSTREAM_ERROR',
    message: /^(?!.*Traceback).*500 with \d+ bytes of text\/html$/,
    posts: 1,
  },
  ...[502, 503, 504].flatMap((status): Row[] => [
    {
      title: `[O3] ${status} once is tried again`,
      answers: [{ status }, made((reply) => reply)],
      state: 'successful',
      posts: 2,
    },
    {
      title: `[O3] ${status} always fails after three attempts`,
      answers: [{ status }],
      state: 'failed',
      code: 'UPSTREAM_ERROR',
      posts: 3,
    },
  ]),
  {
    title: '[O3] a reset after sending is not sent again by default',
    answers: ['reset'],
    state: 'failed',
    code: 'FORWARD_IN_DOUBT',
    posts: 1,
  },
  {
    title: '[O3] a reset is tried again where that is configured',
    answers: ['reset', made((reply) => reply)],
    settings: { in_doubt: 'retry' },
    state: 'successful',
    posts: 2,
  },
  {
    title: '[O3] a time-out after the job was made: probing finds the job',
    answers: [
      made((_, id) => {
        void id;
        return 'hang';
      }),
    ],
    settings: { in_doubt: 'probe', timeout: 0.3 },
    state: 'successful',
    posts: 1,
  },
  {
    title: '[O3] a reset before the job was made: probing finds none, and it is sent again',
    answers: ['reset', made((reply) => reply)],
    settings: { in_doubt: 'probe' },
    state: 'successful',
    posts: 2,
  },
  {
    title: '[O9] malformed JSON is a failure that says what came',
    answers: [{ status: 200, headers: { 'content-type': 'application/json' }, body: '{"a":' }],
    state: 'failed',
    code: 'STATUS_UNREADABLE',
    message: /no status and no result: 200 with 5 bytes of application\/json/,
  },
  {
    title: '[O9] a redirect is not followed',
    answers: [{ status: 301, headers: { location: 'https://other.example/' } }],
    state: 'failed',
    code: 'STATUS_UNREADABLE',
    message: /301/,
  },
  {
    title: '[O9] an answer beyond the bound is not read',
    answers: [{ status: 200, body: 'x'.repeat(3 * MIB) }],
    settings: { response_size_limit: 2 * MIB },
    state: 'failed',
    code: 'STATUS_UNREADABLE',
    message: /longer than/,
  },
];

describe('a provider answers an execution', () => {
  for (const row of rows) {
    test(row.title, async (t) => {
      const bench = await openBench(t, {
        simulator: { basePath: BASE },
        settings: row.settings ?? {},
      });
      bench.simulator.on(
        EXECUTE,
        ...row.answers.map((answer) =>
          typeof answer === 'function' ? (_: Seen): Reply => answer(bench) : answer,
        ),
      );
      const job = await bench.finish(await bench.execute());
      assert.equal(job.state, row.state, job.error?.message);
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
  assert.ok(Buffer.from(artifact!.bytes).equals(bytes));
  const related = await bench.execute();
  const { results } = (await bench.world.resultOf(related)) as ExecutionResult;
  assert.equal(results?.kind === 'artifact' && results.contentType, 'multipart/related; boundary=b');
  assert.equal((await bench.world.artifacts(related))[0]!.text, parts);
});

test('[O3, O17] three attempts, 1 s and 2 s apart, never more than 5 s; Retry-After counts', async (t) => {
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
  const { singleAttempt } = await import('../../src/ogc/gateway/retry.ts');
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
  assert.deepEqual(error?.details, { upstreamStatus: 409, upstream: { title: 'Busy', code: 'E7' } });
  assert.deepEqual(told, ['accepted→failed', 'completed: the provider sim answered 409: Busy']);
});
