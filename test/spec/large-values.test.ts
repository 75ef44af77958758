// Inputs and results that are too large for the database live in artifacts, by reference.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { aesCodec } from '../../src/codec/aes-codec.ts';
import { newPayloadKey } from '../../src/codec/key-ring.ts';
import { nullCodec } from '../../src/codec/null-codec.ts';
import type { PayloadCodec } from '../../src/codec/payload-codec.ts';
import { encodedSink } from '../../src/codec/wrap/enqueue.ts';
import { encodedSource, type JobSource } from '../../src/codec/wrap/source.ts';
import { largeSink, largeSource } from '../../src/engine/by-reference.ts';
import type { Claim } from '../../src/engine/claim.ts';
import {
  type ArtifactWorld,
  openArtifactWorld,
  textOf,
} from '../support/artifact/artifact-world.ts';
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
  const { ids } = engine.context;
  const source = encodedSource(largeSource(engine, opened.desk, BYTES_MAX), codec);
  const sink = encodedSink(largeSink(engine, opened.desk, BYTES_MAX), codec, ids);
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
  test(`[T27] a large ${label} input and result go by reference`, async (context) => {
    const { world, desk, source, enqueue, claim, onDisk } = await openFlow(context, codec);
    const id = await enqueue(large);
    assert.match((await world.job(id)).input, /^\{"\$artifact":"[0-9a-f-]{36}"\}$/);
    const claimed = await claim();
    assert.deepEqual(JSON.parse(claimed!.job.input), large);
    const result = JSON.stringify(large);
    const ending = { kind: 'succeed', result } as const;
    const held = { ...holdingOf(claimed!), known: claimed!.job };
    const [outcome] = await source.settle([{ ...held, ending }]);
    assert.equal(outcome!.kind, 'moved');
    const reference = JSON.parse((await world.job(id)).result!) as { $artifact: string };
    const found = await desk.find({ tenant: TENANT, id: reference.$artifact });
    assert.deepEqual([found.jobId, found.name], [id, '$result']);
    const content = await textOf(await desk.open(found));
    const place = { tenant: TENANT, jobId: id, field: 'result' } as const;
    assert.equal(codec.decodeJson(place, content), result);
    assert.equal(onDisk().join('').includes('PLAIN'), label === 'plain');
  });
}

test('[T9] a large input sent again under its key or id is the same job', async (context) => {
  const { world, desk } = await openFlow(context, nullCodec);
  const sink = largeSink(world.engine, desk, BYTES_MAX);
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
  const id = { id: world.engine.context.ids.next() };
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
  await world.engine.context.records.artifacts.remove([{ tenant: TENANT, id: $artifact }]);
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
