import type { Part } from '../draw/pen.ts';

type Element = PDFKit.PDFStructureElement;

/** Parts that have parts in them instead of ink. */
const OUTER: ReadonlySet<Part['role']> = new Set(['Table', 'TR', 'LI']);

/** The structure of a page: what everything on it is, for readers that do not see it. */
export class PdfParts {
  readonly #document: PDFKit.PDFDocument;
  readonly #page: Element;
  /** The outer parts at hand, innermost last. */
  readonly #open: Element[] = [];
  /** The lists at hand, by depth: an item goes on with the list of the one before. */
  #lists: Element[] = [];

  constructor(document: PDFKit.PDFDocument, root: Element) {
    this.#document = document;
    this.#page = document.struct('Sect');
    root.add(this.#page);
  }

  end(): void {
    this.#page.end();
  }

  part(part: Part, paint: () => void): void {
    const { role, alt, actual } = part;
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
    const options = {
      ...(alt === undefined ? {} : { alt }),
      ...(actual === undefined ? {} : { actual }),
    };
    parent.add(this.#document.struct(role, options, [content]));
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
}
