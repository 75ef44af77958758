import type { Block, Cell, Origin, Paragraph, Run } from '../deck/deck.ts';
import { plainText } from '../deck/text.ts';
import { defaultTheme, WIDE_SIZE } from '../deck/theme.ts';
import { BOUNDS } from './bounds.ts';
import { type Draft, type FoundSlide, keptAccount, type SourceReader } from './draft.ts';
import type { FoundImage } from './image.ts';
import { refuse } from './refusal.ts';

/** A document that flows, piece by piece: it has no slides of its own. */
export type FlowPiece = { readonly origin?: Origin } & (
  | { readonly kind: 'heading'; readonly depth: number; readonly runs: Run[] }
  | { readonly kind: 'paragraph'; readonly paragraph: Paragraph }
  | { readonly kind: 'table'; readonly header: boolean; readonly rows: Cell[][] }
  | { readonly kind: 'image'; readonly image: FoundImage; readonly alt: string }
  | { readonly kind: 'notes'; readonly paragraphs: Paragraph[] }
  | { readonly kind: 'break' }
);

/** Headings down to this depth begin a slide; deeper ones stand on it. */
const SLIDE_DEPTH = 2;
/** What fits on a slide in a size that can be read, in lines. */
const LINES_MAX = 18;
const LINE_LETTERS = 90;

interface Page {
  readonly draft: Draft;
  readonly images: FoundImage[];
  readonly depth: number;
  lines: number;
}

/** Cuts a flowing document into slides. */
export class FlowPages {
  readonly #pages: Page[] = [];

  add(piece: FlowPiece): void {
    switch (piece.kind) {
      case 'break':
        this.#begin({}, piece.origin, 0);
        return;
      case 'heading':
        this.#heading(piece.runs, piece.depth, piece.origin);
        return;
      case 'notes':
        this.#page(piece.origin).draft.notes = [
          ...(this.#page(piece.origin).draft.notes ?? []),
          ...piece.paragraphs,
        ];
        return;
      case 'paragraph':
        this.#paragraph(piece.paragraph, piece.origin);
        return;
      case 'table':
        this.#block({ kind: 'table', header: piece.header, rows: piece.rows }, piece);
        return;
      case 'image': {
        const alt = piece.alt === '' ? {} : { alt: piece.alt.slice(0, 2_000) };
        this.#block({ kind: 'image', asset: piece.image.sha256, ...alt }, piece);
        this.#pages.at(-1)!.images.push(piece.image);
      }
    }
  }

  /** The slides, those without anything on them left out. */
  finish(): FoundSlide[] {
    const pages = this.#pages.filter(
      ({ draft }) => draft.title !== undefined || draft.blocks.length > 0,
    );
    if (pages.length > BOUNDS.slides) {
      throw refuse('CONVERT_TOO_LARGE', `the text fills ${pages.length} slides`);
    }
    return pages.map((page, index) => {
      const draft = opened(page, index);
      return { draft, images: page.images, account: keptAccount(draft, index + 1) };
    });
  }

  #begin(head: Partial<Draft>, origin: Origin | undefined, depth: number): Page {
    const from = origin === undefined ? {} : { origin };
    const draft: Draft = { layout: 'content', blocks: [], ...from, ...head };
    const page = { draft, images: [], depth, lines: 0 };
    this.#pages.push(page);
    return page;
  }

  #page(origin: Origin | undefined): Page {
    return this.#pages.at(-1) ?? this.#begin({}, origin, 0);
  }

  #heading(runs: Run[], depth: number, origin: Origin | undefined): void {
    const last = this.#pages.at(-1);
    if (depth > SLIDE_DEPTH && last !== undefined && last.draft.title !== undefined) {
      this.#paragraph({ level: 0, runs: runs.map((run) => ({ ...run, bold: true })) }, origin);
      return;
    }
    const isFree = last?.draft.title === undefined && last?.draft.blocks.length === 0;
    if (isFree) last.draft.title = runs;
    else this.#begin({ title: runs }, origin, depth);
  }

  #paragraph(paragraph: Paragraph, origin: Origin | undefined): void {
    const text = plainText(paragraph.runs);
    if (text.trim() === '') return;
    const page = this.#roomFor(text.split('\n').length + text.length / LINE_LETTERS, origin);
    const last = page.draft.blocks.at(-1);
    if (last?.kind === 'text') last.paragraphs.push(paragraph);
    else {
      const from = origin === undefined ? {} : { origin };
      page.draft.blocks.push({ kind: 'text', paragraphs: [paragraph], ...from });
    }
  }

  #block(block: Block, { origin }: FlowPiece): void {
    const lines = block.kind === 'table' ? block.rows.length + 1 : 8;
    const page = this.#roomFor(lines, origin);
    page.draft.blocks.push(origin === undefined ? block : { ...block, origin });
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
    },
    slide: async (index) => slides[index]!,
    close: async () => undefined,
  };
}
