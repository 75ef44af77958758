import type { Block, Cell, ChartBlock, Origin, Paragraph, Run } from '../deck/deck.ts';
import type { Crop } from '../deck/look.ts';
import { type Account, Ledger, LOSSES, type LossCode, type LossKind } from '../deck/losses.ts';
import { plainText } from '../deck/text.ts';
import { defaultTheme, WIDE_SIZE } from '../deck/theme.ts';
import { BOUNDS } from './bounds.ts';
import { type Draft, elementsOf, type FoundSlide, type SourceReader } from './draft.ts';
import type { FoundImage } from './image.ts';
import { refuse } from './refusal.ts';

/** Something of a piece that is not as it was. */
export interface PieceLoss {
  readonly code: LossCode;
  readonly what: string;
  readonly text?: string | undefined;
}

/** A document that flows, piece by piece: it has no slides of its own. */
export type FlowPiece = {
  readonly origin?: Origin;
  readonly losses?: readonly PieceLoss[];
} & (
  | { readonly kind: 'heading'; readonly depth: number; readonly runs: Run[] }
  | { readonly kind: 'paragraph'; readonly paragraph: Paragraph }
  | { readonly kind: 'table'; readonly header: boolean; readonly rows: Cell[][] }
  | {
      readonly kind: 'image';
      readonly image: FoundImage;
      readonly alt: string;
      readonly crop?: Crop;
    }
  | { readonly kind: 'chart'; readonly chart: ChartBlock }
  | { readonly kind: 'notes'; readonly paragraphs: Paragraph[] }
  /** An element that no slide can have. */
  | { readonly kind: 'lost'; readonly of: LossKind }
  | { readonly kind: 'break' }
);

/** Headings down to this depth begin a slide; deeper ones stand on it. */
const SLIDE_DEPTH = 2;
/** What fits on a slide in a size that can be read, in lines. */
const LINES_MAX = 18;
const LINE_LETTERS = 90;

/** What is lost of a part of a slide: of its title, its notes, a block, or of none that it has. */
interface PageLoss {
  readonly part: 'title' | 'notes' | Block | { readonly lost: LossKind; readonly origin?: Origin };
  readonly losses: readonly PieceLoss[];
}

interface Page {
  readonly draft: Draft;
  readonly images: FoundImage[];
  readonly depth: number;
  readonly losses: PageLoss[];
  lines: number;
}

/** Cuts a flowing document into slides. */
export class FlowPages {
  readonly #pages: Page[] = [];

  add(piece: FlowPiece): void {
    const { origin, losses = [] } = piece;
    const part = this.#place(piece);
    if (part !== null && losses.length > 0) this.#page(origin).losses.push({ part, losses });
  }

  /** Where a piece went: on the last slide as it is now. */
  #place(piece: FlowPiece): PageLoss['part'] | null {
    switch (piece.kind) {
      case 'break':
        this.#begin({}, piece.origin, 0);
        return null;
      case 'heading':
        return this.#heading(piece.runs, piece.depth, piece.origin);
      case 'notes': {
        const { draft } = this.#page(piece.origin);
        draft.notes = [...(draft.notes ?? []), ...piece.paragraphs];
        return 'notes';
      }
      case 'paragraph':
        return this.#paragraph(piece.paragraph, piece.origin);
      case 'table':
        return this.#block({ kind: 'table', header: piece.header, rows: piece.rows }, piece);
      case 'chart':
        return this.#block(piece.chart, piece);
      case 'image': {
        const alt = piece.alt === '' ? {} : { alt: piece.alt.slice(0, 2_000) };
        const crop = piece.crop === undefined ? {} : { crop: piece.crop };
        const image = { kind: 'image' as const, asset: piece.image.sha256, ...alt, ...crop };
        const block = this.#block(image, piece);
        this.#pages.at(-1)!.images.push(piece.image);
        return block;
      }
      case 'lost':
        return { lost: piece.of, ...(piece.origin === undefined ? {} : { origin: piece.origin }) };
    }
  }

  /** The slides, those without anything on them left out. */
  finish(): FoundSlide[] {
    const isShown = ({ draft }: Page): boolean =>
      draft.title !== undefined || draft.blocks.length > 0;
    const pages = this.#pages.filter(isShown);
    if (pages.length > BOUNDS.slides) {
      throw refuse('CONVERT_TOO_LARGE', `the text fills ${pages.length} slides`);
    }
    // What is lost of slides that are left out is said of the next one, or of the last.
    const left = this.#pages.map((page) => (isShown(page) ? [] : lostOf(page)));
    return pages.map((page, index) => {
      const from = index === 0 ? 0 : this.#pages.indexOf(pages[index - 1]!);
      const isLast = index === pages.length - 1;
      const to = isLast ? this.#pages.length : this.#pages.indexOf(page);
      const draft = opened(page, index);
      const account = accountOf(page, { draft, slide: index + 1, left: left.slice(from, to) });
      return { draft, images: page.images, account };
    });
  }

  #begin(head: Partial<Draft>, origin: Origin | undefined, depth: number): Page {
    const from = origin === undefined ? {} : { origin };
    const draft: Draft = { layout: 'content', blocks: [], ...from, ...head };
    const page = { draft, images: [], depth, losses: [], lines: 0 };
    this.#pages.push(page);
    return page;
  }

  #page(origin: Origin | undefined): Page {
    return this.#pages.at(-1) ?? this.#begin({}, origin, 0);
  }

  #heading(runs: Run[], depth: number, origin: Origin | undefined): PageLoss['part'] | null {
    const last = this.#pages.at(-1);
    if (depth > SLIDE_DEPTH && last !== undefined && last.draft.title !== undefined) {
      const bold = runs.map((run) => ({ ...run, bold: true as const }));
      return this.#paragraph({ level: 0, runs: bold }, origin);
    }
    const isFree = last?.draft.title === undefined && last?.draft.blocks.length === 0;
    if (isFree) last.draft.title = runs;
    else this.#begin({ title: runs }, origin, depth);
    return 'title';
  }

  #paragraph(paragraph: Paragraph, origin: Origin | undefined): Block | null {
    const text = plainText(paragraph.runs);
    if (text.trim() === '') return null;
    const page = this.#roomFor(text.split('\n').length + text.length / LINE_LETTERS, origin);
    const last = page.draft.blocks.at(-1);
    if (last?.kind === 'text') {
      last.paragraphs.push(paragraph);
      return last;
    }
    const from = origin === undefined ? {} : { origin };
    const block: Block = { kind: 'text', paragraphs: [paragraph], ...from };
    page.draft.blocks.push(block);
    return block;
  }

  #block(block: Block, { origin }: FlowPiece): Block {
    const lines = block.kind === 'table' ? block.rows.length + 1 : 8;
    const page = this.#roomFor(lines, origin);
    const placed = origin === undefined ? block : { ...block, origin };
    page.draft.blocks.push(placed);
    return placed;
  }

  /** What does not fit goes on under the same title. */
  #roomFor(lines: number, origin: Origin | undefined): Page {
    let page = this.#page(origin);
    if (page.lines > 0 && page.lines + lines > LINES_MAX) {
      const { title } = page.draft;
      page = this.#begin(title === undefined ? {} : { title }, origin, page.depth);
    }
    page.lines += lines;
    return page;
  }
}

function lostOf({ losses }: Page): PageLoss[] {
  return losses.filter(({ part }) => typeof part === 'object' && 'lost' in part);
}

/** What became of the elements that a slide is made of; `left` are those of empty slides. */
function accountOf(
  page: Page,
  of: { readonly draft: Draft; readonly slide: number; readonly left: readonly PageLoss[][] },
): Account {
  const ledger = new Ledger(of.slide);
  const elements = elementsOf(of.draft, ledger);
  const { blocks } = page.draft;
  for (const { part, losses } of [...of.left.flat(), ...page.losses]) {
    if (typeof part === 'object' && 'lost' in part) {
      const element = ledger.element(part.lost, part.origin);
      for (const { code, what, text } of losses) {
        if (LOSSES[code][0] === 'dropped') element.drop(code, what, text);
        else element.lose(code, what, text);
      }
      continue;
    }
    // A line that became the subtitle is no block any more.
    const element =
      typeof part === 'object'
        ? (elements.blocks[blocks.indexOf(part)] ?? elements.subtitle)
        : elements[part];
    for (const { code, what, text } of losses) element?.lose(code, what, text);
  }
  return ledger.close();
}

const SUBTITLE_LENGTH_MAX = 200;

/** A heading with nothing below it, or one line at the very start, opens what follows. */
function opened({ draft, depth }: Page, index: number): Draft {
  if (draft.title === undefined) return draft;
  const { blocks } = draft;
  if (blocks.length === 0) return { ...draft, layout: index === 0 ? 'title' : 'section' };
  const line = index === 0 && depth <= 1 ? onlyLine(blocks) : null;
  if (line === null || plainText(line.runs).length > SUBTITLE_LENGTH_MAX) return draft;
  return { ...draft, layout: 'title', subtitle: line.runs, blocks: [] };
}

function onlyLine(blocks: readonly Block[]): Paragraph | null {
  const [only] = blocks;
  if (blocks.length !== 1 || only?.kind !== 'text' || only.paragraphs.length !== 1) return null;
  const line = only.paragraphs[0]!;
  return line.list === undefined ? line : null;
}

/** A flowing document as a source of slides. */
export function flowReader(pages: FlowPages, title: string): SourceReader {
  const slides = pages.finish();
  if (slides.length === 0) throw refuse('CONVERT_EMPTY', 'the source has no text');
  const first = slides.find(({ draft }) => draft.title !== undefined)?.draft.title;
  const named = title || (first === undefined ? '' : plainText(first));
  return {
    found: {
      title: named.slice(0, 1_000),
      size: { ...WIDE_SIZE },
      theme: defaultTheme,
      slides: slides.length,
      readBy: 'pawl',
    },
    slide: async (index) => slides[index]!,
    close: async () => undefined,
  };
}
