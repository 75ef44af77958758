// What makes decks of hundreds of slides cheap: things are done once, and several at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPptx } from '../src/convert/pptx.ts';
import { openPreviews } from '../src/draw/canvas.ts';
import { openPptxWriter } from '../src/export/pptx.ts';
import { sampleDeck } from '../src/sample/deck.ts';
import { inLanes } from '../src/work/lanes.ts';
import { ZipFiles } from '../src/convert/zip.ts';
import { assetReader, deckOf } from './corpus.ts';
import { addAll, createdAt } from './planted.ts';

test('previews that are drawn at once are those that are drawn one by one', async () => {
  const deck = deckOf(3);
  const readAsset = assetReader(deck);
  const drawAtOnce = await openPreviews(deck, readAsset);
  const atOnce = await Promise.all(deck.slides.map((slide) => drawAtOnce(slide)));
  const drawNext = await openPreviews(deck, readAsset);
  for (const [index, slide] of deck.slides.entries()) {
    const { jpeg } = await drawNext(slide);
    assert.ok(Buffer.from(jpeg).equals(Buffer.from(atOnce[index]!.jpeg)), `slide ${index + 1}`);
  }
});

test('a picture that many slides show is in the file once, and counts once when it is read', async () => {
  const deck = sampleDeck(14);
  const writer = await openPptxWriter(deck, { readAsset: assetReader(deck), createdAt });
  await addAll(writer, deck);
  const bytes = await writer.finish();
  const { names } = new ZipFiles(bytes);
  assert.equal(names.filter((name) => /media\/./.test(name)).length, 6);
  const reader = await openPptx(bytes, { name: null });
  const shown = [(await reader.slide(0)).images[0]!, (await reader.slide(6)).images[0]!];
  assert.equal(shown[0], shown[1]);
});

test('of work in lanes nothing more begins after a failure, and all that had begun ends', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const first = Promise.withResolvers<void>();
  const lanes = inLanes(10, 2, async (index) => {
    begun.push(index);
    if (index === 1) throw new Error('no');
    await first.promise;
    ended.push(index);
  });
  first.resolve();
  await assert.rejects(lanes, /no/);
  assert.deepEqual([begun, ended], [[0, 1], [0]]);
});
