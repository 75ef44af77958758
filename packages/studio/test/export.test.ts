// Export jobs on a real store, in a process of their own, as a platform runs them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ArtifactStore, Content } from 'pawl/internal/artifact/artifact-store';
import type { Job } from 'pawl/internal/core/job';
import type { Deck } from '../src/deck/deck.ts';
import type { ExportResult } from '../src/export/job.ts';
import { studioJobs } from '../src/jobs.ts';
import { deckOf } from './corpus.ts';
import { essenceOf, readFile } from './essence.ts';
import { openStudio, sharedStudio } from './fixture.ts';

const studio = sharedStudio();

function resultOf(job: Job): ExportResult {
  assert.equal(job.state, 'succeeded', JSON.stringify(job.error));
  return JSON.parse(job.result!) as ExportResult;
}

describe('an export job', () => {
  for (const format of ['pptx', 'pdf'] as const) {
    test(`[T1, T23, T24] of a converted deck has its .${format} stored before it succeeds`, async () => {
      const fixture = await studio();
      const text =
        '# Pawl\n\nA tour\n\n## Laws\n\n- one\n  - two\n\n| a | b |\n|---|---|\n| 1 | 2 |';
      const converted = await fixture.run('convert', { text });
      const { deckRef } = JSON.parse(converted.result!) as { deckRef: string };
      const job = await fixture.run('export', { deckRef, format }, { documentId: 'd' });
      const result = resultOf(job);
      assert.equal(result.fileName, `Pawl.${format}`);
      const bytes = await fixture.read(result.artifactRef);
      assert.deepEqual([bytes.length, result.slides], [result.size, 2]);
      const { slides } = await readFile(bytes, format);
      const before = (await fixture.deckOf(converted)).slides;
      assert.deepEqual(
        slides.map((slide) => essenceOf(slide)),
        before.map((slide) => essenceOf(slide)),
      );
      assert.equal(job.requestedBy, 'tester');
    });
  }

  /** Another byte in the middle of what passes by. */
  async function* broken(content: Content): Content {
    for await (const chunk of content) {
      const bytes = Buffer.from(chunk);
      bytes[bytes.length >> 1]! ^= 1;
      yield bytes;
    }
  }
  for (const [what, breakIt] of [
    [
      'is broken on its way into the store',
      (files) => {
        const put = files.put.bind(files);
        files.put = (location, content, bounds) => put(location, broken(content), bounds);
      },
    ],
    [
      'lies broken in the store',
      (files) => {
        const get = files.get.bind(files);
        files.get = async (location, range) => broken(await get(location, range));
      },
    ],
    [
      'is gone from the store',
      (files) => {
        const put = files.put.bind(files);
        files.put = async (location, content, bounds) => {
          const stored = await put(location, content, bounds);
          await files.remove([location]);
          return stored;
        };
      },
    ],
  ] as readonly [string, (files: ArtifactStore) => void][]) {
    test(`[T24, R36] whose file ${what} does not succeed`, async (context) => {
      const fixture = await openStudio(context);
      breakIt(fixture.files);
      const job = await fixture.run('export', { deck: deckOf(1), format: 'pdf' });
      assert.notEqual(job.state, 'succeeded');
      const isGone = what.startsWith('is gone');
      assert.equal(job.error?.class, isGone ? 'validation_error' : 'corruption_detected');
      assert.deepEqual(await fixture.access.list(job), []);
    });
  }

  test('[T3] has the listed stages with the listed ranges', () => {
    const stages = studioJobs.find(({ type }) => type === 'export')!.policy.stages!;
    assert.deepEqual(
      stages.map(({ name, min, max }) => `${name} (${min}-${max}%)`),
      [
        'preparing (0-10%)',
        'rendering_slides (10-70%)',
        'packaging (70-90%)',
        'uploading_artifact (90-98%)',
        'finalizing (98-100%)',
      ],
    );
  });

  test('[T11] runs at most twice at a time for one document', async (context) => {
    const { world } = await openStudio(context);
    for (const documentId of ['a', 'a', 'a', 'b']) {
      await world.enqueue('export', { deck: deckOf(1), format: 'pdf' }, { documentId });
    }
    const claims = await world.claim('w9', 'export');
    const documents = claims.map(({ job }) => job.documentId ?? '');
    assert.equal(documents.toSorted((one, other) => one.localeCompare(other)).join(), 'a,a,b');
    await world.complete(claims.find(({ job }) => job.documentId === 'a')!);
    assert.equal((await world.claim('w9', 'export')).length, 1);
  });

  const deck = deckOf(3);
  const lonely: Deck = {
    ...deck,
    slides: [{ id: 's', layout: 'blank', blocks: [{ kind: 'image', asset: 'f'.repeat(64) }] }],
  };
  const withAsset = (asset: Deck['assets'][string]): Deck => ({
    ...lonely,
    assets: { ['f'.repeat(64)]: asset },
  });
  const nowhere = '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e';
  const png = { mediaType: 'image/png', width: 9, height: 9 } as const;
  const failures: readonly [string, unknown, string][] = [
    ['an unknown format', { deck, format: 'odp' }, 'EXPORT_INVALID_INPUT'],
    ['no deck', { format: 'pdf' }, 'EXPORT_INVALID_INPUT'],
    ['a deck that is not there', { deckRef: nowhere, format: 'pdf' }, 'EXPORT_DECK_NOT_FOUND'],
    [
      'a deck of another version',
      { deck: { ...deck, version: 3 }, format: 'pdf' },
      'EXPORT_INVALID_DECK',
    ],
    ['an image without an asset', { deck: lonely, format: 'pdf' }, 'EXPORT_INVALID_DECK'],
    [
      'an image that is not there',
      { deck: withAsset({ ...png, artifact: nowhere }), format: 'pptx' },
      'EXPORT_IMAGE_MISSING',
    ],
    [
      'an image that is none',
      { deck: withAsset({ ...png, data: 'AAAA' }), format: 'pdf' },
      'EXPORT_IMAGE_INVALID',
    ],
  ];
  for (const [what, input, code] of failures) {
    test(`[T6, T30] says ${code} of ${what}, and is not tried again`, async () => {
      const fixture = await studio();
      const job = await fixture.run('export', input);
      assert.deepEqual([job.state, job.attempts, job.error?.code], ['failed', 1, code]);
    });
  }
});
