// The real worker with a codec between it and the platform: handlers see plain values only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkerSign } from 'pawl/internal/records/workers';
import { aesCodec } from 'pawl/internal/codec/aes-codec';
import { newPayloadKey } from 'pawl/internal/codec/key-ring';
import { nullCodec } from 'pawl/internal/codec/null-codec';
import type { PayloadCodec } from 'pawl/internal/codec/payload-codec';
import { encodedSink } from 'pawl/internal/codec/wrap/enqueue';
import { encodedSource } from 'pawl/internal/codec/wrap/source';
import { Compensator } from 'pawl/internal/engine/follow/compensator';
import type { Compensation, RunContext } from 'pawl/internal/handler/context';
import { defineJob, type JobDefinition } from 'pawl/internal/handler/define-job';
import { PermanentError } from 'pawl/internal/handler/failure';
import { typed } from 'pawl/internal/handler/schema';
import { CANARIES, canariesIn } from '../support/blind/canaries.ts';
import { searchableStores } from '../support/blind/stored-text.ts';
import { jobThat, openWorkshop } from '../support/workshop.ts';
import { holdingOf, TENANT } from '../support/world.ts';

/** Breaks once, so that a second attempt lives on what the first one kept. */
function breakingJob(seen: unknown[]): JobDefinition {
  return defineJob('secret', {
    input: typed<{ text: string }>(),
    run: async ({ input, stage, progress, log, attempt }) => {
      const planned = await stage('plan', async () => [CANARIES['stage-result']]);
      seen.push(input, planned);
      log(CANARIES['log-line']);
      progress(0.5, CANARIES['progress-text']);
      if (attempt === 1) {
        throw Object.assign(new Error(CANARIES['error-message']), { name: 'network_timeout' });
      }
      return { text: CANARIES.result };
    },
  });
}

async function run(codec: PayloadCodec): Promise<{ text: string; seen: unknown[] }> {
  const [store] = await searchableStores();
  const { open, storedText } = await store!.make();
  const seen: unknown[] = [];
  const shop = await openWorkshop([breakingJob(seen)], { store: open });
  const { world, timers } = shop;
  try {
    const sink = encodedSink(world.engine, codec, world.engine.ids);
    const caller = { tenant: TENANT, principal: null };
    const input = { text: CANARIES.input };
    const [result] = await sink.enqueue([{ type: 'secret', input }], { caller });
    const worker = shop.worker({ source: encodedSource(world.engine, codec) });
    await shop.runUntilIdle(worker);
    timers.advance(60_000);
    await world.sweep();
    await shop.runUntilIdle(worker);
    assert.ok(result!.kind === 'created');
    assert.equal(await world.stateOf(result!.job), 'succeeded');
    return { text: (await storedText()) + shop.warnings.join('\n'), seen };
  } finally {
    await world.close();
  }
}

const input = { text: CANARIES.input };
const plan = [CANARIES['stage-result']];

test('[D16] a handler runs, breaks and resumes on values that the platform never had', async () => {
  const { text, seen } = await run(aesCodec({ keys: [newPayloadKey('k1')] }));
  assert.deepEqual(seen, [input, plan, input, plan]);
  assert.deepEqual(canariesIn(text), []);
});

test('the same handler without a codec leaves all of them behind', async () => {
  const { text } = await run(nullCodec);
  const fields = ['input', 'result', 'error-message', 'progress-text', 'log-line', 'stage-result'];
  const left = fields.map((field) => CANARIES[field as keyof typeof CANARIES]);
  assert.deepEqual(canariesIn(text).sort(), left.sort());
});

test('[D16, T32] an encrypted end that is reported again is the same end', async () => {
  const shop = await openWorkshop([jobThat(() => null)]);
  const { world } = shop;
  const codec = aesCodec({ keys: [newPayloadKey('k1')] });
  await world.enqueue('job');
  const claim = await world.claimOne('w1', 'job');
  const source = encodedSource(world.engine, codec);
  const settlement = {
    ...holdingOf(claim),
    ending: { kind: 'succeed', result: '{"text":"secret"}' },
  } as const;
  const [first] = await source.settle([settlement]);
  const [again] = await source.settle([{ ...settlement }]);
  assert.deepEqual([first!.kind, again!.kind], ['moved', 'unchanged']);
});

test('a worker that encrypts payloads is listed like every other', async () => {
  const shop = await openWorkshop([jobThat(() => null)]);
  const { world } = shop;
  const source = encodedSource(world.engine, aesCodec({ keys: [newPayloadKey('k1')] }));
  const sign = { tenant: TENANT, id: 'w1', types: ['job'], state: 'working', isAnnounced: true };
  const unsaid = { host: null, pid: null, version: null, slots: null };
  await source.announce?.([{ ...sign, ...unsaid } as WorkerSign]);
  const listed = await world.engine.workers(TENANT);
  assert.deepEqual(
    listed.map(({ id }) => id),
    ['w1'],
  );
});

test('[D16, R33] what undoes an encrypted job sees its input, stages, checkpoint and error', async () => {
  const seen: unknown[] = [];
  const [store] = await searchableStores();
  const { open, storedText } = await store!.make();
  const booking = jobThat(
    async ({ stage, checkpoint }) => {
      await stage('plan', () => CANARIES['stage-result']);
      await checkpoint(CANARIES.checkpoint);
      throw new PermanentError(CANARIES['error-message']);
    },
    { compensate: ({ input }: RunContext<Compensation<unknown>>) => void seen.push(input) },
  );
  const shop = await openWorkshop([booking], { store: open });
  const { world, timers } = shop;
  const codec = aesCodec({ keys: [newPayloadKey('k1')] });
  const sink = encodedSink(world.engine, codec, world.engine.ids);
  const caller = { tenant: TENANT, principal: null };
  const [made] = await sink.enqueue([{ type: 'job', input: CANARIES.input }], { caller });
  const worker = shop.worker({ source: encodedSource(world.engine, codec) });
  const compensator = new Compensator(world.context, { timers });
  await shop.runUntilIdle(worker);
  await compensator.runOnce();
  await shop.runUntilIdle(worker);
  await compensator.runOnce();
  const jobId = made!.kind === 'created' ? made!.job.id : '';
  const { end, ...rest } = seen[0] as Compensation<unknown>;
  assert.deepEqual(rest, {
    jobId,
    input: CANARIES.input,
    kept: { plan: CANARIES['stage-result'] },
    checkpoint: CANARIES.checkpoint,
  });
  assert.equal(end.error?.message, CANARIES['error-message']);
  assert.equal((await world.events(jobId)).at(-1)!.type, 'job_compensated');
  assert.deepEqual(canariesIn(await storedText()), []);
  await world.close();
});
