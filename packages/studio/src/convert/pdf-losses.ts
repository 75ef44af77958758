import type { Origin, TextBlock } from '../deck/deck.ts';
import type { Ledger } from '../deck/losses.ts';
import type { Draft } from './draft.ts';
import type { Recogniser } from './ocr.ts';
import type { PageDrawing } from './pdf-drawing.ts';
import type { PlacedImage } from './pdf-images.ts';
import type { PdfPage } from './pdf-library.ts';
import type { PageRegion, RegionBox } from './pdf-region.ts';
import type { TaggedPage } from './pdf-tagged.ts';
import type { PageText } from './pdf-text.ts';
import type { Pinned } from './pdf-text-reading.ts';

interface Book {
  readonly ledger: Ledger;
  readonly origin: Origin;
}

const MEDIA: ReadonlySet<string> = new Set(['Movie', 'Screen', 'Sound', 'RichMedia', '3D']);

/** What is pinned to a page and is neither a note nor a link to the outside. */
export function notePinned(pinned: readonly Pinned[], { ledger, origin }: Book): void {
  for (const { subtype, text, link } of pinned) {
    if (subtype === 'Text' || subtype === 'Popup') continue;
    if (subtype === 'Link') {
      if (link !== null) continue;
      const what = 'a link within the file, or to an unsafe address, is not kept';
      ledger.element('link', origin).drop('LINK_DROPPED', what);
    } else if (subtype === 'Widget') {
      const what = 'a field of a form is not kept';
      ledger.element('field', origin).drop('FORM_FIELD_DROPPED', what, text);
    } else if (MEDIA.has(subtype)) {
      ledger.element('object', origin).drop('MEDIA_DROPPED', 'sound or video is not kept');
    } else if (subtype === 'FileAttachment') {
      ledger.element('object', origin).drop('OBJECT_DROPPED', 'an attached file is not kept', text);
    } else {
      const what = `a mark of a reader (${subtype}) is not kept`;
      ledger.element('comment', origin).drop('COMMENT_DROPPED', what, text);
    }
  }
}

/** Around a table, its rules and grounds may reach so far. */
const TABLE_MARGIN = 24;

function isIn(outer: RegionBox, inner: RegionBox): boolean {
  return (
    inner.left >= outer.left - TABLE_MARGIN &&
    inner.right <= outer.right + TABLE_MARGIN &&
    inner.top <= outer.top + TABLE_MARGIN &&
    inner.bottom >= outer.bottom - TABLE_MARGIN
  );
}

interface DrawnPage {
  readonly drawing: PageDrawing;
  readonly regions: readonly PageRegion[] | null;
  readonly tagged: TaggedPage | null;
  readonly texts: readonly PageText[];
}

/** Lines, areas and stencils that are no rules of a table, and drawings with words. */
export function noteDrawing(
  { drawing, regions, tagged, texts }: DrawnPage,
  { ledger, origin }: Book,
): void {
  for (const text of tagged?.drawings ?? []) {
    const what = 'a drawing with words, such as a chart, is not kept';
    ledger.element('chart', origin).drop('CHART_DROPPED', what, text);
  }
  // What a page draws beside words that say they are a drawing is part of it.
  if ((tagged?.drawings ?? []).length > 0) return;
  const tables = (regions ?? []).filter(({ kind }) => kind === 'table').map(({ box }) => box);
  const hasTaggedTable = tagged?.draft.blocks.some(({ kind }) => kind === 'table') === true;
  if (hasTaggedTable) tables.push(...around(texts));
  const paths = drawing.paths.filter((path) => !tables.some((table) => isIn(table, path)));
  if (paths.length > 0) {
    const what = `${paths.length} drawn lines and areas are not kept`;
    ledger.element('shape', origin).drop('SHAPE_DROPPED', what);
  }
  if (drawing.masks > 0) {
    const what = `${drawing.masks} stencils are not kept`;
    ledger.element('image', origin).drop('IMAGE_ORNAMENT_DROPPED', what);
  }
}

/** Tags tell no places: a table is somewhere among the texts of its page. */
function around(texts: readonly PageText[]): RegionBox[] {
  const shown = texts.filter(({ text, isArtifact }) => text.trim() !== '' && !isArtifact);
  if (shown.length === 0) return [];
  return [
    {
      left: Math.min(...shown.map(({ x }) => x)),
      right: Math.max(...shown.map(({ x, width }) => x + width)),
      top: Math.max(...shown.map(({ y, size }) => y + size)),
      bottom: Math.min(...shown.map(({ y }) => y)),
    },
  ];
}

/** A picture that covers so much of a page without text is a scan of it. */
const SCAN_SHARE = 0.5;

interface Scan extends Book {
  readonly images: readonly PlacedImage[];
  readonly read: Pick<Draft, 'title' | 'blocks'>;
  readonly recogniser: Recogniser;
}

/** The words of a page that is a picture, where they can be recognised. */
export async function recognised(
  page: PdfPage,
  { ledger, origin, images, read, recogniser }: Scan,
): Promise<{ readonly blocks: TextBlock[]; readonly what: string[] }> {
  const nothing = { blocks: [], what: [] };
  if (read.title !== undefined || read.blocks.length > 0) return nothing;
  const { width, height } = page.getViewport({ scale: 1 });
  const scan = images.find(
    ({ box }) => (box.right - box.left) * (box.top - box.bottom) >= width * height * SCAN_SHARE,
  );
  if (scan === undefined) return nothing;
  const answer = await recogniser.read(scan.image.bytes);
  if ('missing' in answer) {
    ledger.element('text', origin).drop('TEXT_NOT_RECOGNISED', answer.missing);
    return nothing;
  }
  const { paragraphs, confidence } = answer;
  if (paragraphs.length === 0) return nothing;
  const shown = Math.round(confidence * 100);
  return {
    blocks: [{ kind: 'text', paragraphs: [...paragraphs], confidence, origin }],
    what: [`the words of a picture, recognised by ${answer.by} with ${shown} % confidence`],
  };
}
