// Flows whose payloads the platform cannot read: names and keys are digests, values ciphertext.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aesCodec } from 'pawl/internal/codec/aes-codec';
import { newPayloadKey } from 'pawl/internal/codec/key-ring';
import { isSealed } from 'pawl/internal/codec/sealed';
import { sealMessage } from 'pawl/internal/codec/wrap/flow-names';
import { encodedSink } from 'pawl/internal/codec/wrap/enqueue';
import { encodedSource } from 'pawl/internal/codec/wrap/source';
import { defineJob, item, PermanentError, typed } from 'pawl';
import { fromTypebox } from 'pawl/define';
import { Type } from 'typebox';
import { partsOf } from 'pawl/internal/pawl/parts';
import { openWorld } from 'pawl/testing';
import { searchableStores } from '../support/blind/stored-text.ts';
import { openWorkshop } from '../support/workshop.ts';
import { TENANT } from '../support/world.ts';

const NAMES = ['CANARY-wait', 'CANARY-north', 'CANARY-south', 'CANARY-first', 'CANARY-member'];
const MESSAGES = ['CANARY-message', 'CANARY-message-key', 'CANARY-said', 'CANARY-misfit'];
const VALUES = ['CANARY-input', 'CANARY-result', 'CANARY-failure'];
const CANARIES = [...NAMES, ...MESSAGES, ...VALUES];

const part = defineJob('part', {
  input: typed<{ region: string; secret: string }>(),
  run: ({ input }) => {
    if (input.region === 'CANARY-south') throw new PermanentError('CANARY-failure');
    return { secret: 'CANARY-result' };
  },
});

const answer = fromTypebox(Type.Object({ said: Type.Literal('CANARY-said') }));

function parentOf(seen: unknown[]) {
  return defineJob('parent', {
    async run({ callAll, first, receive, sleep }) {
      const regions = ['CANARY-north', 'CANARY-south'];
      const inputs = regions.map((region) => ({ region, secret: 'CANARY-input' }));
      const key = ({ region }: { region: string }): string => region;
      const parts = await callAll('CANARY-wait', part, inputs, { key, onFailure: 'collect' });
      const told: unknown[] = [];
      for await (const one of parts.results()) {
        told.push([one.key, one.ok ? one.result : one.error?.message]);
      }
      const heard = await first('CANARY-first', {
        'CANARY-member': receive('CANARY-message', answer),
        late: sleep('CANARY-late', '1d'),
      });
      seen.push(...told, heard);
    },
  });
}

const SEEN = [
  ['CANARY-north', { secret: 'CANARY-result' }],
  ['CANARY-south', 'CANARY-failure'],
  { which: 'CANARY-member', value: { said: 'CANARY-said' } },
];

/** Runs the flow, and gives all that the platform has stored, answered and logged about it. */
async function run(isSecret: boolean): Promise<{ text: string; seen: unknown[] }> {
  const codec = aesCodec({ keys: [newPayloadKey('k1')] });
  const [store] = await searchableStores();
  const { open, storedText } = await store!.make();
  const seen: unknown[] = [];
  const shop = await openWorkshop([part, parentOf(seen)], { store: open });
  const { engine, context } = shop.world;
  const sink = isSecret ? encodedSink(engine, codec, engine.ids) : engine;
  const [made] = await sink.enqueue([{ type: 'parent' }], {
    caller: { tenant: TENANT, principal: null },
  });
  assert.ok(made!.kind === 'created');
  const ref = { tenant: TENANT, id: made!.job.id };
  const worker = shop.worker(isSecret ? { source: encodedSource(engine, codec) } : {});
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 5; round++) {
      await shop.runUntilIdle(worker);
      await context.flowLooks.idle();
    }
  };
  const send = async (value: unknown, key: string): Promise<void> => {
    const plain = { name: 'CANARY-message', payload: JSON.stringify(value), key };
    const message = isSecret ? sealMessage(codec, ref, plain) : plain;
    await engine.flows.send({ ref, ...message, actor: 'api:tester' });
  };
  await settle();
  const shown: unknown[] = [await engine.flows.tree(ref), await engine.why(ref)];
  await send({ said: 'CANARY-misfit' }, 'CANARY-message-key');
  await settle();
  await send({ said: 'CANARY-said' }, 'again');
  await settle();
  shown.push(await engine.flows.tree(ref), await engine.flows.messages(ref));
  assert.equal(await shop.world.stateOf(made!.job), 'succeeded');
  const text = [await storedText(), JSON.stringify(shown), ...shop.warnings].join('\n');
  await shop.world.close();
  return { text, seen };
}

test('[D16] of a flow with a codec the platform never sees a name, a key or a value', async () => {
  const { text, seen } = await run(true);
  assert.deepEqual(seen, SEEN);
  assert.deepEqual(
    CANARIES.filter((one) => text.includes(one)),
    [],
  );
});

test('the same flow without a codec leaves all of them behind', async () => {
  const { text, seen } = await run(false);
  assert.deepEqual(seen, SEEN);
  assert.deepEqual(
    CANARIES.filter((one) => !text.includes(one)),
    [],
  );
});

const codec = aesCodec({ keys: [newPayloadKey('k1')] });

const waiting = defineJob('waiting', {
  run: ({ receive }) => receive('go', fromTypebox(Type.Object({ ok: Type.Boolean() }))),
});

test('[D16] a message that is not encrypted is refused, with a sentence', async () => {
  await using world = await openWorld({ jobs: [waiting], codec });
  const job = await world.enqueue(waiting);
  await world.runUntilIdle();
  const { engine } = partsOf(world);
  const ref = { tenant: 'default', id: job.id };
  const plain = { ref, name: 'go', payload: '{"ok":true}', actor: 'api:tester' };
  await assert.rejects(engine.flows.send(plain), {
    code: 'VALIDATION_ERROR',
    message: /^\/payload: must be encrypted: the payloads of job .* are, and its messages too/,
  });
  assert.deepEqual(await engine.flows.messages(ref), []);
  await job.send('go', { ok: true });
  assert.deepEqual(await job.result(), { ok: true });
});

test('[D16] the same where the input is kept as an artifact', async () => {
  const large = defineJob('large', {
    input: typed<string>(),
    run: ({ receive }) => receive('go', typed<string>()),
  });
  await using world = await openWorld({ jobs: [large], codec });
  const job = await world.enqueue(large, 'x'.repeat(400_000));
  const { engine } = partsOf(world);
  const plain = {
    ref: { tenant: 'default', id: job.id },
    name: 'go',
    payload: '1',
    actor: 'api:t',
  };
  await assert.rejects(engine.flows.send(plain), /must be encrypted/);
  await job.send('go', 'now');
  assert.equal(await job.result(), 'now');
});

test('[D16] what does not fit, or was sealed for another job, is set aside and shown', async () => {
  await using world = await openWorld({ jobs: [waiting], codec });
  const job = await world.enqueue(waiting);
  const { engine } = partsOf(world);
  const ref = { tenant: 'default', id: job.id };
  const strange = aesCodec({ keys: [newPayloadKey('k1')], hashSecret: new Uint8Array(32) });
  const { name } = sealMessage(codec, ref, { name: 'go', payload: 'null' });
  const { payload } = sealMessage(strange, ref, { name: 'go', payload: 'null' });
  await engine.flows.send({ ref, name, payload, actor: 'api:stranger' });
  await job.send('go', { ok: 'maybe' });
  await job.send('go', { ok: true });
  assert.deepEqual(await job.result(), { ok: true });
  const messages = await engine.flows.messages(ref);
  assert.deepEqual(
    messages.map(({ fault }) => fault),
    [
      'WRONG_PLACE: it cannot be read with the keys of the worker that received it',
      "it does not match its receiver's schema; what is wrong is encrypted with it",
      null,
    ],
  );
});

test('a kept name that is met with another input is told by its own name', async () => {
  let round = 0;
  const changing = defineJob('changing', {
    async run({ call, sleep }) {
      await call('region', part, { region: `r${round++}`, secret: '' });
      await sleep('later', '1h');
    },
  });
  await using world = await openWorld({ jobs: [changing, part], codec });
  const job = await world.enqueue(changing);
  const error = await job.result().catch((thrown: unknown) => thrown as Error);
  assert.match((error as Error).message, /under the name "region" this job has kept/);
});

test('[D16] a graph runs with a codec, its inputs and results sealed', async () => {
  const text = defineJob('text', { input: typed<string>(), run: ({ input }) => `${input}!` });
  await using world = await openWorld({ jobs: [text], codec });
  const graph = await world.enqueueGraph({
    a: item(text, 'one', { key: 'k' }),
    b: item(text, 'two', { after: ['a'] }),
    c: item(text, 'three', { after: ['a', 'b'] }),
  });
  assert.equal(await graph.c.result(), 'three!');
  assert.equal(await graph.a.result(), 'one!');
  const { jobs } = await partsOf(world).engine.jobs({ tenant: 'default', limit: 10 });
  assert.deepEqual(
    jobs.map(({ input, result }) => isSealed(input) && isSealed(result!)),
    [true, true, true],
  );
});
