// What optional engines read and draw, and that a conversion works and says so without them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { NO_OFFICE, officeForTests } from '../../../test/support/office.ts';
import { sourceTypeOf } from '../src/convert/sniff.ts';
import { openSourceDrawing } from '../src/convert/source-previews.ts';
import { plainLines } from '../src/deck/text.ts';
import { openTypesetter } from '../src/draw/typeset.ts';
import { readStudioSettings } from '../src/settings.ts';
import { unlocked } from '../src/convert/unlock.ts';
import { columnsAndTable, scanOf, slidesOf, wordsOf } from './documents.ts';
import { resultOf, sharedStudio } from './fixture.ts';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../test/fixtures/documents/${name}`, import.meta.url));

const studio = sharedStudio();
const said = process.env['PAWL_LIBREOFFICE'];
const office = await officeForTests();
const needsOffice = { skip: office === null ? NO_OFFICE : false };
after(() => setOffice(said));

function setOffice(value: string | undefined): void {
  if (value === undefined) delete process.env['PAWL_LIBREOFFICE'];
  else process.env['PAWL_LIBREOFFICE'] = value;
}

describe('pages of a PDF without tags', () => {
  test('[T1] are read column after column, and tables with rules as tables, without OCR', async () => {
    const { slides, readBy } = await slidesOf(await columnsAndTable(), 'pdf');
    assert.equal(readBy, 'pdf.js, liteparse');
    const [columns, figures] = slides.map(({ draft }) => draft);
    assert.equal(columns!.title![0]!.text, 'In columns');
    const [text] = columns!.blocks;
    assert.ok(text?.kind === 'text');
    assert.equal(plainLines(text.paragraphs), `${wordsOf('left')}\n${wordsOf('right')}`);
    const [table, below] = figures!.blocks;
    assert.ok(table?.kind === 'table' && below?.kind === 'text');
    const cells = table.rows.map((row) => row.map(({ runs }) => runs[0]?.text));
    assert.deepEqual(cells, [
      ['Port', 'Containers', 'Delay'],
      ['North quay', '1,204', '3 h'],
    ]);
    assert.equal(plainLines(below.paragraphs), 'Below the table.');
    for (const { account } of slides) {
      assert.deepEqual(
        account.losses.map(({ code }) => code),
        ['LAYOUT_GUESSED'],
      );
    }
  });
});

describe('pages of a PDF that are pictures', () => {
  test('[T1] have their words where the job names the language, with a confidence', async () => {
    const scan = await scanOf('The harbour was closed');
    const { slides, readBy } = await slidesOf(scan, 'pdf', { ocr: ['eng'] });
    assert.equal(readBy, 'pdf.js, liteparse, tesseract.js');
    const [{ draft, account }] = slides as [(typeof slides)[0]];
    const [text, image] = draft.blocks;
    assert.ok(text?.kind === 'text' && image?.kind === 'image');
    assert.equal(plainLines(text.paragraphs), 'The harbour was closed');
    assert.ok(text.confidence! > 0.5 && text.confidence! <= 1);
    assert.deepEqual(
      account.losses.map(({ code, kind }) => [code, kind]),
      [['OCR_USED', 'text']],
    );
    assert.match(account.losses[0]!.what, /tesseract\.js with \d+ % confidence/);
  });

  test('say which package is missing for a language, and fetch nothing', async () => {
    const { slides, readBy } = await slidesOf(await scanOf('x'), 'pdf', { ocr: ['tlh'] });
    assert.equal(readBy, 'pdf.js, liteparse');
    const [{ code, what }] = slides[0]!.account.losses as [never] as [
      { code: string; what: string },
    ];
    assert.equal(code, 'TEXT_NOT_RECOGNISED');
    assert.match(what, /npm install @tesseract\.js-data\/tlh/);
  });
});

describe('files of other office programs', () => {
  const types = { 'harbour.odp': 'odp', 'lighthouse.odt': 'odt', 'ports.xlsx': 'xlsx' } as const;

  test('[T6, T30] are told by their bytes, and refused with what to do without LibreOffice', async () => {
    setOffice('off');
    for (const [name, type] of Object.entries(types)) {
      assert.equal(sourceTypeOf(fixture(name), {}), type);
      await assert.rejects(slidesOf(fixture(name), type), {
        code: 'CONVERT_OFFICE_MISSING',
        message: /install LibreOffice where jobs run/,
      });
    }
    setOffice(said);
    assert.throws(() => readStudioSettings({ PAWL_LIBREOFFICE: 'soffice' }), {
      message: /PAWL_LIBREOFFICE is "soffice": give the path/,
    });
  });

  test('[T1] become slides by LibreOffice, which the losses say', needsOffice, async () => {
    const expected = {
      'harbour.odp': ['Harbour report', 'What moved this year', 'By store'],
      'lighthouse.odt': ['The lighthouse', 'Every evening', 'Lamps'],
      'ports.xlsx': ['Ports', 'Delays'],
    };
    for (const [name, type] of Object.entries(types)) {
      const { slides, readBy } = await slidesOf(fixture(name), type);
      assert.equal(readBy, 'LibreOffice, pawl');
      assert.deepEqual(
        slides.map(({ draft }) => draft.title?.map(({ text }) => text).join('')),
        expected[name as keyof typeof types],
      );
      const [{ account }] = slides as [(typeof slides)[0]];
      assert.equal(account.losses[0]!.code, 'READ_BY_OFFICE');
      assert.equal(account.kept + account.approximated + account.dropped, account.elements);
    }
  });
});

/** The presentation with its picture somewhere else. */
function linked(address: string): Uint8Array {
  const files = unzipSync(fixture('harbour.pptx'));
  const change = (name: string, from: RegExp | string, to: string): void => {
    const before = strFromU8(files[name]!);
    assert.notEqual(before.replace(from, to), before);
    files[name] = strToU8(before.replace(from, to));
  };
  const external = `Target="${address}" TargetMode="External"`;
  change('ppt/slides/_rels/slide3.xml.rels', /Target="[^"]*\.png"/, external);
  change('ppt/slides/slide3.xml', 'r:embed=', 'r:link=');
  change('ppt/slides/slide2.xml', '<p:sld ', '<p:sld show="0" ');
  return zipSync(files);
}

describe('previews of a source', () => {
  test(
    'are drawn by LibreOffice and say so, hidden slides too, and nothing else is opened',
    needsOffice,
    async () => {
      const asked: string[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url ?? '');
        response.end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const folder = mkdtempSync(join(tmpdir(), 'pawl-linked-'));
      try {
        const { canvas } = await openTypesetter();
        const red = canvas.createCanvas(64, 40);
        red.getContext('2d').fillStyle = '#FF0000';
        red.getContext('2d').fillRect(0, 0, 64, 40);
        const local = join(folder, 'red.png');
        writeFileSync(local, red.toBuffer('image/png'));
        const { port } = server.address() as AddressInfo;
        for (const address of [`http://127.0.0.1:${port}/red.png`, pathToFileURL(local).href]) {
          const source = { type: 'pptx', name: null } as const;
          const drawing = await openSourceDrawing(linked(address), source);
          assert.ok('draw' in drawing);
          assert.deepEqual([drawing.drawnBy, drawing.pages], ['LibreOffice', 3]);
          const picture = await canvas.loadImage(await drawing.draw(2));
          await drawing.close();
          const sheet = canvas.createCanvas(picture.width, picture.height).getContext('2d');
          sheet.drawImage(picture, 0, 0);
          const { data } = sheet.getImageData(0, 0, picture.width, picture.height);
          let reds = 0;
          for (let at = 0; at < data.length; at += 4) {
            if (data[at]! > 240 && data[at + 1]! < 16 && data[at + 2]! < 16) reds++;
          }
          assert.equal(reds, 0, address);
        }
        assert.deepEqual(asked, []);
      } finally {
        server.close();
        rmSync(folder, { recursive: true });
      }
    },
  );

  test('stand beside those of the deck, and are only missed where nothing can draw them', async () => {
    const opened = await studio();
    const assetRef = await opened.upload('harbour.pdf', fixture('harbour.pdf'));
    const job = await opened.run('convert', { assetRef, sourcePreviews: true });
    const { previews, sourcePreviews, drawnBy, readBy } = resultOf(job);
    assert.deepEqual([drawnBy, readBy], ['pawl', 'pdf.js, liteparse']);
    assert.deepEqual([sourcePreviews?.drawnBy, previews.length], ['pdf.js', 3]);
    assert.equal(sourcePreviews!.images.length, 3);
    assert.notDeepEqual(
      await opened.read(sourcePreviews!.images[0]!),
      await opened.read(previews[0]!),
    );
    const text = await opened.run('convert', { text: '# A', sourcePreviews: true });
    assert.deepEqual(resultOf(text).sourcePreviews, {
      drawnBy: null,
      images: [],
      missing: 'a text has no look of its own',
    });
  });

  test('are left out without LibreOffice, and the conversion succeeds', async () => {
    setOffice('off');
    const drawing = await openSourceDrawing(fixture('harbour.pptx'), { type: 'pptx', name: null });
    setOffice(said);
    assert.deepEqual(drawing, { missing: 'LibreOffice is not installed where the job ran' });
  });
});

describe('a file with a password', () => {
  test('[T1] is read where the password is given, and refused where it is wrong', async () => {
    const locked = fixture('harbour-locked.pdf');
    const { slides } = await slidesOf(locked, 'pdf', { password: 'secret' });
    assert.equal(slides.length, 3);
    assert.equal(slides[2]!.draft.blocks[0]?.kind, 'table');
    await assert.rejects(slidesOf(locked, 'pdf', { password: 'guess' }), {
      code: 'CONVERT_PASSWORD_PROTECTED',
      message: /the `password` does not open the file/,
    });
  });

  test('[T1, T6] is decrypted where it is of Office 2010 or newer, and not without its password', async () => {
    const locked = fixture('lighthouse-locked.docx');
    const open = await unlocked(locked, 'secret');
    assert.deepEqual(Buffer.from(open), fixture('lighthouse.docx'));
    await assert.rejects(unlocked(locked, 'guess'), { code: 'CONVERT_PASSWORD_PROTECTED' });
    assert.throws(() => sourceTypeOf(locked, {}), { code: 'CONVERT_PASSWORD_PROTECTED' });
    for (const length of [600, 2_000, locked.length - 5_000]) {
      await assert.rejects(unlocked(locked.subarray(0, length), 'secret'), {
        code: 'CONVERT_CORRUPTED',
      });
    }
    const opened = await studio();
    const assetRef = await opened.upload('a.docx', locked);
    const job = await opened.run('convert', { assetRef, password: 'secret' });
    assert.equal(resultOf(job).slides, 3);
  });
});
