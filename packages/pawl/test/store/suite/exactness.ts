import assert from 'node:assert/strict';
import type { Cases } from './scene.ts';

/** JSON texts that a careless store changes on the way. */
const TEXTS: Readonly<Record<string, string>> = {
  'keys in their order': '{"b":1,"a":2,"10":3,"9":4}',
  'spaces and line ends': '{ "a" : [ 1,\n 2 ] }',
  'a key given twice': '{"a":1,"a":2}',
  'a number beyond doubles': '{"n":12345678901234567890.10,"e":1e400}',
  'numbers of other spellings': '[1.0,1e2,-0,0.1000]',
  'text beyond the basic plane': '"žluťoučký 🐎 𝒳 \u2028"',
  'an escaped zero byte': '{"zero":"a\\u0000b"}',
  'an escaped lone surrogate': '"\\ud83d"',
  'escapes as written': '"\\u0041\\/"',
  'a bare null': 'null',
  'a long text': JSON.stringify('x'.repeat(200_000)),
};

const everyText: Cases = Object.fromEntries(
  Object.entries(TEXTS).map(([label, text]) => [
    `[D15] a payload comes back to the letter: ${label}`,
    async (scene) => {
      const job = await scene.enqueue({ input: text, metadata: text });
      assert.deepEqual([job.input, job.metadata], [text, text]);
      const [claimed] = await scene.claim();
      assert.equal(claimed!.job.input, text);
      const stageResult = { name: 'only', result: text };
      await scene.renew(claimed!.job, { checkpoint: text, stageResult });
      assert.equal((await scene.store.stages(job))[0]!.result, text);
      const ended = await scene.ask(claimed!.job, { on: 'succeed' }, { result: text });
      assert.deepEqual([ended.checkpoint, ended.result], [text, text]);
    },
  ]),
);

export const exactnessCases: Cases = {
  ...everyText,

  'an error keeps its details, and a payload its members, as values': async (scene) => {
    const job = await scene.running({ type: 'distributed' });
    const details = { deep: [{ n: 0.1, text: 'ž "quoted" \\ \n', none: null }], empty: {} };
    const error = { class: 'ValidationError', message: "it's 'quoted' 🐎", details };
    const ended = await scene.ask(job, { on: 'fail', error });
    const { hint, ...kept } = ended.error!;
    assert.deepEqual(kept, { ...error, code: null, stage: null, retryable: false });
    assert.match(hint!, /"ValidationError" is final/);
    assert.deepEqual((await scene.events(job)).at(-1)!.payload, { error: ended.error });
    assert.deepEqual((await scene.deadLetters())[0]!.lastError, ended.error);
  },

  'names of any characters are kept': async (scene) => {
    const odd = `o'Brien "\\ % _ ; -- ${'é'.repeat(50)} 🐎`;
    await scene.type(odd, 'task');
    const job = await scene.enqueue({
      type: odd,
      queue: odd,
      documentId: odd,
      correlationId: odd,
      requestedBy: odd,
      traceId: odd,
      idempotency: { key: odd, payloadHash: odd, windowMs: 1_000 },
    });
    assert.deepEqual([job.type, job.queue, job.documentId, job.traceId], [odd, odd, odd, odd]);
    const [claimed] = await scene.claim({ owner: odd, queues: [odd], requestId: odd });
    assert.equal(claimed!.job.owner, odd);
    await scene.renew(claimed!.job, { stage: odd, message: odd });
    assert.equal((await scene.read(job)).message, odd);
    const page = await scene.store.list({ tenant: scene.tenant, limit: 1, correlationId: odd });
    assert.equal(page.jobs[0]!.id, job.id);
  },

  'times to the millisecond and numbers to the last digit are kept': async (scene) => {
    const runAt = scene.clock.now() - 1_234_567;
    const deadlineAt = 4_102_444_800_123;
    const job = await scene.enqueue({ runAt, deadlineAt, priority: -2_147_483_648 });
    assert.deepEqual(
      [job.runAt, job.deadlineAt, job.priority],
      [runAt, deadlineAt, -2_147_483_648],
    );
    const [claimed] = await scene.claim();
    const delayMs = 2_592_000_001;
    const later = await scene.ask(claimed!.job, { on: 'snooze', delayMs });
    assert.equal(later.runAt, scene.clock.now() + delayMs);
  },
};
