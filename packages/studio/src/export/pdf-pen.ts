import type { Box } from '../deck/deck.ts';
import { faceName } from '../draw/face.ts';
import type { Ink, Measure, Part, Pen, Point } from '../draw/pen.ts';

type Element = PDFKit.PDFStructureElement;

/** Parts that have parts in them instead of ink. */
const OUTER: ReadonlySet<Part['role']> = new Set(['Table', 'TR', 'LI']);

export interface PdfPenOptions {
  readonly document: PDFKit.PDFDocument;
  /** Of the whole document's structure. */
  readonly root: Element;
  readonly images: ReadonlyMap<string, Buffer>;
  readonly measure: Measure;
}

/** Draws on a page of a PDF, and says of everything what it is. */
export class PdfPen implements Pen {
  readonly #document: PDFKit.PDFDocument;
  readonly #images: ReadonlyMap<string, Buffer>;
  readonly #measure: Measure;
  readonly #page: Element;
  /** The outer parts at hand, innermost last. */
  readonly #open: Element[] = [];
  /** The lists at hand, by depth: an item goes on with the list of the one before. */
  #lists: Element[] = [];

  constructor({ document, root, images, measure }: PdfPenOptions) {
    this.#document = document;
    this.#images = images;
    this.#measure = measure;
    this.#page = document.struct('Sect');
    root.add(this.#page);
  }

  end(): void {
    this.#page.end();
  }

  part(part: Part, paint: () => void): void {
    const { role, alt } = part;
    if (role === 'Artifact') {
      this.#document.markContent('Artifact', { type: 'Layout' });
      paint();
      this.#document.endMarkedContent();
      return;
    }
    const parent = this.#parentOf(part);
    if (OUTER.has(role)) {
      const outer = this.#document.struct(role);
      parent.add(outer);
      this.#open.push(outer);
      paint();
      this.#open.pop();
      return;
    }
    const content = this.#document.markStructureContent(role);
    paint();
    this.#document.endMarkedContent();
    parent.add(this.#document.struct(role, alt === undefined ? {} : { alt }, [content]));
  }

  #parentOf({ role, depth = 0 }: Part): Element {
    if (role === 'LI') return this.#listAt(depth);
    const inner = this.#open.at(-1);
    if (inner !== undefined) return inner;
    this.#lists = [];
    let parent = this.#page;
    for (let level = 0; level < depth; level++) {
      const quote = this.#document.struct('BlockQuote');
      parent.add(quote);
      parent = quote;
    }
    return parent;
  }

  #listAt(depth: number): Element {
    this.#lists.length = Math.min(this.#lists.length, depth + 1);
    while (this.#lists.length <= depth) {
      const list = this.#document.struct('L');
      (this.#lists.at(-1) ?? this.#page).add(list);
      this.#lists.push(list);
    }
    return this.#lists[depth]!;
  }

  rectangle({ x, y, width, height }: Box, colour: string): void {
    this.#document.rect(x, y, width, height).fill(colour);
  }

  polygon(points: readonly Point[], colour: string): void {
    this.#document.polygon(...points.map(([x, y]) => [x, y])).fill(colour);
  }

  line(points: readonly Point[], colour: string, width: number): void {
    points.forEach(([x, y], index) =>
      index === 0 ? this.#document.moveTo(x, y) : this.#document.lineTo(x, y),
    );
    this.#document.lineWidth(width).lineJoin('round').stroke(colour);
  }

  text(text: string, [x, y]: Point, ink: Ink): void {
    this.#document.font(faceName(ink.face)).fontSize(ink.size).fillColor(ink.colour);
    this.#document.text(text, x, y, { lineBreak: false, baseline: 'alphabetic' });
    const width = this.#measure(text.trimEnd(), ink.face, ink.size);
    const heights = [...(ink.underline ? [0.12] : []), ...(ink.strike ? [-0.28] : [])];
    for (const height of heights) {
      const at = y + ink.size * height;
      this.line(
        [
          [x, at],
          [x + width, at],
        ],
        ink.colour,
        Math.max(0.75, ink.size / 18),
      );
    }
    if (ink.link === undefined) return;
    this.#document.link(x, y - ink.size, width, ink.size * 1.25, ink.link);
  }

  image(asset: string, { x, y, width, height }: Box): void {
    this.#document.image(this.#images.get(asset)!, x, y, { width, height });
  }
}
