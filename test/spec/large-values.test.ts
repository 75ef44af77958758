// Inputs and results that are too large for the database live in artifacts, by reference.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { aesCodec } from '../../src/codec/aes-codec.ts';
import { newPayloadKey } from '../../src/codec/key-ring.ts';
import { nullCodec } from '../../src/codec/null-codec.ts';
import type { PayloadCodec } from '../../src/codec/payload-codec.ts';
import { encodedSink } from '../../src/codec/wrap/enqueue.ts';
import { encodedSource } from '../../src/codec/wrap/source.ts';
import type { JobSource } from '../../src/engine/source.ts';
import {
  inputsIn,
  largeSink,
  largeSource,
  valuesIn,
  wholeResult,
} from '../../src/engine/by-reference.ts';
import type { Claim } from '../../src/engine/claim.ts';
import { Compensator } from '../../src/engine/follow/compensator.ts';
import { type ArtifactWorld, openArtifactWorld } from '../support/artifact/artifact-world.ts';
import { ManualTimers } from '../../src/testing/manual-timers.ts';
import { inSqlite } from '../support/in-sqlite.ts';
import { holdingOf, TENANT } from '../support/world.ts';

const options = { store: inSqlite, types: { export: { lifecycle: 'task' } } } as const;
const BYTES_MAX = 200;
const large = { text: 'PLAIN '.repeat(100) };

interface Flow extends ArtifactWorld {
  readonly source: JobSource;
  readonly enqueue: (input: unknown) => Promise<string>;
  readonly claim: () => Promise<Claim | undefined>;
}

async function openFlow(context: TestContext, codec: PayloadCodec): Promise<Flow> {
  const opened = await openArtifactWorld(context, options);
  const { engine } = opened.world;
  const { ids } = engine;
  opened.world.context.largeInputs.use(inputsIn(opened.access, BYTES_MAX));
  const source = encodedSource(largeSource(engine, valuesIn(opened.access), BYTES_MAX), codec);
  const sink = encodedSink(largeSink(engine, opened.access, BYTES_MAX), codec, ids);
  const enqueue = async (input: unknown): Promise<string> => {
    const caller = { tenant: TENANT, principal: null };
    const [result] = await sink.enqueue([{ type: 'export', input }], { caller });
    if (result!.kind === 'refused') throw result!.error;
    return result!.job.id;
  };
  const claim = async (): Promise<Claim | undefined> =>
    (await source.claim({ owner: 'w1', types: ['export'], max: 1 }))[0];
  return { ...opened, source, enqueue, claim };
}

const codecs = { plain: nullCodec, encoded: aesCodec({ keys: [newPayloadKey('k1')] }) };

for (const [label, codec] of Object.entries(codecs)) {
  test(`a ${label} input is written as JSON once on its way in, whatever its size`, async (context) => {
    const { world, enqueue } = await openFlow(context, codec);
    let times = 0;
    const counted = (value: unknown) => ({ toJSON: () => (times++, value) });
    await enqueue(counted({ a: 1 }));
    assert.equal(times, 1);
    const id = await enqueue(counted(large));
    assert.equal(times, 2);
    await world.cancel({ tenant: TENANT, id }, 'hard');
    const caller = { tenant: TENANT, principal: null };
    await world.engine.rerun({ id, caller, input: counted(large) });
    assert.equal(times, 3);
  });

  test(`[T27] a large ${label} input and result go by reference`, async (context) => {
    const { world, access, source, enqueue, claim, onDisk } = await openFlow(context, codec);
    const id = await enqueue(large);
    assert.match((await world.job(id)).input, /^\{"\$artifact":"[0-9a-f-]{36}"\}$/);
    const claimed = await claim();
    assert.deepEqual(JSON.parse(claimed!.job.input), large);
    const result = JSON.stringify(large);
    const ending = { kind: 'succeed', result } as const;
    const held = { ...holdingOf(claimed!), known: claimed!.job };
    const [outcome] = await source.settle([{ ...held, ending }]);
    assert.equal(outcome!.kind, 'moved');
    const job = await world.job(id);
    const reference = JSON.parse(job.result!) as { $artifact: string };
    const ref = { tenant: TENANT, id: reference.$artifact };
    const found = await world.context.records.artifacts.find(ref);
    assert.deepEqual([found?.jobId, found?.name], [id, '$result']);
    await assert.rejects(access.find(ref), { code: 'NOT_FOUND' });
    assert.deepEqual(await access.list(job), [], 'a value is no artifact');
    const content = await wholeResult(access, job);
    const place = { tenant: TENANT, jobId: id, field: 'result' } as const;
    assert.equal(codec.decodeJson(place, content), result);
    assert.equal(onDisk().join('').includes('PLAIN'), label === 'plain');
  });
}

test('[T9] a large input sent again under its key or id is the same job', async (context) => {
  const { world, access } = await openFlow(context, nullCodec);
  const sink = largeSink(world.engine, access, BYTES_MAX);
  const send = async (more: object, input: unknown = large): Promise<unknown> => {
    const caller = { tenant: TENANT, principal: null };
    const [result] = await sink.enqueue([{ type: 'export', input, ...more }], { caller });
    return result!.kind === 'refused' ? result!.error.code : result!.kind;
  };
  const other = { text: 'OTHER '.repeat(100) };
  const key = { idempotencyKey: 'k' };
  assert.deepEqual(
    [await send(key), await send(key), await send(key, other)],
    ['created', 'replayed', 'IDEMPOTENCY_CONFLICT'],
  );
  const id = { id: world.engine.ids.next() };
  assert.deepEqual(
    [await send(id), await send(id), await send(id, other)],
    ['created', 'replayed', 'ALREADY_EXISTS'],
  );
});

test('a small value stays in the job', async (context) => {
  const { world, enqueue, claim, onDisk } = await openFlow(context, nullCodec);
  const id = await enqueue({ a: 1 });
  assert.equal((await world.job(id)).input, '{"a":1}');
  assert.equal((await claim())!.job.input, '{"a":1}');
  assert.deepEqual(onDisk(), []);
});

test('a job whose input is gone fails for good and holds up no other', async (context) => {
  const { world, enqueue, claim } = await openFlow(context, nullCodec);
  const id = await enqueue(large);
  const { $artifact } = JSON.parse((await world.job(id)).input) as { $artifact: string };
  await world.context.records.artifacts.remove([{ tenant: TENANT, id: $artifact }]);
  assert.equal(await claim(), undefined);
  const { phase, error } = await world.job(id);
  assert.deepEqual(
    [phase, error!.class, error!.code],
    ['failed', 'validation_error', 'INPUT_GONE'],
  );
  await enqueue(large);
  assert.deepEqual(JSON.parse((await claim())!.job.input), large);
});

test('[R36] a large result of a zombie is refused and leaves nothing', async (context) => {
  const { world, source, enqueue, claim, onDisk } = await openFlow(context, nullCodec);
  await enqueue(1);
  const zombie = await claim();
  world.advance(10 * 60_000);
  await world.sweep();
  const ending = { kind: 'succeed', result: JSON.stringify(large) } as const;
  const [outcome] = await source.settle([{ ...holdingOf(zombie!), ending }]);
  assert.equal(outcome!.kind === 'refused' && outcome!.error.code, 'LEASE_LOST');
  assert.deepEqual(onDisk(), []);
});

const DAY_MS = 86_400_000;

async function letterOf({ world }: Flow): Promise<string> {
  const [letter] = await world.engine.deadLetters({ tenant: TENANT, limit: 1 });
  return letter!.id;
}

test('[P4, T21, R33] a large input lives as long as its job or its dead letter, whatever its end', async (context) => {
  const flow = await openFlow(context, nullCodec);
  const { world, enqueue, claim, sweep, onDisk } = flow;
  await world.putType('export', { lifecycle: 'task', dlq: 'failed' });
  const id = await enqueue(large);
  for (let days = 0; days < 40; days += 8) {
    world.advance(8 * DAY_MS);
    await sweep.runOnce();
    assert.equal(onDisk().length, 1, `after ${days + 8} days`);
  }
  await world.fail((await claim())!, 'internal_bug');
  await sweep.runOnce();
  world.advance(2 * DAY_MS);
  await world.engine.sweepRetention({ jobsMs: DAY_MS, feedMs: DAY_MS });
  await assert.rejects(world.job(id), { code: 'NOT_FOUND' });
  await sweep.runOnce();
  const caller = { tenant: TENANT, principal: null };
  const letter = await letterOf(flow);
  const { job } = await world.engine.replay({ deadLetterId: letter, caller });
  assert.equal(onDisk().length, 2, 'the replay has an input of its own');
  await world.engine.sweepRetention({ deadLettersMs: 0 });
  world.advance(2 * DAY_MS);
  await sweep.runOnce();
  assert.equal(onDisk().length, 1, 'what was left of the first job is gone');
  const claimed = await claim();
  assert.deepEqual([claimed!.job.id, JSON.parse(claimed!.job.input)], [job.id, large]);
});

test('[T21] a dead letter is replayed with another large input', async (context) => {
  const flow = await openFlow(context, nullCodec);
  const { world, enqueue, claim } = flow;
  await world.putType('export', { lifecycle: 'task', dlq: 'failed' });
  await enqueue({ small: true });
  await world.fail((await claim())!, 'internal_bug');
  const caller = { tenant: TENANT, principal: null };
  await world.engine.replay({ deadLetterId: await letterOf(flow), caller, input: large });
  assert.deepEqual(JSON.parse((await claim())!.job.input), large);
});

test('[R33] what undoes a job is given its large input whole', async (context) => {
  const flow = await openFlow(context, nullCodec);
  const { world, enqueue, claim, source } = flow;
  await world.putType('undo', { lifecycle: 'task' });
  await world.putType('export', { lifecycle: 'task', compensation: 'undo' });
  const id = await enqueue(large);
  await world.fail((await claim())!, 'internal_bug');
  const timers = new ManualTimers(world.clock);
  await new Compensator(world.context, { timers }).runOnce();
  const [undo] = await source.claim({ owner: 'w1', types: ['undo'], max: 1 });
  const input = JSON.parse(undo!.job.input) as { jobId: string; input: unknown };
  assert.deepEqual([input.jobId, input.input], [id, large]);
});

test('a large input goes when its job is erased', async (context) => {
  const { world, enqueue, claim, onDisk, sweep, age } = await openFlow(context, nullCodec);
  const id = await enqueue(large);
  await world.complete((await claim())!);
  await world.engine.erase({ tenant: TENANT, id }, 'api:tester');
  age(2 * DAY_MS);
  await sweep.runOnce();
  assert.deepEqual(onDisk(), []);
});

test('[T32] a large result whose answer was lost is reported again, and counts once', async (context) => {
  const { source, enqueue, claim, onDisk } = await openFlow(context, nullCodec);
  await enqueue(1);
  const claimed = await claim();
  const ending = { kind: 'succeed', result: JSON.stringify(large) } as const;
  const settlement = { ...holdingOf(claimed!), ending };
  const [first] = await source.settle([settlement]);
  const [again] = await source.settle([{ ...settlement }]);
  assert.deepEqual([first!.kind, again!.kind], ['moved', 'unchanged']);
  assert.equal(onDisk().length, 1);
});
