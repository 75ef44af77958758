import type { Deck, Paragraph, Slide } from '../deck/deck.ts';
import { Ledger } from '../deck/losses.ts';
import { cleanText } from '../deck/text.ts';
import { defaultTheme, WIDE_SIZE } from '../deck/theme.ts';
import { BOUNDS } from './bounds.ts';
import { type Draft, elementsOf, type FoundSlide, type OpenSource } from './draft.ts';
import { openRecogniser, type Recogniser } from './ocr.ts';
import { drawingOf, type PageDrawing } from './pdf-drawing.ts';
import { pageImages } from './pdf-images.ts';
import { openLayout, type LayoutReader } from './pdf-layout.ts';
import { type OpenedPdf, openPdfDocument, type PdfPage } from './pdf-library.ts';
import { noteDrawing, notePinned, recognised } from './pdf-losses.ts';
import { readTagged, type TaggedPage } from './pdf-tagged.ts';
import type { PageText } from './pdf-text.ts';
import { adorned, type Pinned, pinnedOn, textsOf } from './pdf-text-reading.ts';
import { looseParagraphs, readUntagged } from './pdf-untagged.ts';
import { corrupted, refuse } from './refusal.ts';

interface Reading {
  readonly opened: OpenedPdf;
  readonly layout: LayoutReader | null;
  readonly recogniser: Recogniser;
}

/** Opens a PDF: by its tags where it has some, else by the looks of its pages. */
export const openPdf: OpenSource = async (bytes, { name, password, ocr, signal }) => {
  const opened = await openPdfDocument(bytes, password);
  const recogniser = openRecogniser(ocr ?? [], signal);
  try {
    const { document } = opened;
    const { numPages } = document;
    if (numPages > BOUNDS.slides) {
      throw refuse('CONVERT_TOO_LARGE', `the PDF has ${numPages} pages`);
    }
    if (numPages === 0) throw refuse('CONVERT_EMPTY', 'the PDF has no pages');
    const { info } = await document.getMetadata();
    const { Title: title } = (info ?? {}) as { Title?: unknown };
    const named = typeof title === 'string' ? cleanText(title).slice(0, 1_000) : '';
    const layout = await openLayout(bytes, password);
    const reading = { opened, layout, recogniser };
    const readers = ['pdf.js', layout?.name, await recogniser.name()];
    return {
      found: {
        title: named || (name ?? '').replace(/\.\w+$/, ''),
        size: sizeOf(await document.getPage(1)),
        theme: defaultTheme,
        slides: numPages,
        readBy: readers.filter((one) => one !== undefined && one !== null).join(', '),
      },
      slide: async (index) => {
        try {
          return await opened.during(() => readPage(reading, index));
        } catch (error) {
          throw corrupted(error, `page ${index + 1} cannot be read`);
        }
      },
      close: async () => {
        await recogniser.close();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw corrupted(error, 'the PDF cannot be read');
  }
};

/** A page that stands is text to be shown on a slide that lies. */
function sizeOf(page: PdfPage): Deck['size'] {
  const { width, height } = page.getViewport({ scale: 1 });
  const isSlide = width >= height && height >= 72 && width <= 4_032;
  return isSlide ? { width: Math.round(width), height: Math.round(height) } : { ...WIDE_SIZE };
}

/** A page as it was found, before it is a slide. */
interface Page {
  readonly texts: readonly PageText[];
  readonly tagged: TaggedPage | null;
  readonly drawing: PageDrawing;
  readonly pinned: readonly Pinned[];
}

async function openPage(page: PdfPage, { operators }: OpenedPdf): Promise<Page> {
  const drawing = await drawingOf(page, operators);
  const pinned = await pinnedOn(page);
  const { texts, paths } = adorned(await textsOf(page), pinned, drawing.paths);
  const tree = await page.getStructTree();
  const tagged = tree === null ? null : readTagged(tree, texts);
  const { images, masks } = drawing;
  return { texts, tagged, pinned, drawing: { images, masks, paths } };
}

async function readPage(reading: Reading, index: number): Promise<FoundSlide> {
  const { opened, layout, recogniser } = reading;
  const page = await opened.document.getPage(index + 1);
  const found = await openPage(page, opened);
  const { tagged, texts, drawing, pinned } = found;
  const origin = { page: index + 1 };
  const ledger = new Ledger(index + 1);
  const images = await pageImages(page, drawing.images, { ledger, origin });
  const regions = tagged === null ? ((await layout?.regionsOf(index)) ?? null) : null;
  const read = tagged?.draft ?? readUntagged(texts, regions);
  const scan = await recognised(page, { ledger, origin, images, read, recogniser });
  const rest = tagged === null ? [] : looseParagraphs(tagged.rest);
  const notes = pinned.filter(({ subtype }) => subtype === 'Text').flatMap(paragraphsOf);
  const draft: Draft = {
    layout: layoutOf(read, images.length),
    ...read,
    blocks: [
      ...read.blocks.map((block) => ({ ...block, origin })),
      ...(rest.length === 0 ? [] : [{ kind: 'text' as const, paragraphs: rest, origin }]),
      ...scan.blocks,
      ...images.map(({ image: { sha256 } }, position) => {
        const alt = (tagged?.alts[position] ?? '').slice(0, 2_000);
        const described = alt === '' ? {} : { alt: cleanText(alt) };
        return { kind: 'image' as const, asset: sha256, ...described, origin };
      }),
    ],
    origin,
    ...(notes.length === 0 ? {} : { notes }),
  };
  const elements = elementsOf(draft, ledger);
  scan.blocks.forEach((block, position) => {
    const at = draft.blocks.indexOf(block);
    elements.blocks[at]?.lose('OCR_USED', scan.what[position]!);
  });
  notePinned(pinned, { ledger, origin });
  noteDrawing({ drawing, regions, tagged, texts }, { ledger, origin });
  if (texts.some(({ text }) => text.trim() !== '')) noteGuess({ found, layout, ledger }, origin);
  page.cleanup();
  return { draft, images: images.map(({ image }) => image), account: ledger.close() };
}

/** What no tag says is told by where it stands. */
function noteGuess(
  { found, layout, ledger }: { found: Page; layout: LayoutReader | null; ledger: Ledger },
  origin: Draft['origin'],
): void {
  const { tagged } = found;
  if (tagged !== null && tagged.rest.length === 0) return;
  const by = layout === null || tagged !== null ? 'from above to below' : `by ${layout.name}`;
  const what = `the page does not tag all of its text, which was read ${by}`;
  ledger.element('slide', origin).lose('LAYOUT_GUESSED', what);
}

/** A page with nothing but a heading opens something. */
function layoutOf(read: Pick<Draft, 'title' | 'blocks'>, images: number): Slide['layout'] {
  const isOpening = read.title !== undefined && read.blocks.length === 0 && images === 0;
  return isOpening ? 'title' : 'content';
}

function paragraphsOf({ text }: Pinned): Paragraph[] {
  return text.split('\n').map((line) => ({ level: 0, runs: line === '' ? [] : [{ text: line }] }));
}
