import type { Cell, Origin, Paragraph, Run } from '../deck/deck.ts';
import { cleanText, trimRuns } from '../deck/text.ts';
import { BOUNDS } from './bounds.ts';
import type { OpenSource } from './draft.ts';
import { safeLink } from './drawing-text.ts';
import { FlowPages, type FlowPiece, flowReader } from './flow.ts';
import { htmlTokens } from './html-tokens.ts';
import { imageOf } from './image.ts';
import { readText } from './source-text.ts';

/** Opens a page of HTML: headings, sections and rules begin slides. */
export const openHtml: OpenSource = async (bytes, name) => {
  const html = readText(bytes);
  const pages = new FlowPages();
  const reader = new HtmlFlow((piece) => pages.add(piece));
  reader.read(html);
  return flowReader(pages, reader.title || (name ?? '').replace(/\.\w+$/, ''));
};

const LOOKS: Readonly<Record<string, Omit<Run, 'text'>>> = {
  b: { bold: true },
  strong: { bold: true },
  th: {},
  i: { italic: true },
  em: { italic: true },
  u: { underline: true },
  ins: { underline: true },
  s: { strike: true },
  del: { strike: true },
  strike: { strike: true },
  code: { code: true },
  kbd: { code: true },
};

/** Elements before and after which a paragraph ends. */
const BLOCKS: ReadonlySet<string> = new Set(
  (
    'p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption thead tbody tr td th pre hr ' +
    'blockquote section article aside header footer main nav figure figcaption body form ' +
    'fieldset address'
  ).split(' '),
);

interface Table {
  readonly rows: Cell[][];
  header: boolean;
}

/** Reads HTML as it comes, with what is open at the moment. */
export class HtmlFlow {
  title = '';
  readonly #emit: (piece: FlowPiece) => void;
  readonly #open: { name: string; look: Omit<Run, 'text'> }[] = [];
  #lists: ('bullet' | 'number')[] = [];
  #runs: Run[] = [];
  #item = false;
  #quotes = 0;
  #table: Table | null = null;
  #notes: Paragraph[] | null = null;
  #origin: Origin | undefined;

  constructor(emit: (piece: FlowPiece) => void) {
    this.#emit = emit;
  }

  /** `from` stands for all of it, where the HTML was made of something else. */
  read(html: string, from?: Origin): void {
    let line = 1;
    let counted = 0;
    for (const token of htmlTokens(html)) {
      for (; counted < token.at; counted++) if (html.charCodeAt(counted) === 10) line++;
      this.#origin = from ?? { line };
      if (token.kind === 'text') this.#text(token.text);
      else if (token.kind === 'open') this.#begin(token.name, token.attributes);
      else if (token.kind === 'close') this.#end(token.name);
    }
    this.#flush();
    if (this.#table !== null) this.#endTable();
  }

  #isIn(name: string): boolean {
    return this.#open.some((one) => one.name === name);
  }

  #text(text: string): void {
    if (this.#isIn('title')) {
      this.title = cleanText(this.title + text)
        .trim()
        .slice(0, 1_000);
      return;
    }
    if (this.#isIn('head')) return;
    const isKept = this.#isIn('pre');
    const clean = cleanText(text);
    const shown = isKept ? clean : clean.replaceAll(/[\s\u00A0]+/g, ' ');
    if (shown === '') return;
    const look = Object.assign({}, ...this.#open.map((one) => one.look)) as Omit<Run, 'text'>;
    this.#runs.push({ text: shown, ...look });
  }

  #begin(name: string, attributes: ReadonlyMap<string, string>): void {
    if (BLOCKS.has(name)) this.#flush();
    switch (name) {
      case 'br':
        this.#runs.push({ text: '\n' });
        return;
      case 'hr':
        this.#emit({ kind: 'break', ...this.#from() });
        return;
      case 'img':
        this.#image(attributes);
        return;
      case 'section':
        this.#emit({ kind: 'break', ...this.#from() });
        break;
      case 'ul':
      case 'ol':
        this.#lists.push(name === 'ol' ? 'number' : 'bullet');
        break;
      case 'li':
        this.#item = true;
        break;
      case 'blockquote':
        this.#quotes++;
        break;
      case 'table':
        this.#table ??= { rows: [], header: false };
        break;
      case 'thead':
        if (this.#table !== null && this.#table.rows.length === 0) this.#table.header = true;
        break;
      case 'tr':
        this.#table?.rows.push([]);
        break;
      case 'aside':
        if ((attributes.get('class') ?? '').includes('notes')) this.#notes = [];
        break;
    }
    if (/^(input|meta|link|wbr|source|col|area|base|embed|track)$/.test(name)) return;
    if (this.#open.length >= BOUNDS.xmlDepth) return;
    const link = name === 'a' ? safeLink(attributes.get('href') ?? '') : null;
    const pre = name === 'pre' ? { code: true as const } : {};
    this.#open.push({ name, look: link === null ? { ...pre, ...LOOKS[name] } : { link } });
  }

  #end(name: string): void {
    const index = this.#open.findLastIndex((one) => one.name === name);
    if (BLOCKS.has(name)) this.#closeBlock(name);
    if (index >= 0) this.#open.length = index;
  }

  #closeBlock(name: string): void {
    if (name === 'td' || name === 'th') this.#cell(name);
    else this.#flush();
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    if (name === 'blockquote') this.#quotes = Math.max(0, this.#quotes - 1);
    if (name === 'table') this.#endTable();
    if (name === 'aside' && this.#notes !== null) {
      this.#emit({ kind: 'notes', paragraphs: this.#notes, ...this.#from() });
      this.#notes = null;
    }
  }

  #cell(name: string): void {
    const row = this.#table?.rows.at(-1);
    const runs = trimRuns(this.#runs);
    this.#runs = [];
    if (row === undefined || row.length >= BOUNDS.tableColumns) return;
    if (name === 'th' && this.#table!.rows.length === 1) this.#table!.header = true;
    row.push({ runs });
  }

  #endTable(): void {
    const table = this.#table;
    this.#table = null;
    const rows = (table?.rows ?? []).filter((row) => row.length > 0);
    if (rows.length === 0) return;
    const bounded = rows.slice(0, BOUNDS.tableRows);
    this.#emit({ kind: 'table', header: table!.header, rows: bounded, ...this.#from() });
  }

  /** What has come so far is a paragraph, an item or a heading. */
  #flush(): void {
    if (this.#table !== null) return;
    const runs = trimRuns(this.#runs);
    this.#runs = [];
    const isItem = this.#item;
    if (runs.length === 0) return;
    this.#item = false;
    const heading = this.#open.findLast((one) => /^h[1-6]$/.test(one.name));
    if (heading !== undefined) {
      this.#emit({ kind: 'heading', depth: Number(heading.name[1]), runs, ...this.#from() });
      return;
    }
    const list = isItem ? this.#lists.at(-1) : undefined;
    const level = Math.min(8, Math.max(0, this.#lists.length - 1) + this.#quotes);
    const paragraph = { level, ...(list === undefined ? {} : { list }), runs };
    if (this.#notes !== null) this.#notes.push(paragraph);
    else this.#emit({ kind: 'paragraph', paragraph, ...this.#from() });
  }

  #from(): { origin?: Origin } {
    return this.#origin === undefined ? {} : { origin: this.#origin };
  }

  /** Only what the page brings itself: nothing is fetched. */
  #image(attributes: ReadonlyMap<string, string>): void {
    const alt = cleanText(attributes.get('alt') ?? '');
    const data = /^data:image\/[\w.+-]+;base64,([A-Za-z0-9+/=\s]+)$/.exec(
      attributes.get('src') ?? '',
    );
    const image = data === null ? null : imageOf(Buffer.from(data[1]!, 'base64'));
    if (image === null) {
      if (alt !== '') this.#runs.push({ text: `[${alt}]`, italic: true });
      return;
    }
    if (this.#table === null) this.#flush();
    this.#emit({ kind: 'image', image, alt, ...this.#from() });
  }
}
