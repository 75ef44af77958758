// Convert jobs whose process dies, whose user changes his mind, or whose store breaks.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { errorCodeOf } from 'pawl/internal/core/error-class';
import type { Artifacts } from 'pawl/internal/engine/artifacts';
import { typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { convert } from '../src/convert/job.ts';
import { openPptxWriter } from '../src/export/pptx.ts';
import { studioJobs } from '../src/jobs.ts';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { jobWhen } from '../../../test/support/job-when.ts';
import { TENANT } from '../../../test/support/world.ts';
import { addAll } from './planted.ts';
import { assetReader, deckOf } from './corpus.ts';
import { gradient } from '../src/sample/png.ts';
import { openStudio } from './fixture.ts';

/** A deck with an image of its own on each slide, by which one can tell who did what. */
async function illustrated(slides: number): Promise<Buffer> {
  const deck = deckOf(1);
  const pages = Array.from({ length: slides }, (_, index) => {
    const bytes = gradient(30 + index, 30, index);
    const asset = String(index).padStart(64, '0');
    deck.assets[asset] = {
      mediaType: 'image/png',
      width: 30 + index,
      height: 30,
      data: bytes.toString('base64'),
    };
    const title = [{ text: `Slide ${index + 1}` }];
    return {
      id: `p${index}`,
      layout: 'content' as const,
      title,
      blocks: [{ kind: 'image' as const, asset }],
    };
  });
  const writer = await openPptxWriter(
    { ...deck, slides: pages },
    { readAsset: assetReader(deck), createdAt: new Date(0) },
  );
  await addAll(writer, { ...deck, slides: pages });
  return Buffer.from(await writer.finish());
}

type ArtifactAccess = Pick<Artifacts, 'put' | 'find' | 'open'>;

describe('a convert job that is interrupted', () => {
  test('[T36, P4] resumes after the death of its process at the last finished slide', async (context) => {
    const fixture = await openStudio(context);
    const assetRef = await fixture.upload('many.pptx', await illustrated(6));
    const job = await fixture.world.enqueue('convert', { assetRef });
    const puts: string[] = [];
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const access: ArtifactAccess = {
      find: (ref, held) => fixture.access.find(ref, held),
      open: (artifact, range) => fixture.access.open(artifact, range),
      put: (held, artifact) => {
        puts.push(`${held.epoch} ${artifact.name.split('/')[0]}`);
        if (puts.length !== 4) return fixture.access.put(held, artifact);
        reach();
        return new Promise(() => undefined);
      },
    };
    const worker = openWorker({
      source: fixture.world.engine,
      jobs: studioJobs,
      artifacts: access,
      id: 'w0',
    });
    await worker.poll();
    await reached;
    await worker.crash();
    const seen = puts.length;
    assert.deepEqual(puts, ['1 images', '1 images', '1 images', '1 images']);
    fixture.world.advance(120_000);
    await fixture.world.sweep();
    const second = openWorker({
      source: fixture.world.engine,
      jobs: studioJobs,
      artifacts: access,
      id: 'w2',
    });
    context.after(() => second.crash());
    await second.poll();
    await second.idle();
    const after = await fixture.world.job(job);
    assert.deepEqual([after.state, after.attempts], ['succeeded', 2]);
    // Three slides were done: the second attempt extracts the other three, and no more.
    assert.equal(puts.slice(seen).filter((put) => put.endsWith('images')).length, 3);
    const deck = await fixture.deckOf(after);
    assert.equal(Object.keys(deck.assets).length, 6);
    for (const { artifact } of Object.values(deck.assets)) await fixture.read(artifact!);
  });

  /** A worker whose uploads never end from the given one on, as often as told. */
  async function openSlow(context: TestContext, hangs: (put: number) => boolean) {
    const fixture = await openStudio(context);
    const limit = { ...typeDefinitionOf(convert), timeoutMs: 16_000 };
    await fixture.world.putType('convert', limit);
    const puts: string[] = [];
    const access: ArtifactAccess = {
      find: (ref, held) => fixture.access.find(ref, held),
      open: (artifact, range) => fixture.access.open(artifact, range),
      put: (held, artifact) => {
        puts.push(`${held.epoch} ${artifact.name.split('/')[0]}`);
        return hangs(puts.length)
          ? new Promise(() => undefined)
          : fixture.access.put(held, artifact);
      },
    };
    const source = fixture.world.engine;
    const worker = openWorker({ source, jobs: studioJobs, artifacts: access, id: 'w0' });
    context.after(() => worker.drain({ timeout: 0, grace: 0 }));
    const assetRef = await fixture.upload('many.pptx', await illustrated(6));
    const { id } = await fixture.world.enqueue('convert', { assetRef });
    worker.start();
    const job = await jobWhen(fixture.world.engine, { tenant: TENANT, id });
    const turns = (await fixture.world.events(id)).filter(({ cause }) => cause === 'time_limit');
    return { fixture, puts, job, released: turns.length };
  }

  test('[T36, T1] by its time limit goes on at the last finished slide, without spending an attempt', async (context) => {
    const { fixture, puts, job, released } = await openSlow(context, (put) => put === 4);
    // On a busy machine a later turn may reach the limit as well, and go on like the first.
    assert.ok(released >= 1);
    assert.deepEqual([job.state, job.attempts, job.epoch], ['succeeded', 1, released + 1]);
    const images = puts.filter((put) => put.endsWith('images'));
    assert.deepEqual(images.slice(0, 4), Array(4).fill('1 images'));
    const later = images.slice(4);
    assert.ok(later.length >= 3 && later.length < 3 + released, `${later.length} images`);
    assert.ok(later.every((put) => !put.startsWith('1 ')));
    assert.equal((await fixture.deckOf(job)).slides.length, 6);
  });

  test('[T36, T30] by its time limit and no further than before has failed: CONVERT_TIMEOUT', async (context) => {
    const { job } = await openSlow(context, () => true);
    assert.deepEqual([job.state, job.attempts], ['failed', 1]);
    assert.equal(errorCodeOf('convert', job.error!), 'CONVERT_TIMEOUT');
  });

  test('[T8] and cancelled leaves no artifact behind', async (context) => {
    const fixture = await openStudio(context);
    const assetRef = await fixture.upload('many.pptx', await illustrated(4));
    const job = await fixture.world.enqueue('convert', { assetRef });
    const access: ArtifactAccess = {
      find: (ref, held) => fixture.access.find(ref, held),
      open: (artifact, range) => fixture.access.open(artifact, range),
      put: async (held, artifact) => {
        const kept = await fixture.access.put(held, artifact);
        await fixture.world.cancel(job.id);
        worker.check();
        await worker.beat();
        return kept;
      },
    };
    const worker = openWorker({
      source: fixture.world.engine,
      jobs: studioJobs,
      artifacts: access,
      id: 'w0',
    });
    context.after(() => worker.crash());
    await worker.poll();
    await worker.idle();
    assert.equal(await fixture.world.stateOf(job), 'canceled');
    fixture.world.advance(3_600_000);
    await fixture.sweep.runOnce();
    assert.deepEqual(await fixture.access.list({ tenant: TENANT, id: job.id }), []);
    assert.equal(fixture.onDisk().length, 1);
  });

  test('[T5, T20] of a broken store is tried three times, and then copied to the dead letters', async (context) => {
    const fixture = await openStudio(context);
    const job = await fixture.world.enqueue('convert', { text: '# a' });
    const access: ArtifactAccess = {
      find: (ref, held) => fixture.access.find(ref, held),
      open: (artifact, range) => fixture.access.open(artifact, range),
      put: () => Promise.reject(new Error('the disk is away')),
    };
    const worker = openWorker({
      source: fixture.world.engine,
      jobs: studioJobs,
      artifacts: access,
      id: 'w0',
    });
    context.after(() => worker.crash());
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      await worker.poll();
      await worker.idle();
      const { state, runAt } = await fixture.world.job(job);
      if (state === 'running') waits.push(runAt - fixture.world.clock.now());
      fixture.world.advance(30_000);
      await fixture.world.sweep();
    }
    const after = await fixture.world.job(job);
    assert.deepEqual(
      [after.state, after.attempts, after.error?.class],
      ['failed', 3, 'transient_storage'],
    );
    assert.ok(waits.length === 2 && waits[0]! <= 2_000 && waits[1]! <= 4_000, String(waits));
    const letters = await fixture.world.engine.deadLetters({ tenant: TENANT, limit: 10 });
    assert.deepEqual(
      letters.map(({ jobId }) => jobId),
      [job.id],
    );
  });
});
