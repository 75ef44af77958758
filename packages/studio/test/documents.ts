// Documents of Word and PDFs made for a test, as small as they can be.
import { strToU8, zipSync } from 'fflate';
import Document from 'pdfkit';
import { openSource } from '../src/convert/open-source.ts';
import type { SourceType } from '../src/deck/deck.ts';
import type { FoundSlide, SourceOptions } from '../src/convert/draft.ts';
import { openTypesetter } from '../src/draw/typeset.ts';
import { gradient } from '../src/sample/png.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const NAMES = [
  `xmlns:w="${WORD}"`,
  `xmlns:r="${OFFICE}"`,
  `xmlns:a="${DRAWING}/main"`,
  `xmlns:wp="${DRAWING}/wordprocessingDrawing"`,
  `xmlns:pic="${DRAWING}/picture"`,
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"',
  'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"',
  'xmlns:v="urn:schemas-microsoft-com:vml"',
].join(' ');

export const PICTURE = gradient(40, 20, 9);

/** A relation of the document: its kind, and the part or the address that it leads to. */
export interface Part {
  readonly kind: string;
  readonly content: string | Uint8Array | URL;
}

/** Text in `w:r` and `w:t`, with what is said of its look. */
export const run = (text: string, look = ''): string =>
  `<w:r><w:rPr>${look}</w:rPr><w:t>${text}</w:t></w:r>`;
export const paragraph = (inside: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr>${inside}</w:p>`;
export const picture = (id: string): string =>
  `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="A gradient"/><a:graphic>` +
  `<a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="${id}"/></pic:blipFill></pic:pic>` +
  `</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;

/** A document with a body, and parts that it refers to by `rId1` and so on. */
export function docxOf(body: string, parts: readonly Part[] = []): Uint8Array {
  const files: Record<string, Uint8Array> = {};
  const relations = parts.map(({ kind, content }, index) => {
    const id = `rId${index + 1}`;
    if (content instanceof URL) {
      const outside = `Target="${content.href}" TargetMode="External"`;
      return `<Relationship Id="${id}" Type="${OFFICE}/${kind}" ${outside}/>`;
    }
    const target = `${kind}${index}.${typeof content === 'string' ? 'xml' : 'png'}`;
    const xml = typeof content === 'string' ? content.replace('>', ` ${NAMES}>`) : '';
    files[`word/${target}`] = typeof content === 'string' ? strToU8(xml) : content;
    return `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`;
  });
  const related = (list: string): Uint8Array =>
    strToU8(`<Relationships xmlns="${PACKAGE}">${list}</Relationships>`);
  return zipSync({
    '_rels/.rels': related(
      `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/>`,
    ),
    'word/document.xml': strToU8(`<w:document ${NAMES}><w:body>${body}</w:body></w:document>`),
    'word/_rels/document.xml.rels': related(relations.join('')),
    ...files,
  });
}

/** A PDF as a program draws it. */
export async function pdfOf(
  draw: (document: PDFKit.PDFDocument) => void,
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Buffer> {
  const document = new Document({ size: [960, 540], margin: 40, ...options });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => document.on('end', resolve));
  draw(document);
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

export const wordsOf = (name: string): string =>
  Array.from({ length: 60 }, (_, index) => `${name}${index}`).join(' ');

/** A page with two columns below a headline, and one with a table that has rules. */
export const columnsAndTable = (): Promise<Buffer> =>
  pdfOf(
    (document) => {
      document.font('Helvetica-Bold').fontSize(20).text('In columns', 50, 50);
      document.font('Helvetica').fontSize(10);
      document.text(wordsOf('left'), 50, 110, { width: 230 });
      document.text(wordsOf('right'), 310, 110, { width: 230 });
      document.addPage().font('Helvetica-Bold').fontSize(20).text('Figures', 50, 50);
      const [columns, lines] = [[50, 150, 300, 450] as const, [100, 130, 160] as const];
      for (const y of lines) document.moveTo(50, y).lineTo(450, y).stroke();
      for (const x of columns) document.moveTo(x, 100).lineTo(x, 160).stroke();
      document.font('Helvetica').fontSize(11);
      const write = (cells: readonly string[], y: number): void =>
        cells.forEach((text, index) =>
          document.text(text, columns[index]! + 6, y, { lineBreak: false }),
        );
      write(['Port', 'Containers', 'Delay'], 109);
      write(['North quay', '1,204', '3 h'], 139);
      document.text('Below the table.', 50, 190);
    },
    { size: 'A4' },
  );

/** A page that is a picture of some words. */
export async function scanOf(text: string): Promise<Buffer> {
  const { canvas } = await openTypesetter();
  const sheet = canvas.createCanvas(900, 240);
  const context = sheet.getContext('2d');
  context.fillStyle = '#FFFFFF';
  context.fillRect(0, 0, 900, 240);
  context.fillStyle = '#000000';
  context.font = '48px "DejaVu Sans"';
  context.fillText(text, 40, 130);
  const png = await sheet.encode('png');
  return pdfOf((document) => document.image(png, 0, 0, { width: 900 }), { size: [900, 240] });
}

/** The slides of a source as they were found, and the programs that read it. */
export async function slidesOf(
  bytes: Uint8Array,
  type: SourceType,
  options: Partial<SourceOptions> = {},
): Promise<{ readonly slides: readonly FoundSlide[]; readonly readBy: string }> {
  const reader = await openSource(bytes, { type, name: null, ...options });
  try {
    const slides: FoundSlide[] = [];
    for (let index = 0; index < reader.found.slides; index++)
      slides.push(await reader.slide(index));
    return { slides, readBy: reader.found.readBy };
  } finally {
    await reader.close();
  }
}
