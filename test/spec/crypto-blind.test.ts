// Jobs whose payloads are ciphertext run end to end, and no part of the platform can read them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aesCodec } from 'pawl/internal/codec/aes-codec';
import { newPayloadKey } from 'pawl/internal/codec/key-ring';
import { nullCodec } from 'pawl/internal/codec/null-codec';
import { decodeJob } from 'pawl/internal/codec/wrap/read';
import { openBlind, TENANT } from '../support/blind/blind-world.ts';
import { CANARIES, canariesIn } from '../support/blind/canaries.ts';
import { searchableStores } from '../support/blind/stored-text.ts';

const key = newPayloadKey('k1');
const blind = aesCodec({ keys: [key] });

for (const { label, make } of await searchableStores()) {
  test(`[D16, S16] ${label} holds no plaintext of any covered field`, async (context) => {
    const { open, storedText } = await make();
    const { pair, engine, onDisk, logged } = await openBlind(context, blind, open);
    const { done } = await pair.runEverything();
    assert.deepEqual(canariesIn(await storedText()), []);
    assert.deepEqual(canariesIn(onDisk().join('\n')), []);
    assert.deepEqual(canariesIn(logged()), []);
    assert.equal((await storedText()).includes(Buffer.from(key.secret).toString('latin1')), false);
    const job = await engine.job({ tenant: TENANT, id: done.id });
    assert.equal(job.state, 'succeeded');
    assert.equal(decodeJob(blind, job).result, JSON.stringify({ text: CANARIES.result }));
  });

  test(`the search finds all canaries on ${label} where nothing is encoded`, async (context) => {
    const { open, storedText } = await make();
    const { pair, onDisk } = await openBlind(context, nullCodec, open);
    await pair.runEverything();
    const seen = canariesIn((await storedText()) + onDisk().join('\n'));
    assert.deepEqual(seen.sort(), Object.values(CANARIES).sort());
  });
}
