// A page of scripts: every character is drawn, and read back in the order it was written.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openPreviews } from '../src/draw/canvas.ts';
import { openPdfWriter } from '../src/export/pdf.ts';
import { plainText } from '../src/deck/text.ts';
import { readFile } from './essence.ts';
import { LINES, SCRIPTS } from './script-lines.ts';
import { addAll, createdAt, deckWith, readAsset } from './planted.ts';

const deck = SCRIPTS;

describe('a page of many scripts', () => {
  test('is drawn without a missing character', async () => {
    const draw = await openPreviews(deck, readAsset);
    assert.deepEqual((await draw(deck.slides[0]!)).notices, []);
  });

  test('is a PDF whose text is read back as it was written', async () => {
    const writer = await openPdfWriter(deck, { readAsset, createdAt, withNotes: false });
    const [account] = await addAll(writer, deck);
    assert.deepEqual(account!.losses, []);
    const { slides } = await readFile(await writer.finish(), 'pdf');
    const [slide] = slides;
    assert.equal(plainText(slide!.title!), 'Scripts – كتابات');
    const lines = slide!.blocks.flatMap((block) =>
      block.kind === 'text' ? block.paragraphs.map(({ runs }) => plainText(runs)) : [],
    );
    assert.deepEqual(lines, LINES);
  });

  test('says which characters no font has, once each', async () => {
    const runs = [{ text: 'a \u{13000}\u{13000} \u{12000} b' }];
    const missing = deckWith({
      layout: 'blank',
      blocks: [{ kind: 'text', paragraphs: [{ level: 0, runs }] }],
    });
    const draw = await openPreviews(missing, readAsset);
    const { notices } = await draw(missing.slides[0]!);
    assert.deepEqual(
      notices.map(({ code, text }) => `${code} ${text}`),
      ['GLYPH_MISSING \u{13000}', 'GLYPH_MISSING \u{12000}'],
    );
  });
});
