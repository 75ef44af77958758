// How much is kept of what, to the byte, on every path that leads into a store.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { aesCodec } from '../../src/codec/aes-codec.ts';
import { newPayloadKey } from '../../src/codec/key-ring.ts';
import { decodeJob } from '../../src/codec/wrap/read.ts';
import { encodedSource } from '../../src/codec/wrap/source.ts';
import { ApiClient, RemoteSource } from '../../src/client/client.ts';
import { BOUNDS } from '../../src/core/bounds.ts';
import { PawlError } from '../../src/core/errors.ts';
import type { Job, JobError } from '../../src/core/job.ts';
import { boundedText } from '../../src/core/text.ts';
import type { RunContext } from '../../src/handler/context.ts';
import { defineJob, typeDefinitionOf } from '../../src/handler/define-job.ts';
import type { JobSource } from '../../src/engine/source.ts';
import { openWorker } from '../../src/worker/open-worker.ts';
import { jobWhen } from '../support/job-when.ts';
import { holdingOf, openWorld, TENANT, type World } from '../support/world.ts';
import { type Api, openApi } from './http-fixture.ts';

const KIB = 1_024;
/** Of several bytes a character, so that bytes and characters are not the same. */
const LONG = 'é€'.repeat(20_000);
const LONG_STACK = `Error: ${'x'.repeat(60_000)}\n    at the end`;

const FAILURE = {
  class: 'c'.repeat(500),
  message: LONG,
  stack: LONG_STACK,
  details: { list: Array.from({ length: 3_000 }, (_, n) => `item ${n}`) },
  causes: Array.from({ length: 20 }, () => ({ class: 'Error', message: LONG, stack: LONG_STACK })),
};

function assertBounded(error: JobError): void {
  assert.equal(error.message, boundedText(LONG, BOUNDS.errorMessage));
  assert.equal(error.stack, boundedText(LONG_STACK, BOUNDS.errorStack));
  assert.equal(Buffer.byteLength(error.class) <= BOUNDS.errorLabel, true);
  assert.deepEqual([error.causes!.length, error.causes!.at(-1)!.message], [8, '13 causes more']);
  assert.ok(Buffer.byteLength(JSON.stringify(error)) <= BOUNDS.error);
}

describe('an error is bounded', () => {
  let world: World;
  before(async () => {
    const types = { mail: { lifecycle: 'task' }, index: { lifecycle: 'distributed' } };
    world = await openWorld({ types: { ...types, page: { lifecycle: 'document' } } });
  });
  after(() => world.close());

  const everywhere = async (job: Job): Promise<JobError[]> => {
    const query = { tenant: TENANT, jobId: job.id, limit: 1 };
    const [listed] = await world.engine.deadLetters(query);
    const letters =
      listed === undefined ? [] : await world.engine.deadLetters({ ...query, id: listed.id });
    const events = (await world.events(job)).map(({ payload }) => payload?.['error']);
    const known = events.filter((one) => one !== undefined) as JobError[];
    return [(await world.job(job)).error!, ...known, ...letters.map((one) => one.lastError)];
  };

  test('by the engine itself, for any caller of settle: row, event and dead letter', async () => {
    await world.enqueue('index');
    const claim = await world.claimOne('w1', 'index');
    await world.start(claim);
    const failed = await world.fail(claim, { ...FAILURE, retryable: false });
    const kept = await everywhere(failed);
    assert.equal(kept.length, 3);
    kept.forEach(assertBounded);
  });

  test('where a job is rejected, dead-lettered or cancelled', async () => {
    const page = await world.enqueue('page');
    const ref = { tenant: TENANT, id: page.id };
    assertBounded((await world.engine.reject({ ref, actor: 'a', error: FAILURE })).error!);
    const index = await world.enqueue('index');
    const where = { ref: { tenant: TENANT, id: index.id }, actor: 'a' };
    const dead = await world.engine.deadLetter({ ...where, reason: 'timeout', message: LONG });
    assert.equal(dead.error!.message, boundedText(LONG, BOUNDS.errorMessage));
    const other = await world.enqueue('page');
    const wish = { ref: { tenant: TENANT, id: other.id }, actor: 'a', mode: 'hard' } as const;
    await world.engine.cancel([{ ...wish, reason: LONG }]);
    const { error } = await world.job(other);
    assert.equal(error!.message, boundedText(LONG, BOUNDS.message));
    assert.equal((await world.events(other)).at(-1)!.cause, boundedText(LONG, BOUNDS.message));
  });

  test('[D16] before it is encrypted, and is whole when it is read', async () => {
    const codec = aesCodec({ keys: [newPayloadKey('k')] });
    const source = encodedSource(world.engine, codec);
    const { id } = await world.enqueue('mail');
    const [claim] = await world.claim('w1', 'mail');
    const ending = { kind: 'fail', error: { ...FAILURE, retryable: false } } as const;
    await source.settle([{ ...holdingOf(claim!), ending }]);
    const stored = await world.job(id);
    assert.ok(!JSON.stringify(stored.error).includes('é€'));
    const { error } = decodeJob(codec, { ...stored, input: codec.encodeJson(inputOf(id), 'null') });
    assertBounded(error!);
  });

  const inputOf = (jobId: string) => ({ tenant: TENANT, jobId, field: 'input' }) as const;
});

describe('lists leave out what is long', () => {
  test('stack, causes and details are told of one job or dead letter at a time', async () => {
    const api = await openApi();
    after(() => api.close());
    const { url, held } = await api.claimed('index');
    await api.post(`${url}/start`, held);
    const error = { class: 'Oops', message: 'no', stack: 's', causes: [], details: { a: 1 } };
    const causes = [{ class: 'Error', message: 'why' }];
    await api.post(`${url}/fail`, { ...held, error: { ...error, causes, retryable: false } });
    const brief = (shown: object): string[] => Object.keys(shown).toSorted();
    const whole = ['causes', 'class', 'code', 'details', 'hint', 'message', 'retryable', 'stack'];
    const short = ['class', 'code', 'hint', 'message', 'retryable', 'stage'];
    assert.deepEqual(brief((await api.get(url)).body.error), [...whole, 'stage']);
    assert.deepEqual(brief((await api.get('/v1/jobs')).body.items[0].error), short);
    const [letter] = (await api.get('/v1/dlq')).body.items;
    assert.deepEqual(brief(letter.lastError), short);
    const { body } = await api.get(`/v1/dlq/${letter.id}`);
    assert.deepEqual(brief(body.lastError), [...whole, 'stage']);
    const history = (await api.get(`${url}/events`)).body.items;
    assert.equal(history.at(-1).metadata.error.stack, 's');
    const all = (await api.get('/v1/events?from=start')).body.items;
    assert.equal(all.at(-1).metadata.error.stack, undefined);
    assert.equal(all.at(-1).metadata.error.message, 'no');
  });
});

describe('over HTTP', () => {
  let api: Api;
  before(async () => {
    api = await openApi();
  });
  after(() => api.close());

  test('an error, a message and a reason that are too long are cut, not refused', async () => {
    const { url, held, id } = await api.claimed();
    const beat = { ...held, message: LONG, log: [LONG, 'NUL \u0000'], tokens: LONG };
    assert.equal((await api.post(`${url}/heartbeat`, beat)).status, 200);
    assert.equal((await api.get(url)).body.message, boundedText(LONG, BOUNDS.message));
    const notes = (await api.get(`${url}/events`)).body.items as {
      type: string;
      message: string;
      metadata: { text: string };
    }[];
    const lines = notes.filter(({ type }) => type === 'job_log').map(({ message }) => message);
    assert.deepEqual(lines, [boundedText(LONG, BOUNDS.logLine), 'NUL \ufffd']);
    const tokens = notes.filter(({ type }) => type === 'job_tokens');
    assert.equal(tokens.map(({ metadata }) => metadata.text).join(''), LONG);
    const error = { ...FAILURE, causes: FAILURE.causes.slice(0, 3), retryable: false };
    const failed = await api.post(`${url}/fail`, { ...held, error });
    assert.equal(failed.status, 200);
    const kept = (await api.world.engine.job({ tenant: 'default', id })).error!;
    assert.equal(kept.message, boundedText(LONG, BOUNDS.errorMessage));
    assert.equal(kept.stack, boundedText(LONG_STACK, BOUNDS.errorStack));
  });

  test('the same rejection again is known as such, also where it was cut', async () => {
    await api.world.putType('page', { lifecycle: 'document' }, 'default');
    const { body } = await api.post('/v1/jobs', { type: 'page' });
    const error = { class: 'invalid_document', message: LONG };
    for (let round = 0; round < 2; round++) {
      assert.equal((await api.post(`/v1/jobs/${body.id}/reject`, { error })).status, 200);
    }
  });

  test('a checkpoint and a stage are kept up to 1 MiB, and refused beyond it', async () => {
    const { url, held } = await api.claimed();
    const fits = 'x'.repeat(BOUNDS.checkpoint - 2);
    for (const [path, member] of [
      ['heartbeat', 'checkpoint'],
      ['stages/plan', 'result'],
    ] as const) {
      const kept = await api.post(`${url}/${path}`, { ...held, [member]: fits });
      assert.equal(kept.status, 200, path);
      const refused = await api.post(`${url}/${path}`, { ...held, [member]: `${fits}x` });
      assert.equal(refused.status, 413, path);
      assert.match(refused.body.detail, /has 1,048,577 bytes, more than the 1,048,576 that are/);
    }
    assert.equal((await api.post(`${url}/heartbeat`, held)).status, 200, 'the lease is still held');
  });

  test('metadata are kept up to 64 KiB, and refused beyond it', async () => {
    const metadata = (bytes: number): object => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    const accept = (bytes: number): Promise<{ status: number }> =>
      api.post('/v1/jobs', { type: 'export', metadata: metadata(bytes) });
    assert.equal((await accept(64 * KIB)).status, 202);
    assert.equal((await accept(64 * KIB + 1)).status, 413);
  });
});

type Said = (context: RunContext<undefined>) => unknown;

/** Runs one handler with a worker of the given source, and answers with the job as it ended. */
async function runWith(world: World, tenant: string, source: JobSource, run: Said): Promise<Job> {
  const job = defineJob('said', { run });
  await world.putType('said', typeDefinitionOf(job), tenant);
  const { id } = await world.enqueue('said', null, { tenant });
  const worker = openWorker({ source, jobs: [job], tenants: [tenant] });
  worker.start();
  await jobWhen(world.engine, { tenant, id });
  await worker.drain();
  return world.engine.job({ tenant, id });
}

describe('a handler', () => {
  const told: string[] = [];
  const tooMuch: Said = async ({ checkpoint, stage, once, log, tokens, progress }) => {
    told.length = 0;
    const note = async (kept: Promise<unknown>): Promise<void> => {
      told.push(
        await kept.then(
          () => 'kept',
          (error: PawlError) => error.code,
        ),
      );
    };
    await note(checkpoint('x'.repeat(BOUNDS.checkpoint - 2)));
    await note(checkpoint('x'.repeat(BOUNDS.checkpoint - 1)));
    await note(stage('large', () => 'x'.repeat(BOUNDS.stageResult - 1)));
    await note(once('large', () => 'x'.repeat(BOUNDS.stageResult - 1)));
    await note(once('k'.repeat(1_000), () => 1));
    log('l'.repeat(50_000));
    tokens('t'.repeat(200_000));
    progress(0.5, 'm'.repeat(50_000));
    await note(checkpoint('the last'));
  };
  const EXPECTED = [
    'kept',
    'PAYLOAD_TOO_LARGE',
    'PAYLOAD_TOO_LARGE',
    'PAYLOAD_TOO_LARGE',
    'VALIDATION_ERROR',
    'kept',
  ];

  const assertSaid = async (world: World, { tenant, id, ...job }: Job): Promise<void> => {
    assert.deepEqual([job.state, job.attempts, job.error], ['succeeded', 1, null]);
    assert.deepEqual(told, EXPECTED);
    assert.equal(job.checkpoint, '"the last"');
    assert.equal(job.message, boundedText('m'.repeat(50_000), BOUNDS.message));
    const query = { tenant, id, after: null, limit: 1_000, notes: true };
    const { events } = await world.engine.events(query);
    const lines = events.filter(({ type }) => type === 'job_log').map(({ message }) => message);
    assert.deepEqual(lines, [boundedText('l'.repeat(50_000), BOUNDS.logLine)]);
    const tokens = events.flatMap(({ type, payload }) =>
      type === 'job_tokens' ? [String(payload!['text'])] : [],
    );
    assert.equal(tokens.join(''), 't'.repeat(200_000));
    for (const text of tokens) assert.ok(text.length <= BOUNDS.tokens);
  };

  test('beside the engine keeps what is within the bounds, and its lease', async () => {
    const world = await openWorld();
    after(() => world.close());
    await assertSaid(world, await runWith(world, TENANT, world.engine, tooMuch));
  });

  test('behind HTTP keeps the same', async () => {
    const api = await openApi();
    after(() => api.close());
    const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
    const source = new RemoteSource({ connection: new ApiClient({ url }).connection, waitMs: 20 });
    await assertSaid(api.world, await runWith(api.world, 'default', source, tooMuch));
  });

  test('whose server keeps less loses a write, not its lease', async () => {
    const api = await openApi();
    after(() => api.close());
    const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
    const remote = new RemoteSource({ connection: new ApiClient({ url }).connection, waitMs: 20 });
    const tooLarge = new PawlError('PAYLOAD_TOO_LARGE', 'this server takes less');
    const source: JobSource = {
      claim: (options) => remote.claim(options),
      start: (all) => remote.start(all),
      settle: (all) => remote.settle(all),
      renew: async (beats) =>
        (await remote.renew(beats)).map((result, index) =>
          beats[index]!.checkpoint === undefined ? result : { kind: 'refused', error: tooLarge },
        ),
    };
    const codes: unknown[] = [];
    const job = await runWith(api.world, 'default', source, async ({ checkpoint, log }) => {
      await checkpoint('x').catch((error: PawlError) => codes.push(error.code));
      log('still here');
    });
    assert.deepEqual([job.state, job.attempts, codes], ['succeeded', 1, ['PAYLOAD_TOO_LARGE']]);
  });

  test('whose result no database can hold fails, and says why', async () => {
    const world = await openWorld();
    after(() => world.close());
    const job = await runWith(world, TENANT, world.engine, () => ({ text: 'a\u0000b' }));
    assert.deepEqual([job.state, job.attempts], ['failed', 1]);
    assert.deepEqual([job.error!.class, job.error!.code], ['internal_bug', 'VALIDATION_ERROR']);
    assert.match(job.error!.message, /^the result holds U\+0000 or half of a surrogate pair/);
  });
});
