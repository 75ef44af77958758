// Convert jobs on a real store, in a process of their own, as a platform runs them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { PawlError } from 'pawl/internal/core/errors';
import type { Job } from 'pawl/internal/core/job';
import { checkDeck } from '../src/deck/check-deck.ts';
import { plainText } from '../src/deck/text.ts';
import { studioJobs } from '../src/jobs.ts';
import { essenceOf } from './essence.ts';
import { gradient } from '../src/sample/png.ts';
import { openStudio, resultOf, sharedStudio } from './fixture.ts';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../test/fixtures/documents/${name}`, import.meta.url));

const studio = sharedStudio();

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

describe('a convert job', () => {
  test('[T1, T23, T26, T27] makes a stored deck and a preview of each slide of a .pptx by LibreOffice', async () => {
    const opened = await studio();
    const source = fixture('harbour.pptx');
    const assetRef = await opened.upload('harbour.pptx', source);
    const job = await opened.run('convert', { assetRef }, { documentId: 'harbour' });
    const { slides, previews, sourceType } = resultOf(job);
    assert.deepEqual([job.state, slides, sourceType], ['succeeded', 3, 'pptx']);
    assert.equal(job.requestedBy, 'tester');
    const deck = await opened.deckOf(job);
    assert.ok('deck' in checkDeck(deck));
    assert.deepEqual(essenceOf(deck.slides[1]!), {
      title: 'What moved this year',
      subtitle: '',
      lines: [
        '0 bullet More containers than ever',
        '1 bullet most of them full',
        '0 bullet Fewer delays',
      ],
      tables: [],
      images: [],
      charts: [],
      notes: ['0 plain Thank the crane drivers.', '0 plain Mention the fog in March.'],
    });
    assert.match(essenceOf(deck.slides[2]!, deck.assets).images[0]!, /^64x40 A quay at dusk$/);
    assert.deepEqual(deck.slides[1]!.origin, { part: 'ppt/slides/slide2.xml' });
    for (const preview of previews) {
      assert.ok((await opened.read(preview)).subarray(0, 3).equals(JPEG));
    }
    const image = Object.values(deck.assets)[0]!;
    assert.ok((await opened.read(image.artifact!)).subarray(0, 4).equals(PNG));
    // Nothing of the document itself is told beside the job.
    const told = JSON.stringify([job.metadata, await opened.world.events(job, { notes: true })]);
    assert.doesNotMatch(told, /crane|containers/);
  });

  test('[T23] whose deck is gone from the store does not succeed', async (context) => {
    const opened = await openStudio(context);
    const put = opened.files.put.bind(opened.files);
    opened.files.put = async (location, content, bounds) => {
      const stored = await put(location, content, bounds);
      await opened.files.remove([location]);
      return stored;
    };
    const job = await opened.run('convert', { text: '# Hello' });
    assert.notEqual(job.state, 'succeeded');
    assert.equal(job.result, null);
  });

  test('[T3, T16] goes through the listed stages with the listed ranges', async () => {
    const opened = await studio();
    const job = await opened.run('convert', { text: '# Hello\n\nto all\n\n## And\n\n- more' });
    const [convert] = studioJobs;
    assert.deepEqual(
      convert!.policy.stages!.map(({ name, min, max }) => `${name} (${min}-${max}%)`),
      [
        'validating_input (0-5%)',
        'fetching_source (5-15%)',
        'extracting (15-55%)',
        'normalizing (55-80%)',
        'generating_preview (80-90%)',
        'finalizing (90-100%)',
      ],
    );
    const notes = await opened.world.events(job, { notes: true });
    const entered = notes.filter(({ type }) => type === 'job_stage_entered');
    for (const { stage, progress } of entered) {
      const range = convert!.policy.stages!.find(({ name }) => name === stage)!;
      assert.ok(progress >= range.min && progress <= range.max, `${stage} at ${progress}`);
    }
    const names = convert!.policy.stages!.map(({ name }) => name);
    assert.deepEqual(
      entered.map(({ stage }) => stage),
      names.filter((name) => entered.some(({ stage }) => stage === name)),
    );
    assert.equal(entered.at(-1)!.stage, 'finalizing');
    assert.equal(job.progress, 100);
  });

  const sources = {
    'harbour.pdf': ['pdf', 3],
    'harbour-tagged.pdf': ['pdf', 3],
    'lighthouse.docx': ['docx', 3],
    'lighthouse.html': ['html', 3],
  } as const;
  for (const [name, [type, slides]] of Object.entries(sources)) {
    test(`[T1] reads ${name}, which LibreOffice wrote`, async () => {
      const opened = await studio();
      const assetRef = await opened.upload(name, fixture(name));
      const job = await opened.run('convert', { assetRef });
      const result = resultOf(job);
      assert.deepEqual([result.sourceType, result.slides], [type, slides]);
      const deck = await opened.deckOf(job);
      const text = JSON.stringify(deck.slides);
      const expected = name.startsWith('harbour')
        ? ['Harbour report', 'What moved this year', 'most of them full', 'PostgreSQL']
        : ['The lighthouse', 'Every evening', 'trim the wick first', 'Great'];
      for (const words of expected) assert.ok(text.includes(words), words);
      if (name === 'lighthouse.docx')
        assert.equal(plainText(deck.slides[1]!.title!), 'Every evening');
    });
  }

  test('[T10] is refused while another one of the same document is active', async () => {
    const opened = await studio();
    const more = { documentId: 'one' };
    await opened.world.enqueue('convert', { text: '# a' }, more);
    await assert.rejects(opened.world.enqueue('convert', { text: '# b' }, more), {
      code: 'CONCURRENCY_CONFLICT',
    });
    await opened.work();
    assert.equal((await opened.run('convert', { text: '# b' }, more)).state, 'succeeded');
  });
});

describe('one convert a source', () => {
  const conflict = { code: 'CONCURRENCY_CONFLICT' };

  test('[T10] the same text, without a document, is the same source until the job has ended', async () => {
    const opened = await studio();
    const first = await opened.world.enqueue('convert', { text: '# one source' });
    const again = (more: object = {}): Promise<Job> =>
      opened.world.enqueue('convert', { text: '# one source', ...more });
    await assert.rejects(again(), (error: PawlError) => {
      assert.deepEqual([error.code, error.details['jobId']], [conflict.code, first.id]);
      return true;
    });
    await assert.rejects(again({ name: 'of another name.md' }), conflict);
    await opened.world.enqueue('convert', { text: '# another source' });
    await opened.work();
    assert.equal((await opened.run('convert', { text: '# one source' })).state, 'succeeded');
  });

  test('[T10] the same asset is the same source, and so are the same bytes uploaded twice', async () => {
    const opened = await studio();
    const [one, two, other] = [
      await opened.upload('a.md', '# the same bytes'),
      await opened.upload('b.md', '# the same bytes'),
      await opened.upload('c.md', '# other bytes'),
    ];
    await opened.world.enqueue('convert', { assetRef: one });
    await assert.rejects(opened.world.enqueue('convert', { assetRef: one }), conflict);
    await assert.rejects(opened.world.enqueue('convert', { assetRef: two }), conflict);
    await assert.rejects(opened.world.enqueue('convert', { text: '# the same bytes' }), conflict);
    await opened.world.enqueue('convert', { assetRef: other });
    await opened.work();
  });

  test('[T10] an asset that is not there is a source by its id', async () => {
    const opened = await studio();
    const assetRef = opened.world.engine.ids.next();
    await opened.world.enqueue('convert', { assetRef });
    await assert.rejects(opened.world.enqueue('convert', { assetRef }), conflict);
    await opened.work();
  });

  test('[T10, T9] a repeat under the same key is no second job', async () => {
    const opened = await studio();
    const ask = () =>
      opened.world.enqueue('convert', { text: '# keyed' }, { idempotencyKey: 'same source' });
    const first = await ask();
    assert.equal((await ask()).id, first.id);
    await opened.work();
  });
});

describe('a convert job that fails', () => {
  const failures: readonly [string, () => [string, Buffer], string, string][] = [
    [
      'a password',
      () => ['a.pdf', fixture('harbour-locked.pdf')],
      'CONVERT_PASSWORD_PROTECTED',
      'unsupported_format',
    ],
    [
      'half a file',
      () => ['a.pptx', fixture('harbour.pptx').subarray(0, 20_000)],
      'CONVERT_CORRUPTED',
      'corruption_detected',
    ],
    [
      'an image',
      () => ['a.png', gradient(9, 9, 9)],
      'CONVERT_UNSUPPORTED_FORMAT',
      'unsupported_format',
    ],
    ['nothing', () => ['a.md', Buffer.alloc(0)], 'CONVERT_EMPTY', 'validation_error'],
  ];
  for (const [what, source, code, errorClass] of failures) {
    test(`[T6, T30] says ${code} of ${what}, and is not tried again`, async () => {
      const opened = await studio();
      const assetRef = await opened.upload(...source());
      const job = await opened.run('convert', { assetRef });
      assert.deepEqual(
        [job.state, job.attempts, job.error?.code, job.error?.class],
        ['failed', 1, code, errorClass],
      );
    });
  }

  test('[T6, T30] says what is wrong with its input', async () => {
    const opened = await studio();
    const nothing = '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e';
    const codes = [];
    for (const input of [{}, { assetRef: 'x' }, { assetRef: nothing }, { text: '# a', name: 1 }]) {
      codes.push((await opened.run('convert', input)).error?.code);
    }
    const wrong = 'CONVERT_INVALID_INPUT';
    assert.deepEqual(codes, [wrong, wrong, 'CONVERT_SOURCE_NOT_FOUND', wrong]);
  });
});
