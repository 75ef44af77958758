// What an export writes a conversion reads: nothing that matters gets lost on the way.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkDeck } from '../src/deck/check-deck.ts';
import { openPdfWriter } from '../src/export/pdf.ts';
import { openPptxWriter } from '../src/export/pptx.ts';
import { assetReader, deckOf } from './corpus.ts';
import { addAll } from './planted.ts';
import { type Essence, essenceOf, readFile } from './essence.ts';

const DECKS = 24;
const createdAt = new Date('2026-11-15T08:00:00Z');

describe('convert(export(deck))', () => {
  test(`[T1] keeps titles, text, levels, tables, notes, images and charts of ${DECKS} decks as .pptx`, async () => {
    for (let seed = 1; seed <= DECKS; seed++) {
      const deck = deckOf(seed);
      assert.ok('deck' in checkDeck(deck), `seed ${seed}`);
      const writer = await openPptxWriter(deck, { readAsset: assetReader(deck), createdAt });
      for (const { losses } of await addAll(writer, deck)) assert.deepEqual(losses, []);
      const { found, slides } = await readFile(await writer.finish(), 'pptx');
      assert.equal(found.title, deck.title);
      assert.deepEqual(found.theme.fonts, deck.theme.fonts);
      assert.deepEqual(
        found.theme.colours.accents.slice(0, 2),
        deck.theme.colours.accents.slice(0, 2),
      );
      const [after, before] = [slides, deck.slides].map((all) => all.map((one) => essenceOf(one)));
      assert.deepEqual(after, before, `seed ${seed}`);
    }
  });

  test(`[T1] keeps titles, text, levels, tables, notes and images of ${DECKS} decks as .pdf`, async () => {
    for (let seed = 1; seed <= DECKS; seed++) {
      const deck = deckOf(seed);
      const options = { readAsset: assetReader(deck), createdAt, withNotes: true };
      const writer = await openPdfWriter(deck, options);
      for (const { losses } of await addAll(writer, deck)) assert.deepEqual(losses, []);
      const { found, slides, assets } = await readFile(await writer.finish(), 'pdf');
      assert.equal(found.title, deck.title);
      const before = deck.slides.map((slide) => onPaper(essenceOf(slide, deck.assets)));
      assert.deepEqual(
        slides.map((slide) => essenceOf(slide, assets)),
        before,
        `seed ${seed}`,
      );
    }
  });

  test('a file says the same whenever it is written', async () => {
    const deck = deckOf(7);
    const write = async (): Promise<Uint8Array> => {
      const writer = await openPptxWriter(deck, { readAsset: assetReader(deck), createdAt });
      for (const { losses } of await addAll(writer, deck)) assert.deepEqual(losses, []);
      return writer.finish();
    };
    assert.ok(Buffer.from(await write()).equals(Buffer.from(await write())));
  });
});

/** On paper a chart is a picture. */
function onPaper(essence: Essence): Essence {
  return { ...essence, charts: [] };
}
