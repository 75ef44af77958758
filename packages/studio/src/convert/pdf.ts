import type { Deck, Paragraph, Slide } from '../deck/deck.ts';
import { cleanText } from '../deck/text.ts';
import { defaultTheme, WIDE_SIZE } from '../deck/theme.ts';
import { BOUNDS } from './bounds.ts';
import { type Draft, type FoundSlide, keptAccount, type OpenSource } from './draft.ts';
import { pageImages } from './pdf-images.ts';
import { type OpenedPdf, openPdfDocument, type PdfPage } from './pdf-library.ts';
import { readTagged } from './pdf-tagged.ts';
import type { PageText } from './pdf-text.ts';
import { readUntagged } from './pdf-untagged.ts';
import { corrupted, refuse } from './refusal.ts';

/** Opens a PDF: by its tags where it has some, else by the looks of its pages. */
export const openPdf: OpenSource = async (bytes, name) => {
  const opened = await openPdfDocument(bytes);
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
    return {
      found: {
        title: named || (name ?? '').replace(/\.\w+$/, ''),
        size: sizeOf(await document.getPage(1)),
        theme: defaultTheme,
        slides: numPages,
      },
      slide: async (index) => {
        try {
          return await opened.during(() => readPage(opened, index));
        } catch (error) {
          throw corrupted(error, `page ${index + 1} cannot be read`);
        }
      },
      close: () => opened.close(),
    };
  } catch (error) {
    await opened.close();
    throw corrupted(error, 'the PDF cannot be read');
  }
};

/** A page that stands is text to be shown on a slide that lies. */
function sizeOf({ view }: PdfPage): Deck['size'] {
  const [left = 0, bottom = 0, right = 0, top = 0] = view;
  const [width, height] = [Math.abs(right - left), Math.abs(top - bottom)];
  const isSlide = width >= height && height >= 72 && width <= 4_032;
  return isSlide ? { width: Math.round(width), height: Math.round(height) } : { ...WIDE_SIZE };
}

async function readPage(opened: OpenedPdf, index: number): Promise<FoundSlide> {
  const page = await opened.document.getPage(index + 1);
  const images = await pageImages(page, opened);
  const texts = await textsOf(page);
  const tree = await page.getStructTree();
  const tagged = tree === null ? null : readTagged(tree, texts);
  const read = tagged?.draft ?? readUntagged(texts);
  const alts = tagged?.alts ?? [];
  const origin = { page: index + 1 };
  const notes = await notesOf(page);
  page.cleanup();
  const draft: Draft = {
    layout: layoutOf(read, images.length),
    ...read,
    blocks: [
      ...read.blocks.map((block) => ({ ...block, origin })),
      ...images.map(({ sha256 }, position) => {
        const alt = (alts[position] ?? '').slice(0, 2_000);
        const described = alt === '' ? {} : { alt: cleanText(alt) };
        return { kind: 'image' as const, asset: sha256, ...described, origin };
      }),
    ],
    origin,
    ...(notes.length === 0 ? {} : { notes }),
  };
  return { draft, images, account: keptAccount(draft, index + 1) };
}

/** A page with nothing but a heading opens something. */
function layoutOf(read: Pick<Draft, 'title' | 'blocks'>, images: number): Slide['layout'] {
  const isOpening = read.title !== undefined && read.blocks.length === 0 && images === 0;
  return isOpening ? 'title' : 'content';
}

async function textsOf(page: PdfPage): Promise<PageText[]> {
  const { items } = await page.getTextContent({ includeMarkedContent: true });
  const texts: PageText[] = [];
  const marks: (string | null)[] = [];
  for (const item of items) {
    if (item.type === 'beginMarkedContent') marks.push(null);
    else if (item.type === 'beginMarkedContentProps') marks.push(item.id ?? null);
    else if (item.type === 'endMarkedContent') marks.pop();
    else if (item.str !== undefined) {
      const [, , skew = 0, height = 0, x = 0, y = 0] = item.transform ?? [];
      texts.push({
        text: item.str,
        x,
        y,
        width: item.width ?? 0,
        size: Math.hypot(skew, height) || item.height || 1,
        font: fontOf(page, item.fontName ?? ''),
        endsLine: item.hasEOL ?? false,
        mark: marks.findLast((mark) => mark !== null) ?? null,
      });
    }
  }
  return texts;
}

function fontOf(page: PdfPage, id: string): string {
  if (id === '' || !page.commonObjs.has(id)) return '';
  return (page.commonObjs.get(id) as { name?: string } | null)?.name ?? '';
}

/** Notes that are pinned to the page. */
async function notesOf(page: PdfPage): Promise<Paragraph[]> {
  const pinned = (await page.getAnnotations()).filter(({ subtype }) => subtype === 'Text');
  return pinned.flatMap(({ contentsObj }) => {
    const { str = '' } = (contentsObj ?? {}) as { str?: string };
    return cleanText(str)
      .split('\n')
      .map((text) => ({ level: 0, runs: text === '' ? [] : [{ text }] }));
  });
}
