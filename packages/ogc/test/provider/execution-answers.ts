// What providers answer to an execution, and what becomes of the job.
import type { Bench } from './gateway-bench.ts';
import type { Reply } from './simulator.ts';

/** In front of every path of the provider in these rows. */
export const BASE: string = '/base';
const MIB = 1024 * 1024;

/** An answer that needs a job of the simulator's own. */
export type Made = (bench: Bench) => Reply;

/** An answer, and what becomes of a job that gets it. */
export interface AnswerRow {
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
export const made =
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

export const ANSWERS: readonly AnswerRow[] = [
  {
    title: '[O6] 201, Location and a full status',
    answers: [made((reply) => reply)],
    state: 'successful',
  },
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
      made((_, id) => ({
        status: 201,
        headers: { location: `http://inside:5000${BASE}/jobs/${id}` },
      })),
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
  {
    title: '[O7] a number',
    answers: [{ status: 200, body: 7 }],
    state: 'successful',
    results: '7',
  },
  {
    title: '[O7] an array',
    answers: [{ status: 200, body: [1, 2] }],
    state: 'successful',
    results: '[1,2]',
  },
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
  ...[401, 403, 404, 429].map((status): AnswerRow => ({
    title: `[O3, O4] ${status} fails at once`,
    answers: [{ status, headers: { 'retry-after': '1' }, body: { title: 'no' } }],
    state: 'failed',
    code: 'UPSTREAM_ERROR',
    posts: 1,
  })),
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
  ...[502, 503, 504].flatMap((status): AnswerRow[] => [
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
    title: '[O3] a reset after sending is not sent again where that is configured',
    answers: ['reset'],
    settings: { in_doubt: 'fail' },
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
    title:
      '[O3] a reset is tried three times by default, while the provider’s list has no such job',
    answers: ['reset'],
    state: 'failed',
    code: 'UPSTREAM_UNREACHABLE',
    posts: 3,
  },
  {
    title: '[O3] a time-out after the job was made: probing finds the job, by default',
    answers: [made(() => 'hang')],
    settings: { forward_timeout: 0.3 },
    state: 'successful',
    posts: 1,
  },
  {
    title: '[O3] a reset before the job was made: probing finds none, and it is sent again',
    answers: ['reset', made((reply) => reply)],
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
    title: 'a result with an id and an output that is called status',
    answers: [{ status: 200, body: { id: 'a', status: 'success', value: 3 } }],
    state: 'successful',
    results: '{"id":"a","status":"success","value":3}',
  },
  {
    title: 'a GeoJSON feature that has a status',
    answers: [
      { status: 200, body: { type: 'Feature', id: 'f', geometry: null, status: 'failed' } },
    ],
    state: 'successful',
    results: '{"type":"Feature","id":"f","geometry":null,"status":"failed"}',
  },
  {
    title: 'a page where JSON was asked for is a failure that says so',
    answers: [{ status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Log in</h1>' }],
    state: 'failed',
    code: 'STATUS_UNREADABLE',
    message: /200 with an HTML page, such as that of a login or maintenance/,
  },
  {
    title: '[O9] results beyond their bound are not read to their end',
    answers: [{ status: 200, body: 'x'.repeat(3 * MIB) }],
    settings: { results_size_limit: 2 * MIB },
    state: 'failed',
    code: 'RESULTS_TOO_LARGE',
    message: /longer than 2097152 bytes; raise results_size_limit/,
  },
];
