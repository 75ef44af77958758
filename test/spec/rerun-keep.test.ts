// A job that is run again may begin with what the other had finished.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { defineJob, PermanentError, typed } from 'pawl';
import { aesCodec } from 'pawl/internal/codec/aes-codec';
import { newPayloadKey } from 'pawl/internal/codec/key-ring';
import { PLAIN_COPY } from 'pawl/internal/engine/kept-stages';
import { openWorld } from 'pawl/testing';
import { freshDatabases } from '../support/databases.ts';
import { serve, type Served } from '../support/served-pawl.ts';

let did: string[] = [];
let isBroken = false;
beforeEach(() => {
  did = [];
  isBroken = true;
});

/** Three stages and an effect; one stage's result refers to an artifact, the last may break. */
const book = defineJob('book', {
  input: typed<{ title: string }>(),
  async run({ input, stage, once, artifact }) {
    const plan = await stage('plan', () => {
      did.push('plan');
      return { title: input.title, pages: 3 };
    });
    await once('pay', () => void did.push('pay'));
    const cover = await stage('cover', async () => {
      did.push('cover');
      return { file: [await artifact('cover.txt', plan.title)] };
    });
    await stage('print', { from: 0 }, async ({ from, checkpoint }) => {
      did.push(`print from ${from}`);
      await checkpoint(2);
      if (isBroken) throw new PermanentError('no ink');
    });
    return { cover: cover.file[0]!.id, pages: plan.pages };
  },
});

for (const { label, database } of await freshDatabases()) {
  describe(`a rerun with keep on ${label}`, () => {
    let served: Served;
    before(async () => {
      served = await serve(database, [book]);
    });
    after(() => served.close());

    test('of a failed job does again what was not finished or has lost its artifact', async () => {
      const job = await served.pawl.enqueue(book, { title: 'A' });
      assert.equal((await job.ended()).phase, 'failed');
      assert.deepEqual(did.splice(0), ['plan', 'pay', 'cover', 'print from 0']);
      isBroken = false;
      const again = await job.rerun({ keep: true });
      assert.equal((await again.result()).pages, 3);
      assert.deepEqual(did, ['cover', 'print from 0']);
    });

    test('of a job that succeeded keeps the stage whose artifact is there', async () => {
      isBroken = false;
      const job = await served.pawl.enqueue(book, { title: 'B' });
      const first = await job.result();
      did = [];
      const again = await served.client.job(book, job.id).rerun({ keep: true });
      assert.deepEqual(await again.result(), first);
      assert.deepEqual(did, []);
      const plain = await job.rerun();
      await plain.result();
      assert.deepEqual(did, ['plan', 'pay', 'cover', 'print from 0']);
    });

    test('keeps results that were kept before, and those of a changed input', async () => {
      const job = await served.pawl.enqueue(book, { title: 'C' });
      await job.ended();
      const second = await job.rerun({ keep: true });
      await second.ended();
      did = [];
      isBroken = false;
      const third = await second.rerun({ keep: true, input: { title: 'D' } });
      assert.equal((await third.snapshot()).parentJobId, second.id);
      await third.result();
      assert.deepEqual(did, ['cover', 'print from 0']);
    });

    test('of many, by ids and by a cause', async () => {
      const jobs = await served.pawl.enqueueMany(book, [{ title: 'E' }, { title: 'F' }]);
      for (const job of jobs) await job.ended();
      did = [];
      isBroken = false;
      const named = await served.client.failures.rerun({ ids: [jobs[0]!.id] }, { keep: true });
      const filter = { type: book, createdFrom: (await jobs[1]!.snapshot()).createdAt };
      const found = await served.pawl.failures.rerun(filter, { keep: true });
      for (const result of [...named.results, ...found.results]) {
        assert.ok(result.ok);
        await result.job.result();
      }
      assert.ok(!did.includes('plan') && !did.includes('pay'), did.join());
    });

    test('under one key is one job, and another one without keep', async () => {
      const job = await served.pawl.enqueue(book, { title: 'G' });
      await job.ended();
      const again = await job.rerun({ keep: true, key: `again ${label}` });
      const twice = await job.rerun({ keep: true, key: `again ${label}` });
      assert.equal(twice.id, again.id);
      await assert.rejects(job.rerun({ key: `again ${label}` }), { code: 'IDEMPOTENCY_CONFLICT' });
      await again.ended();
    });
  });
}

test('sealed results are kept for whoever has the key, sealed for the new job', async () => {
  const codec = aesCodec({ keys: [newPayloadKey('k1')] });
  const world = await openWorld({ jobs: [book], codec });
  const job = await world.enqueue(book, { title: 'A' });
  await world.runUntilIdle();
  did = [];
  const second = await job.rerun({ keep: true });
  await world.runUntilIdle();
  const third = await second.rerun({ keep: true });
  isBroken = false;
  await world.runUntilIdle();
  assert.equal((await third.result()).pages, 3);
  assert.deepEqual(did, ['cover', 'print from 0', 'cover', 'print from 0']);
});

test('without the key a sealed result is not kept: nobody knows what it refers to', async () => {
  const codec = aesCodec({ keys: [newPayloadKey('k1')] });
  const ref = { tenant: 't', id: '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e' };
  const place = { tenant: 't', jobId: ref.id, field: 'stage:plan' } as const;
  const sealed = { name: 'plan', result: codec.encodeJson(place, '{"pages":3}'), at: 0 };
  assert.equal(PLAIN_COPY.plain(ref, sealed), null);
  assert.equal(PLAIN_COPY.plain(ref, { ...sealed, result: '{"pages":3}' }), '{"pages":3}');
});
