import type { Origin, Paragraph, Run } from '../deck/deck.ts';
import { cleanText, trimRuns } from '../deck/text.ts';
import { BOUNDS } from './bounds.ts';
import type { OpenSource } from './draft.ts';
import { FlowPages, type FlowPiece, flowReader, type PieceLoss } from './flow.ts';
import { type Look, lookOfTag, LOST_TAGS, VOID_TAGS } from './html-look.ts';
import { HtmlTable, withLineEnd } from './html-table.ts';
import { htmlTokens } from './html-tokens.ts';
import { imageOf } from './image.ts';
import { readText } from './source-text.ts';

/** Opens a page of HTML: headings, sections and rules begin slides. */
export const openHtml: OpenSource = async (bytes, { name }) => {
  const html = readText(bytes);
  const pages = new FlowPages();
  const reader = new HtmlFlow((piece) => pages.add(piece));
  reader.read(html);
  return flowReader(pages, reader.title || (name ?? '').replace(/\.\w+$/, ''));
};

/** Elements before and after which a paragraph ends. */
const BLOCKS: ReadonlySet<string> = new Set(
  (
    'p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption thead tbody tr td th pre hr ' +
    'blockquote section article aside header footer main nav figure figcaption body form ' +
    'fieldset address'
  ).split(' '),
);

interface OpenTag {
  readonly name: string;
  readonly look: Look;
  readonly losses: readonly PieceLoss[];
  readonly attributes: ReadonlyMap<string, string>;
}

/** Reads HTML as it comes, with what is open at the moment. */
export class HtmlFlow {
  title = '';
  readonly #emit: (piece: FlowPiece) => void;
  readonly #open: OpenTag[] = [];
  #lists: ('bullet' | 'number')[] = [];
  #runs: Run[] = [];
  /** What is lost of the runs. */
  #losses: PieceLoss[] = [];
  /** What comes after the piece at hand. */
  #later: FlowPiece[] = [];
  #item = false;
  #quotes = 0;
  #table: HtmlTable | null = null;
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
    const look = Object.assign({}, ...this.#open.map((one) => one.look)) as Look;
    this.#runs.push({ text: shown, ...look });
    if (shown.trim() === '') return;
    for (const { losses } of this.#open) {
      for (const loss of losses) this.#losses.push({ ...loss, text: shown.trim() });
    }
  }

  #begin(name: string, attributes: ReadonlyMap<string, string>): void {
    if (BLOCKS.has(name)) this.#flush();
    if (Object.hasOwn(LOST_TAGS, name)) {
      const [of, loss] = LOST_TAGS[name]!;
      this.#lost(of, { ...loss, text: attributes.get('aria-label') ?? attributes.get('title') });
    }
    this.#beginKnown(name, attributes);
    if (VOID_TAGS.test(name) || this.#open.length >= BOUNDS.xmlDepth) return;
    this.#open.push({ name, attributes, ...lookOfTag(name, attributes) });
  }

  #beginKnown(name: string, attributes: ReadonlyMap<string, string>): void {
    switch (name) {
      case 'br':
        this.#runs.push({ text: '\n' });
        return;
      case 'hr':
      case 'section':
        this.#emit({ kind: 'break', ...this.#from() });
        return;
      case 'img':
        this.#image(attributes);
        return;
      case 'input':
      case 'select':
        this.#field(name, attributes);
        return;
      case 'style':
        this.#styled();
        return;
      case 'link':
        if (/stylesheet/i.test(attributes.get('rel') ?? '')) this.#styled();
        return;
      case 'ul':
      case 'ol':
        this.#lists.push(name === 'ol' ? 'number' : 'bullet');
        return;
      case 'li':
        this.#item = this.#table === null;
        this.#table?.losses.push({
          code: 'TEXT_LIST_APPROXIMATED',
          what: 'a list in a cell is kept as lines',
        });
        return;
      case 'blockquote':
        this.#quotes++;
        return;
      case 'aside':
        if ((attributes.get('class') ?? '').includes('notes')) this.#notes = [];
        return;
      default:
        this.#beginTable(name);
    }
  }

  #beginTable(name: string): void {
    if (name === 'table') {
      if (this.#table === null) this.#table = new HtmlTable();
      else this.#table.nest();
    } else if (this.#table?.isOuter !== true) return;
    else if (name === 'thead' && this.#table.isEmpty) this.#table.header = true;
    else if (name === 'tr') this.#table.row();
  }

  #end(name: string): void {
    const index = this.#open.findLastIndex((one) => one.name === name);
    if (BLOCKS.has(name)) this.#closeBlock(name, this.#open[index]);
    if (index >= 0) this.#open.length = index;
  }

  #closeBlock(name: string, tag: OpenTag | undefined): void {
    const isCell = (name === 'td' || name === 'th') && this.#table?.isOuter === true;
    if (isCell) {
      this.#table!.cell(this.#runs, tag?.attributes ?? new Map(), name === 'th');
      this.#table!.losses.push(...this.#taken());
    } else if (name === 'caption') this.#caption();
    else this.#flush();
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    if (name === 'blockquote') this.#quotes = Math.max(0, this.#quotes - 1);
    if (name === 'table' && this.#table?.unnest() === false) this.#endTable();
    if (name === 'aside' && this.#notes !== null) {
      this.#emit({ kind: 'notes', paragraphs: this.#notes, ...this.#from() });
      this.#notes = null;
    }
  }

  /** What is lost of the runs that are used up here. */
  #taken(): PieceLoss[] {
    const losses = this.#losses;
    this.#losses = [];
    this.#runs = [];
    return losses;
  }

  /** It stands above the table, wherever it is written. */
  #caption(): void {
    const runs = trimRuns(this.#runs);
    const losses = this.#taken();
    if (runs.length === 0) return;
    this.#emit({ kind: 'paragraph', paragraph: { level: 0, runs }, losses, ...this.#from() });
  }

  #endTable(): void {
    const piece = this.#table?.finish() ?? null;
    this.#table = null;
    if (piece !== null) this.#emit({ ...piece, ...this.#from() });
    this.#flushLater();
  }

  /** What has come so far is a paragraph, an item or a heading. */
  #flush(): void {
    if (this.#table !== null) {
      this.#runs = withLineEnd(this.#runs);
      return;
    }
    const runs = trimRuns(this.#runs);
    const losses = this.#taken();
    if (runs.length > 0) this.#piece(runs, losses);
    this.#flushLater();
  }

  #piece(runs: Run[], losses: readonly PieceLoss[]): void {
    const isItem = this.#item;
    this.#item = false;
    const heading = this.#open.findLast((one) => /^h[1-6]$/.test(one.name));
    if (heading !== undefined) {
      const depth = Number(heading.name[1]);
      this.#emit({ kind: 'heading', depth, runs, losses, ...this.#from() });
      return;
    }
    const list = isItem ? this.#lists.at(-1) : undefined;
    const level = Math.min(8, Math.max(0, this.#lists.length - 1) + this.#quotes);
    const paragraph = { level, ...(list === undefined ? {} : { list }), runs };
    if (this.#notes !== null) this.#notes.push(paragraph);
    else this.#emit({ kind: 'paragraph', paragraph, losses, ...this.#from() });
  }

  #flushLater(): void {
    const later = this.#later;
    this.#later = [];
    for (const piece of later) this.#emit(piece);
  }

  #from(): { origin?: Origin } {
    return this.#origin === undefined ? {} : { origin: this.#origin };
  }

  #lost(of: 'object' | 'image' | 'field' | 'slide', loss: PieceLoss): void {
    this.#later.push({ kind: 'lost', of, losses: [loss], ...this.#from() });
  }

  #styled(): void {
    const what = 'the looks that a style sheet gives are those of the deck';
    this.#lost('slide', { code: 'STYLE_APPROXIMATED', what });
  }

  /** The box of a task is a sign; other fields are what nobody filled in yet. */
  #field(name: string, attributes: ReadonlyMap<string, string>): void {
    const type = (attributes.get('type') ?? 'text').toLowerCase();
    if (type === 'hidden') return;
    if (type === 'checkbox') this.#runs.push({ text: attributes.has('checked') ? '☑ ' : '☐ ' });
    else {
      const what = `a field of a form (${name === 'select' ? name : type}) is not kept`;
      this.#lost('field', { code: 'FORM_FIELD_DROPPED', what, text: attributes.get('value') });
    }
  }

  /** Only what the page brings itself: nothing is fetched. */
  #image(attributes: ReadonlyMap<string, string>): void {
    const alt = cleanText(attributes.get('alt') ?? '');
    const source = attributes.get('src') ?? '';
    const data = /^data:image\/[\w.+-]+;base64,([A-Za-z0-9+/=\s]+)$/.exec(source);
    const image = data === null ? null : imageOf(Buffer.from(data[1]!, 'base64'));
    if (image === null) {
      if (alt !== '') this.#runs.push({ text: `[${alt}]`, italic: true });
      const isOwn = source.startsWith('data:');
      this.#lost('image', {
        code: isOwn ? 'IMAGE_FORMAT_DROPPED' : 'IMAGE_EXTERNAL_DROPPED',
        what: isOwn
          ? 'a picture in a format that a deck does not know is not kept'
          : 'a picture that lies elsewhere is not fetched',
        text: alt,
      });
      return;
    }
    const piece: FlowPiece = { kind: 'image', image, alt, ...this.#from() };
    if (this.#table === null) {
      this.#flush();
      this.#emit(piece);
      return;
    }
    const what = 'a picture in a cell stands below the table';
    this.#later.push({ ...piece, losses: [{ code: 'IMAGE_PLACE_APPROXIMATED', what, text: alt }] });
  }
}
