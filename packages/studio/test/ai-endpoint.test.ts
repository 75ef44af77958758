// ai jobs against a real server: streaming, and everything that can go wrong on the way.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AiResult } from '../src/ai/job.ts';
import { openFixture } from './ai-fixture.ts';
import { resultOf } from './job-fixture.ts';
import { breaksOff, type Reply, says, silent, streams } from './model-server.ts';

describe('an ai job with an endpoint', () => {
  test('[T1, T25, T26] streams its tokens and keeps the answer, the model and the usage', async (context) => {
    const fixture = await openFixture(context);
    fixture.server.reply(streams('Three', ' ships', ' came.'));
    const job = await fixture.run('ai', {
      prompt: 'How many ships?',
      temperature: 0,
      maxTokens: 9,
    });
    assert.equal(job.state, 'succeeded', JSON.stringify(job.error));
    assert.deepEqual(resultOf<AiResult>(job), {
      response: 'Three ships came.',
      persisted: true,
      model: 'test-model-2026',
      finishReason: 'stop',
      tokenUsage: { prompt: 40, completion: 3, total: 43, unit: 'tokens' },
      citations: [],
      cost: null,
      toolCalls: [],
    });
    assert.equal(job.requestedBy, 'tester');
    const notes = await fixture.notes(job, 'job_tokens');
    assert.equal(notes.map(({ payload }) => payload?.['text']).join(''), 'Three ships came.');
    const [asked] = fixture.server.received;
    assert.deepEqual(
      [asked!.path, asked!.authorization, asked!.body.model, asked!.body.stream],
      ['/v1/chat/completions', 'Bearer sk-test', 'test-model', true],
    );
    assert.deepEqual([asked!.body.temperature, asked!.body.max_tokens], [0, 9]);
  });

  test('[T1, T27] asks about the selected part of a document, which is no metadata of the job', async (context) => {
    const fixture = await openFixture(context);
    fixture.server.reply(streams('Yes.'));
    const text = '# Harbour\n\nTwo cranes stand.\n\nThe pilot sleeps.';
    const input = { prompt: 'Who sleeps?', text, selection: { slides: [3] } };
    const job = await fixture.run('ai', input);
    assert.equal(job.state, 'succeeded', JSON.stringify(job.error));
    const [system, user] = fixture.server.received[0]!.body.messages;
    assert.match(system.content, /\[paragraph 3\] Harbour\nThe pilot sleeps\./);
    assert.doesNotMatch(system.content, /cranes/);
    assert.equal(user.content, 'Who sleeps?');
    assert.equal(job.metadata, null);
  });

  test('[T25] keeps no word of the answer where the job or the policy forbids it', async (context) => {
    for (const [mayPersist, persist] of [
      [true, false],
      [false, true],
    ] as const) {
      const fixture = await openFixture(context, { mayPersist });
      fixture.server.reply(streams('A', ' secret.'));
      const job = await fixture.run('ai', { prompt: 'What?', persist });
      const { response, persisted, tokenUsage } = resultOf<AiResult>(job);
      assert.deepEqual([response, persisted, tokenUsage?.total], [null, false, 43]);
    }
  });

  test('[T3, T16] goes through the listed stages with the listed ranges', async (context) => {
    const fixture = await openFixture(context);
    fixture.server.reply(streams('Yes.'));
    const job = await fixture.run('ai', { prompt: 'Well?' });
    const stages = await fixture.notes(job, 'job_stage_entered');
    const policy = await fixture.world.engine.registry.policy(job.policy);
    assert.deepEqual(
      policy.stages.map(({ name, min, max }) => `${name} (${min}-${max}%)`),
      [
        'preparing_context (0-10%)',
        'sending_prompt (10-20%)',
        'streaming_response (20-95%)',
        'finalizing (95-100%)',
      ],
    );
    const named = policy.stages.map(({ name }) => name);
    assert.ok(stages.every(({ stage }) => named.includes(stage ?? '')));
    assert.equal(job.progress, 100);
  });

  test('reads an answer that comes whole though a stream was asked for', async (context) => {
    const fixture = await openFixture(context);
    const message = { role: 'assistant', content: 'All at once.' };
    fixture.server.reply((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }));
    });
    const job = await fixture.run('ai', { messages: [{ role: 'user', content: 'Hm?' }] });
    assert.equal(resultOf<AiResult>(job).response, 'All at once.');
  });
});

/** One attempt more than the first: both fail, the job is failed and copied to the dead letters. */
const RETRIED: readonly [string, Reply, string, string][] = [
  ['503', says(503, { message: 'busy' }), 'model_overloaded', 'AI_OVERLOADED'],
  ['529', says(529, { message: 'overloaded' }), 'model_overloaded', 'AI_OVERLOADED'],
  ['500', says(500, 'oops'), 'model_overloaded', 'AI_OVERLOADED'],
  ['504', says(504, { message: 'slow' }), 'network_timeout', 'AI_TIMEOUT'],
  ['a stream that just ends', breaksOff('close'), 'network_timeout', 'AI_STREAM_BROKEN'],
  ['a stream that is cut', breaksOff('destroy'), 'network_timeout', 'AI_UNREACHABLE'],
  ['garbage in a stream', breaksOff('{"choices'), 'network_timeout', 'AI_STREAM_BROKEN'],
  [
    'an error in a stream',
    breaksOff('{"error":{"message":"engine","code":"server_error"}}'),
    'model_overloaded',
    'AI_OVERLOADED',
  ],
];

const FINAL: readonly [string, Reply, string, string][] = [
  ['400', says(400, { message: 'bad' }), 'validation_error', 'AI_BAD_REQUEST'],
  [
    '400 for a context that is too long',
    says(400, { message: 'long', code: 'context_length_exceeded' }),
    'validation_error',
    'AI_CONTEXT_TOO_LONG',
  ],
  ['401', says(401, { message: 'key sk-te…st' }), 'configuration_error', 'AI_UNAUTHORIZED'],
  ['404', says(404, { message: 'no model' }), 'configuration_error', 'AI_NOT_FOUND'],
  [
    '429 for a quota that is used up',
    says(429, { message: 'pay', code: 'insufficient_quota' }),
    'quota_exceeded',
    'AI_QUOTA_EXCEEDED',
  ],
];

describe('an ai job whose model fails', () => {
  for (const [what, reply, errorClass, code] of RETRIED) {
    test(`[T5, T20, T30] is tried twice for ${what}, as ${errorClass}, and then a dead letter`, async (context) => {
      const fixture = await openFixture(context);
      fixture.server.reply(reply);
      const job = await fixture.run('ai', { prompt: 'Well?' });
      assert.deepEqual([job.state, job.phase], ['running', 'waiting']);
      assert.equal(fixture.server.received.length, 1);
      assert.ok(job.backoffMs! >= 1_000 && job.backoffMs! <= 3_000, `waits ${job.backoffMs} ms`);
      await fixture.pass(job.backoffMs!);
      const ended = await fixture.world.job(job);
      assert.deepEqual(
        [ended.state, ended.attempts, ended.error?.class, ended.error?.code],
        ['failed', 2, errorClass, code],
      );
      const [letter] = await fixture.world.engine.deadLetters({ tenant: job.tenant, limit: 10 });
      assert.deepEqual([letter?.jobId, letter?.attempts], [job.id, 2]);
    });
  }

  for (const [what, reply, errorClass, code] of FINAL) {
    test(`[T6, T30] is not tried again after ${what}: ${code}`, async (context) => {
      const fixture = await openFixture(context);
      fixture.server.reply(reply);
      const { state, attempts, error } = await fixture.run('ai', { prompt: 'Well?' });
      assert.deepEqual(
        [state, attempts, error?.class, error?.code],
        ['failed', 1, errorClass, code],
      );
      assert.doesNotMatch(error!.message, /sk-/);
    });
  }

  test('[T5] gives a model that says nothing up in time, and succeeds with the second attempt', async (context) => {
    const fixture = await openFixture(context, { answerMs: 300 });
    fixture.server.reply(silent, streams('Now.'));
    const job = await fixture.run('ai', { prompt: 'Well?' });
    assert.equal(job.phase, 'waiting');
    await fixture.pass(10_000);
    assert.equal(resultOf<AiResult>(await fixture.world.job(job)).response, 'Now.');
  });

  test('[T5] gives a stream up that stalls in the middle, and succeeds with the second attempt', async (context) => {
    const fixture = await openFixture(context, { stallMs: 300 });
    fixture.server.reply(breaksOff('hang'), streams('Now.'));
    const job = await fixture.run('ai', { prompt: 'Well?' });
    assert.equal(job.phase, 'waiting');
    assert.equal(job.error?.code ?? 'AI_STALLED', 'AI_STALLED');
    await fixture.pass(10_000);
    assert.equal(resultOf<AiResult>(await fixture.world.job(job)).response, 'Now.');
  });

  test('[T6] waits as long as Retry-After says, at no attempt’s cost', async (context) => {
    const fixture = await openFixture(context);
    const busy = says(429, { message: 'too fast' }, { 'retry-after': '7' });
    const full = says(503, { message: 'full' }, { 'retry-after': '2' });
    fixture.server.reply(busy, full, streams('At last.'));
    const job = await fixture.run('ai', { prompt: 'Well?' });
    assert.deepEqual([job.phase, job.attempts], ['waiting', 1]);
    assert.equal(job.runAt - fixture.world.clock.now(), 7_000);
    await fixture.pass(7_000);
    await fixture.pass(2_000);
    const ended = await fixture.world.job(job);
    assert.equal(resultOf<AiResult>(ended).response, 'At last.');
    assert.equal(ended.attempts, 1);
  });

  test('[T6, T30] waits some times for a limit that names no time, then fails as ai_rate_limit', async (context) => {
    const fixture = await openFixture(context);
    fixture.server.reply(says(429, { message: 'too fast' }));
    const job = await fixture.run('ai', { prompt: 'Well?' });
    for (let turn = 0; turn < 4; turn++) await fixture.pass(10_000);
    const { state, error, attempts } = await fixture.world.job(job);
    assert.deepEqual(
      [state, error?.class, error?.code, attempts],
      ['failed', 'ai_rate_limit', 'AI_RATE_LIMITED', 1],
    );
    assert.equal(fixture.server.received.length, 5);
  });

  test('[T12] starts no more jobs of a user and an organisation than its limits', async (context) => {
    const rate = {
      perUser: { max: 2, per: '1m' },
      perOrganisation: { max: 3, per: '1m' },
    } as const;
    const fixture = await openFixture(context, { rate });
    fixture.server.reply(streams('Yes.'));
    for (const principal of ['ada', 'ada', 'ada', 'bob', 'bob']) {
      const caller = { tenant: 'acme', principal };
      await fixture.world.engine.enqueue([{ type: 'ai', input: { prompt: 'Well?' } }], { caller });
    }
    await fixture.work();
    assert.equal(fixture.server.received.length, 3);
    await fixture.pass(60_000);
    assert.equal(fixture.server.received.length, 5);
  });

  test('[T12] counts by the key that a job states, where nobody has a name', async (context) => {
    const rate = {
      perUser: { max: 1, per: '1m' },
      perOrganisation: { max: 9, per: '1m' },
    } as const;
    const fixture = await openFixture(context, { rate });
    fixture.server.reply(streams('Yes.'));
    const caller = { tenant: 'acme', principal: null };
    for (const limitKey of ['desk-1', 'desk-1', 'desk-2']) {
      const request = { type: 'ai', input: { prompt: 'Well?' }, limitKey };
      await fixture.world.engine.enqueue([request], { caller });
    }
    await fixture.work();
    assert.equal(fixture.server.received.length, 2);
    await fixture.pass(60_000);
    assert.equal(fixture.server.received.length, 3);
  });

  test('[T8] stops in the middle of a stream when it is cancelled', async (context) => {
    const fixture = await openFixture(context);
    const begun = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    fixture.server.reply((response) => {
      breaksOff('hang')(response);
      response.on('close', closed.resolve);
      begun.resolve();
    });
    const job = await fixture.world.enqueue('ai', { prompt: 'Well?' });
    await fixture.worker.poll();
    await begun.promise;
    await fixture.world.cancel(job);
    fixture.worker.check();
    await fixture.worker.beat();
    await fixture.worker.idle();
    await closed.promise;
    assert.equal((await fixture.world.job(job)).state, 'canceled');
  });
});
