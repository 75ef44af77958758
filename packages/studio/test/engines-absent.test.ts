// A machine that has none of the optional engines: what can be read is read, and the rest is said.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { describe, test } from 'node:test';
import { plainLines } from '../src/deck/text.ts';
import { columnsAndTable, scanOf, slidesOf, wordsOf } from './documents.ts';

const ENGINES = /^(?:@llamaindex\/liteparse|tesseract\.js|@tesseract\.js-data\/.*)$/;
registerHooks({
  resolve: (specifier, context, next) => {
    if (ENGINES.test(specifier)) throw new Error(`${specifier} is not here`);
    return next(specifier, context);
  },
});

describe('a PDF without its optional engines', () => {
  test('[T1] has columns of prose in their order, and a table line by line', async () => {
    const { slides, readBy } = await slidesOf(await columnsAndTable(), 'pdf');
    assert.equal(readBy, 'pdf.js');
    const [columns, figures] = slides.map(({ draft }) => draft);
    const [text] = columns!.blocks;
    assert.ok(text?.kind === 'text');
    assert.equal(plainLines(text.paragraphs), `${wordsOf('left')}\n${wordsOf('right')}`);
    const [lines] = figures!.blocks;
    assert.ok(lines?.kind === 'text');
    assert.match(plainLines(lines.paragraphs), /^Port Containers Delay\s+North quay 1,204 3 h/);
    const codes = slides.map(({ account }) => account.losses.map(({ code }) => code));
    assert.deepEqual(codes, [['LAYOUT_GUESSED'], ['SHAPE_DROPPED', 'LAYOUT_GUESSED']]);
  });

  test('[T1] keeps the picture of a scan, and says what its words would need', async () => {
    const { slides, readBy } = await slidesOf(await scanOf('Words'), 'pdf', { ocr: ['eng'] });
    assert.equal(readBy, 'pdf.js');
    const [{ draft, account }] = slides as [(typeof slides)[0]];
    assert.deepEqual(
      draft.blocks.map(({ kind }) => kind),
      ['image'],
    );
    const [loss] = account.losses;
    assert.equal(loss?.code, 'TEXT_NOT_RECOGNISED');
    assert.match(loss.what, /npm install tesseract\.js @tesseract\.js-data\/eng$/);
  });
});
