// What becomes of the elements of texts and PDFs: an entry for each planted thing, else none.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SourceType } from '../src/deck/deck.ts';
import { type Account, totalOf } from '../src/deck/losses.ts';
import { plainLines } from '../src/deck/text.ts';
import { gradient } from '../src/sample/png.ts';
import {
  docxOf,
  type Part,
  paragraph,
  pdfOf,
  PICTURE,
  picture,
  run,
  slidesOf,
} from './documents.ts';

async function accountOf(bytes: Uint8Array, type: SourceType): Promise<ReturnType<typeof totalOf>> {
  const { slides } = await slidesOf(bytes, type);
  return totalOf(slides.map(({ account }): Account => account));
}

async function codesOf(bytes: Uint8Array, type: SourceType, what: string): Promise<string[]> {
  const { elements, kept, approximated, dropped, losses } = await accountOf(bytes, type);
  assert.equal(kept + approximated + dropped, elements, what);
  for (const loss of losses) assert.ok(loss.slide >= 1 && loss.what.length > 10, what);
  return losses.map(({ code }) => code);
}

const cell = (inside: string, properties = ''): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${inside}</w:tc>`;
const table = (style: string, inside: string): string =>
  `<w:tbl><w:tblPr>${style}</w:tblPr><w:tr>${cell(paragraph(run('a')))}${inside}</w:tr></w:tbl>`;
const TABLE = table('', cell(paragraph(run('b'))));
const CLEAN =
  paragraph(run('Plain '), '') + paragraph(run('Right', '<w:b/><w:color w:val="AA0000"/>')) + TABLE;

/** Elements around something, the outer one first. */
const inside = (content: string, ...names: readonly string[]): string =>
  names.reduceRight((text, name) => `<${name}>${text}</${name.split(' ')[0]}>`, content);

const BOX = inside(
  paragraph(run('In a box')),
  'w:r',
  'w:drawing',
  'wps:wsp',
  'wps:txbx',
  'w:txbxContent',
);
const NOTE = inside(paragraph(run('Below')), 'w:footnotes', 'w:footnote w:id="2"');
const COMMENT = inside(paragraph(run('Check this')), 'w:comments', 'w:comment w:id="0"');
const HEADER = `<w:hdr>${paragraph(run('Draft'))}</w:hdr>`;
const at = (element: string): string => `<w:r>${element}</w:r>`;

/** Planted in a document: what is added to the body, the parts that it needs, and its code. */
const IN_WORD: Readonly<Record<string, readonly [string, readonly Part[], string]>> = {
  'letters of a size': [paragraph(run('Large', '<w:sz w:val="80"/>')), [], 'STYLE_APPROXIMATED'],
  'small capitals': [paragraph(run('Caps', '<w:smallCaps/>')), [], 'TEXT_EFFECT_DROPPED'],
  'a border': [paragraph(run('Framed'), '<w:pBdr/>'), [], 'STYLE_APPROXIMATED'],
  'a box of text': [paragraph(BOX), [], 'TEXT_BOX_AS_TEXT'],
  'a shape': [paragraph(at('<w:drawing><wps:wsp/></w:drawing>')), [], 'SHAPE_DROPPED'],
  'a footnote': [
    paragraph(run('See') + at('<w:footnoteReference w:id="2"/>')),
    [{ kind: 'footnotes', content: NOTE }],
    'FOOTNOTE_AS_NOTES',
  ],
  'a comment': [
    paragraph(run('Said') + at('<w:commentReference w:id="0"/>')),
    [{ kind: 'comments', content: COMMENT }],
    'COMMENT_DROPPED',
  ],
  'a header': [
    '<w:sectPr><w:headerReference r:id="rId1"/></w:sectPr>',
    [{ kind: 'header', content: HEADER }],
    'HEADER_FOOTER_DROPPED',
  ],
  'two columns': ['<w:sectPr><w:cols w:num="2"/></w:sectPr>', [], 'TEXT_COLUMNS_DROPPED'],
  'a deletion': [
    paragraph(`${run('Kept')}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>`),
    [],
    'REVISION_ACCEPTED',
  ],
  'a formula': [paragraph('<m:oMath><m:r><m:t>a+b</m:t></m:r></m:oMath>'), [], 'MATH_AS_TEXT'],
  'a link within': [
    paragraph(`<w:hyperlink w:anchor="top">${run('up')}</w:hyperlink>`),
    [],
    'LINK_DROPPED',
  ],
  'a picture elsewhere': [
    paragraph(picture('rId1')),
    [{ kind: 'image', content: new URL('https://example.org/a.png') }],
    'IMAGE_EXTERNAL_DROPPED',
  ],
  'a picture that is missing': [paragraph(picture('rId9')), [], 'IMAGE_MISSING'],
  'a picture in a cell': [
    table('', cell(paragraph(picture('rId1')))),
    [{ kind: 'image', content: PICTURE }],
    'IMAGE_PLACE_APPROXIMATED',
  ],
  'a table in a cell': [table('', cell(TABLE)), [], 'TABLE_NESTED_AS_TEXT'],
  'a table style': [table('<w:tblStyle w:val="Fancy"/>', ''), [], 'TABLE_STYLE_APPROXIMATED'],
  'an object': [paragraph(at('<w:object/>')), [], 'OBJECT_DROPPED'],
  'a text of another kind': ['<w:altChunk/>', [], 'OBJECT_DROPPED'],
};

describe('the losses of a document', () => {
  test('are none where everything is kept, also a picture, and merged cells', async () => {
    const merged = table('', cell(paragraph(run('wide')), '<w:gridSpan w:val="2"/>'));
    const file = docxOf(CLEAN + paragraph(picture('rId1')) + merged, [
      { kind: 'image', content: PICTURE },
    ]);
    const { losses, elements, kept } = await accountOf(file, 'docx');
    assert.deepEqual([losses, elements, kept], [[], 4, 4]);
  });

  test('are one entry for each thing that is planted, by its code', async () => {
    for (const [what, [body, parts, code]] of Object.entries(IN_WORD)) {
      assert.deepEqual(await codesOf(docxOf(CLEAN + body, parts), 'docx', what), [code], what);
    }
  });

  test('leave its words where they are: boxes, footnotes, formulas, fields and lists by style', async () => {
    const body = ['a box of text', 'a formula', 'a deletion'].map((name) => IN_WORD[name]![0]);
    const field = paragraph(`<w:fldSimple>${run('Figure 7')}</w:fldSimple>`);
    const listed = paragraph(run('By style'), '<w:pStyle w:val="Steps"/>');
    const base = inside('<w:numId w:val="1"/>', 'w:style w:styleId="Base"', 'w:pPr', 'w:numPr');
    const steps = inside('<w:basedOn w:val="Base"/>', 'w:style w:styleId="Steps"');
    const styles = inside(base + steps, 'w:styles');
    const level = '<w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1)"/>';
    const kind = inside(level, 'w:abstractNum w:abstractNumId="3"', 'w:lvl w:ilvl="0"');
    const number = inside('<w:abstractNumId w:val="3"/>', 'w:num w:numId="1"');
    const numbers = inside(kind + number, 'w:numbering');
    const file = docxOf(body.join('') + field + listed, [
      { kind: 'styles', content: styles },
      { kind: 'numbering', content: numbers },
    ]);
    const { slides } = await slidesOf(file, 'docx');
    const [block] = slides[0]!.draft.blocks;
    assert.ok(block?.kind === 'text');
    assert.equal(plainLines(block.paragraphs), 'In a box\na+b\nKept\nFigure 7\nBy style');
    const { list, numbering } = block.paragraphs.at(-1)!;
    assert.deepEqual([list, numbering], ['number', 'lowerLetterParenthesis']);
  });
});

const data = `data:image/png;base64,${PICTURE.toString('base64')}`;
const PAGE = [
  '<h1>Title</h1><p>Words <b>and</b> <a href="https://example.org/">a link</a></p>',
  `<img src="${data}" alt="A gradient">`,
  '<table><tr><td colspan="2">wide</td></tr><tr><td>a</td><td>b</td></tr></table>',
].join('');

const IN_PAGE: Readonly<Record<string, readonly [string, string]>> = {
  'a look of its own': ['<p style="font-size: 40pt">Large</p>', 'STYLE_APPROXIMATED'],
  'a style sheet': ['<style>p { color: red }</style>', 'STYLE_APPROXIMATED'],
  'a link within': ['<p><a href="#top">up</a></p>', 'LINK_DROPPED'],
  'a script as a link': ['<p><a href="javascript:alert(1)">press</a></p>', 'LINK_DROPPED'],
  'a picture elsewhere': ['<img src="https://example.org/a.png">', 'IMAGE_EXTERNAL_DROPPED'],
  'a picture of a kind that is not known': [
    '<img src="data:image/bmp;base64,Qk0=">',
    'IMAGE_FORMAT_DROPPED',
  ],
  'a drawing': ['<svg><circle r="4"/></svg>', 'IMAGE_FORMAT_DROPPED'],
  'a video': ['<video src="a.mp4"></video>', 'MEDIA_DROPPED'],
  'a page in the page': ['<iframe src="https://example.org/"></iframe>', 'OBJECT_DROPPED'],
  'a field': ['<input type="text" value="x">', 'FORM_FIELD_DROPPED'],
  'a table in a cell': [
    '<table><tr><td>x</td><td><table><tr><td>y</td></tr></table></td></tr></table>',
    'TABLE_NESTED_AS_TEXT',
  ],
  'a list in a cell': [
    '<table><tr><td>x</td><td><ul><li>one</li><li>two</li></ul></td></tr></table>',
    'TEXT_LIST_APPROXIMATED',
  ],
  'a picture in a cell': [
    `<table><tr><td>x</td><td>y<img src="${data}"></td></tr></table>`,
    'IMAGE_PLACE_APPROXIMATED',
  ],
  'a table that is too long': [
    `<table>${'<tr><td>x</td><td>y</td></tr>'.repeat(1_001)}</table>`,
    'TABLE_CUT_DROPPED',
  ],
};

describe('the losses of a page or of Markdown', () => {
  test('are none where everything is kept', async () => {
    assert.deepEqual(await codesOf(Buffer.from(PAGE), 'html', 'a page'), []);
    const markdown = '# Title\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n';
    assert.deepEqual(await codesOf(Buffer.from(markdown), 'md', 'Markdown'), []);
    assert.deepEqual(await codesOf(Buffer.from('Title\n\nSome words.\n'), 'txt', 'text'), []);
  });

  test('are one entry for each thing that is planted, by its code', async () => {
    for (const [what, [html, code]] of Object.entries(IN_PAGE)) {
      assert.deepEqual(await codesOf(Buffer.from(PAGE + html), 'html', what), [code], what);
    }
    const linked = Buffer.from('# Title\n\n![A quay](quay.png)\n');
    assert.deepEqual(await codesOf(linked, 'md', 'Markdown'), ['IMAGE_EXTERNAL_DROPPED']);
  });

  test('leave the words of cells apart, and a caption above its table', async () => {
    const cells = '<td><p>a</p><p>b</p></td><td><ul><li>c</li><li>d</li></ul></td>';
    const html = `<table><caption>All</caption><tr>${cells}</tr></table>`;
    const { slides } = await slidesOf(Buffer.from(html), 'html');
    const [caption, found] = slides[0]!.draft.blocks;
    assert.ok(caption?.kind === 'text' && found?.kind === 'table');
    assert.equal(plainLines(caption.paragraphs), 'All');
    const texts = found.rows[0]!.map(({ runs }) => runs.map(({ text }) => text).join(''));
    assert.deepEqual(texts, ['a\nb', 'c\nd']);
  });
});

/** A page that says of everything what it is. */
const tagged = (more: (document: PDFKit.PDFDocument) => void = () => undefined): Promise<Buffer> =>
  pdfOf(
    (document) => {
      const part = (role: string, paint: () => void, options = {}): void => {
        const content = document.markStructureContent(role);
        paint();
        document.endMarkedContent();
        document.addStructure(document.struct(role, options, [content]));
      };
      part('H1', () => document.fontSize(30).text('A page', 40, 40));
      part('P', () => document.fontSize(14).text('Some words', 40, 100));
      part('Figure', () => document.image(PICTURE, 40, 150, { width: 80 }), { alt: 'A gradient' });
      more(document);
    },
    { tagged: true, pdfVersion: '1.7' },
  );

const IN_PDF: Readonly<Record<string, readonly [(document: PDFKit.PDFDocument) => void, string]>> =
  {
    'an area': [(document) => document.rect(300, 300, 50, 50).fill('#ff0000'), 'SHAPE_DROPPED'],
    'a word without a tag': [(document) => document.text('Loose', 40, 400), 'LAYOUT_GUESSED'],
    'a link within': [(document) => document.goTo(40, 40, 50, 20, 'top'), 'LINK_DROPPED'],
    'a mark of a reader': [
      (document) => document.highlight(40, 100, 50, 20, {}),
      'COMMENT_DROPPED',
    ],
    'a field': [
      (document) => document.initForm().formText('name', 40, 450, 100, 20, { value: 'x' }),
      'FORM_FIELD_DROPPED',
    ],
    'a picture of a few points': [
      (document) => document.image(gradient(2, 2, 1), 300, 300),
      'IMAGE_ORNAMENT_DROPPED',
    ],
  };

describe('the losses of a PDF', () => {
  test('are none where tags say what everything is, also of a link to the outside', async () => {
    const file = await tagged((document) => document.link(40, 100, 60, 20, 'https://example.org/'));
    assert.deepEqual(await codesOf(file, 'pdf', 'a page'), []);
    const { slides } = await slidesOf(file, 'pdf');
    const [text] = slides[0]!.draft.blocks;
    assert.ok(text?.kind === 'text');
    assert.equal(text.paragraphs[0]!.runs[0]!.link, 'https://example.org/');
  });

  test('are one entry for each thing that is planted, by its code', async () => {
    for (const [what, [plant, code]] of Object.entries(IN_PDF)) {
      assert.deepEqual(await codesOf(await tagged(plant), 'pdf', what), [code], what);
    }
  });

  test('are the layout of a page without tags, and the words of a page that is a picture', async () => {
    const plain = await pdfOf((document) => document.text('Some words'));
    assert.deepEqual(await codesOf(plain, 'pdf', 'no tags'), ['LAYOUT_GUESSED']);
    const scan = await pdfOf((document) => document.image(PICTURE, 0, 0, { width: 960 }));
    const { losses } = await accountOf(scan, 'pdf');
    assert.deepEqual(
      losses.map(({ code, outcome }) => [code, outcome]),
      [['TEXT_NOT_RECOGNISED', 'dropped']],
    );
    assert.match(losses[0]!.what, /`ocr`/);
  });
});
