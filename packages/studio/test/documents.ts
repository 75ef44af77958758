// Documents of Word and PDFs made for a test, as small as they can be.
import { strToU8, zipSync } from 'fflate';
import Document from 'pdfkit';
import { openSource } from '../src/convert/open-source.ts';
import type { SourceType } from '../src/deck/deck.ts';
import type { FoundSlide, SourceOptions } from '../src/convert/draft.ts';
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
      return `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${content.href}" TargetMode="External"/>`;
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
