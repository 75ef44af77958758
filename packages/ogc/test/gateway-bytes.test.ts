// Results byte for byte: whatever charset, coding and length they have.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { PawlError } from 'pawl/internal/core/errors';
import type { ExecutionResult } from '../src/gateway/conclude.ts';
import type { KeptResults } from '../src/gateway/kept-results.ts';
import { type Bench, openBench } from './provider/gateway-bench.ts';
import type { Reply } from './provider/simulator.ts';

const EXECUTE = 'POST /processes/echo/execution';
const TEXT = 'Größe: 5 °C, 東京 🗼';
const MIB = 1024 * 1024;

interface Kept {
  readonly kept: KeptResults | null;
  readonly bytes: Buffer;
  readonly error: string;
}

async function keptOf(bench: Bench, reply: Reply): Promise<Kept> {
  bench.simulator.on(EXECUTE, reply);
  const job = await bench.finish(await bench.execute());
  if (job.state !== 'successful') {
    return { kept: null, bytes: Buffer.of(), error: `${job.error?.code}: ${job.error?.message}` };
  }
  const { results: kept } = (await bench.world.resultOf(job)) as ExecutionResult;
  if (kept?.kind === 'text') return { kept, bytes: Buffer.from(kept.text), error: '' };
  const [artifact] = await bench.world.artifacts(job);
  return { kept, bytes: Buffer.from(await artifact!.bytes()), error: '' };
}

const LATIN_1 = Buffer.from('Größe: 5 °C', 'latin1');

const BODIES: readonly { title: string; type: string; body: Buffer; kind: KeptResults['kind'] }[] =
  [
    { title: 'UTF-8', type: 'text/plain', body: Buffer.from(TEXT), kind: 'text' },
    {
      title: 'UTF-8 with a byte order mark',
      type: 'text/csv; charset=utf-8',
      body: Buffer.from(`\uFEFF${TEXT}`),
      kind: 'text',
    },
    {
      title: 'ISO 8859-1',
      type: 'text/plain; charset=iso-8859-1',
      body: LATIN_1,
      kind: 'artifact',
    },
    { title: 'ISO 8859-1 that says nothing', type: 'text/plain', body: LATIN_1, kind: 'artifact' },
    {
      title: 'ISO 8859-1 that says that it is UTF-8',
      type: 'application/xml; charset=utf-8',
      body: LATIN_1,
      kind: 'artifact',
    },
    {
      title: 'UTF-16',
      type: 'text/plain; charset=utf-16',
      body: Buffer.from(TEXT, 'utf16le'),
      kind: 'artifact',
    },
    {
      title: 'half a character',
      type: 'text/plain',
      body: Buffer.from(TEXT).subarray(0, 3),
      kind: 'artifact',
    },
  ];

describe('results are kept byte for byte', () => {
  for (const { title, type, body, kind } of BODIES) {
    test(`[O7] ${title}`, async (t) => {
      const bench = await openBench(t);
      const { kept, bytes } = await keptOf(bench, {
        status: 200,
        headers: { 'content-type': type },
        body,
      });
      assert.equal(kept?.kind, kind);
      assert.equal(kept.kind !== 'references' && kept.contentType, type);
      assert.deepEqual(bytes, body);
    });
  }

  const codings = {
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  };
  for (const [coding, encode] of Object.entries(codings)) {
    test(`[O7] a body that comes as ${coding}, unasked, is decoded`, async (t) => {
      const bench = await openBench(t);
      const headers = { 'content-type': 'text/plain', 'content-encoding': coding };
      const { kept, bytes } = await keptOf(bench, { status: 200, headers, body: encode(TEXT) });
      assert.deepEqual([kept?.kind, bytes.toString()], ['text', TEXT]);
      assert.equal(kept?.kind === 'text' && kept.headers, undefined);
    });
  }

  test('a coding that is not known stays as it is, with its header', async (t) => {
    const bench = await openBench(t);
    const headers = {
      'content-type': 'text/plain',
      'content-encoding': 'compress',
      'content-language': 'de',
      link: '<https://data.example/1>; rel="related"',
    };
    const body = Buffer.from([31, 157, 144, 1]);
    const { kept, bytes } = await keptOf(bench, { status: 200, headers, body });
    assert.deepEqual(bytes, body);
    const { 'content-type': _, ...others } = headers;
    assert.deepEqual(kept?.kind === 'artifact' && kept.headers, others);
  });

  test('a body that is not what its coding says is a failure that says so', async (t) => {
    const bench = await openBench(t);
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    const { error } = await keptOf(bench, { status: 200, headers, body: 'not gzip' });
    assert.match(error, /STATUS_UNREADABLE: .*not the gzip that its headers name/);
  });

  test('a small body that unpacks to more than the bound is a failure', async (t) => {
    const bench = await openBench(t, { settings: { results_size_limit: 2 * MIB } });
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    const body = gzipSync(Buffer.alloc(4 * MIB));
    const { error } = await keptOf(bench, { status: 200, headers, body });
    assert.match(error, /RESULTS_TOO_LARGE: .*decoded answer is longer than 2097152 bytes; raise/);
  });
});

describe('results that come at once are streamed beyond the length of a status', () => {
  for (const [title, type] of Object.entries({ bytes: 'image/tiff', JSON: 'application/json' })) {
    test(`[O7] ${title} beyond the bound of all other answers are an artifact`, async (t) => {
      const bench = await openBench(t, { settings: { response_size_limit: 1_000 } });
      const body = Buffer.from(JSON.stringify({ long: 'ab'.repeat(2 * MIB) }));
      const headers = { 'content-type': type, 'content-language': 'de' };
      const { kept, bytes, error } = await keptOf(bench, { status: 200, headers, body });
      assert.equal(kept?.kind, 'artifact', error);
      assert.ok(bytes.equals(body));
      assert.deepEqual(kept.headers, { 'content-language': 'de' });
    });
  }

  test('[O9] a long answer to a job that was made is not taken for results', async (t) => {
    const bench = await openBench(t, { settings: { response_size_limit: 1_000 } });
    bench.simulator.on(EXECUTE, () => {
      const made = bench.simulator.create('echo') as Exclude<Reply, string>;
      return { ...made, body: { note: 'x'.repeat(2_000) } };
    });
    const job = await bench.finish(await bench.execute());
    assert.equal(job.state, 'successful', job.error?.message ?? '');
    const { results } = (await bench.world.resultOf(job)) as ExecutionResult;
    assert.match(results?.kind === 'text' ? results.text : '', /"answer"/);
  });

  test('[O4] a long refusal fails the job and is left unread', async (t) => {
    const bench = await openBench(t, { settings: { response_size_limit: 1_000 } });
    const body = Buffer.alloc(4 * MIB, 'x');
    const { error } = await keptOf(bench, { status: 422, body });
    assert.match(error, /UPSTREAM_ERROR: .*422 with more than \d+ bytes/);
  });
});

test('results that the platform has no room for fail the job, and say why', async (t) => {
  const bench = await openBench(t, {
    http: (client) => ({
      fetch: async (...asked) => {
        const response = await client.fetch(...asked);
        if (!String(asked[0]).endsWith('/results')) return response;
        const full = new PawlError('QUOTA_EXCEEDED', '9 of 9 bytes are used already');
        const body = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(full) }) };
        return { ...response, body };
      },
    }),
  });
  const job = await bench.finish(await bench.execute());
  assert.deepEqual([job.state, job.error?.code], ['failed', 'RESULTS_TOO_LARGE']);
  assert.match(job.error!.message, /could not be kept: 9 of 9 bytes are used already/);
});

test('results of an asynchronous job are streamed, beyond the bound of all other answers', async (t) => {
  const bench = await openBench(t, { settings: { response_size_limit: 1_000 } });
  const body = Buffer.alloc(3 * MIB, 'ab');
  bench.simulator.on('GET /jobs/*/results', {
    status: 200,
    headers: { 'content-type': 'image/tiff', 'content-encoding': 'gzip' },
    body: gzipSync(body),
  });
  const job = await bench.finish(await bench.execute());
  assert.equal(job.state, 'successful', job.error?.message ?? '');
  const [artifact] = await bench.world.artifacts(job);
  assert.ok(Buffer.from(await artifact!.bytes()).equals(body));
});

test('results beyond their bound fail the job, and say which setting bounds them', async (t) => {
  const bench = await openBench(t, { settings: { results_size_limit: MIB } });
  bench.simulator.on('GET /jobs/*/results', {
    status: 200,
    headers: { 'content-type': 'image/tiff' },
    body: Buffer.alloc(2 * MIB),
  });
  const job = await bench.finish(await bench.execute());
  assert.deepEqual([job.state, job.error?.code], ['failed', 'RESULTS_TOO_LARGE']);
  assert.match(job.error!.message, /longer than 1048576 bytes; raise results_size_limit/);
});

test('a page in place of the results is not taken for them', async (t) => {
  const bench = await openBench(t);
  const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Log in</h1>' };
  bench.simulator.on('GET /jobs/*/results', page);
  const job = await bench.finish(await bench.execute());
  const { results } = (await bench.world.resultOf(job)) as ExecutionResult;
  assert.equal(results, null);
  const asked = { outputs: { report: { format: { mediaType: 'text/html' } } } };
  const asking = await bench.finish(await bench.execute(asked));
  const { results: kept } = (await bench.world.resultOf(asking)) as ExecutionResult;
  assert.equal(kept?.kind === 'text' && kept.text, page.body);
});
