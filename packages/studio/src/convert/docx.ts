import { cleanText, plainText } from '../deck/text.ts';
import { piecesOfDrawing, drawingsIn, textBoxesIn } from './docx-drawing.ts';
import { stylesOf, type WordStyles } from './docx-style.ts';
import { tableOf } from './docx-table.ts';
import { type Footnote, type Footnotes, isOn, runsOf, type WordText } from './docx-text.ts';
import type { OpenSource } from './draft.ts';
import { FlowPages, type FlowPiece, flowReader, type PieceLoss } from './flow.ts';
import { type OfficePackage, openPackage, type Relation } from './package.ts';
import { refuse } from './refusal.ts';
import {
  attributeOf,
  childAt,
  childrenOf,
  descendantsOf,
  numberOf,
  type XmlElement,
} from './xml.ts';

interface Word {
  readonly office: OfficePackage;
  readonly relations: ReadonlyMap<string, Relation>;
  readonly styles: WordStyles;
  readonly pages: FlowPages;
  readonly main: string;
  readonly footnotes: Footnotes;
  /** Headers and footers that were met. */
  readonly met: Set<string>;
}

/** Opens a document of Word and its likes: headings begin slides. */
export const openDocx: OpenSource = async (bytes, { name }) => {
  const { office, main } = await openPackage(bytes);
  const root = office.xml(main);
  const body = childAt(root, 'body');
  if (body === null) throw refuse('CONVERT_CORRUPTED', 'the document has no body');
  const word: Word = {
    office,
    relations: office.relationsOf(main),
    styles: stylesOf(office, main),
    pages: new FlowPages(),
    main,
    footnotes: footnotesOf(office, main),
    met: new Set(),
  };
  if (childAt(root, 'background') !== null) {
    const what = 'the ground of the pages is that of the deck';
    addLost(word, 'background', { code: 'BACKGROUND_APPROXIMATED', what });
  }
  for (const element of childrenOf(body)) addElement(word, element);
  return flowReader(word.pages, (name ?? '').replace(/\.\w+$/, ''));
};

function footnotesOf(office: OfficePackage, main: string): Footnotes {
  const found = new Map<string, Footnote>();
  for (const kind of ['footnote', 'endnote']) {
    const part = office.related(main, `${kind}s`);
    const notes = part === null ? [] : childrenOf(office.xml(part), kind);
    const relations = part === null ? new Map() : office.relationsOf(part);
    for (const note of notes) {
      const paragraphs = childrenOf(note, 'p');
      found.set(`${kind} ${attributeOf(note, 'id') ?? ''}`, { paragraphs, relations });
    }
  }
  const part = office.related(main, 'comments');
  const comments = part === null ? [] : childrenOf(office.xml(part), 'comment');
  const texts = comments.map((one) => [attributeOf(one, 'id') ?? '', textOf(one)] as const);
  return { notes: found, comments: new Map(texts), count: 0 };
}

function textOf(element: XmlElement): string {
  const texts = descendantsOf(element, 't').map((one) => one.textContent ?? '');
  return cleanText(texts.join(''));
}

function addLost(
  { pages, main }: Word,
  of: Extract<FlowPiece, { kind: 'lost' }>['of'],
  loss: PieceLoss,
): void {
  pages.add({ kind: 'lost', of, losses: [loss], origin: { part: main } });
}

function addElement(word: Word, element: XmlElement, losses: readonly PieceLoss[] = []): void {
  switch (element.localName ?? '') {
    case 'tbl':
      addTable(word, element, losses);
      return;
    case 'sdt':
      for (const child of childrenOf(childAt(element, 'sdtContent')))
        addElement(word, child, losses);
      return;
    case 'customXml':
    case 'ins':
    case 'moveTo':
      for (const child of childrenOf(element)) addElement(word, child, losses);
      return;
    case 'p':
      addParagraph(word, element, losses);
      return;
    case 'altChunk':
      addLost(word, 'object', {
        code: 'OBJECT_DROPPED',
        what: 'a file that is embedded as text is not kept',
      });
      return;
    case 'sectPr':
      noteSection(word, element);
  }
}

function textAround({ relations, footnotes }: Word, losses: readonly PieceLoss[]): WordText {
  return { relations, footnotes, losses: [...losses], later: [] };
}

function addTable(word: Word, element: XmlElement, losses: readonly PieceLoss[]): void {
  const around = textAround(word, losses);
  const { pages, styles } = word;
  const origin = { part: word.main };
  const later: FlowPiece[] = [];
  const piece = tableOf(element, {
    losses: around.losses,
    isItem: (paragraph) => styles.listOf(childAt(paragraph, 'pPr')).list !== undefined,
    runsOf: (paragraph) => {
      for (const drawing of drawingsIn(paragraph)) {
        later.push(...piecesOfDrawing(drawing, word));
        around.losses.push(...textBoxesIn(drawing).map(() => BOX));
      }
      return [
        ...runsOf(paragraph, around),
        ...drawingsIn(paragraph).flatMap((drawing) =>
          textBoxesIn(drawing)
            .flatMap((box) => childrenOf(box, 'p'))
            .flatMap((one) => [{ text: '\n' }, ...runsOf(one, around)]),
        ),
      ];
    },
  });
  if (piece !== null) pages.add({ ...piece, origin });
  for (const one of later) pages.add({ ...inCell(one), origin });
  for (const one of around.later) pages.add({ ...one, origin });
}

function inCell(piece: FlowPiece): FlowPiece {
  if (piece.kind === 'lost') return piece;
  const what = 'a picture in a cell stands below the table';
  const loss: PieceLoss = { code: 'IMAGE_PLACE_APPROXIMATED', what };
  return { ...piece, losses: [...(piece.losses ?? []), loss] };
}

const BOX: PieceLoss = {
  code: 'TEXT_BOX_AS_TEXT',
  what: 'a box of text stands in the text as paragraphs',
};

const ALIGN = { center: 'center', right: 'right', end: 'right', both: 'justify' } as const;

function addParagraph(word: Word, element: XmlElement, losses: readonly PieceLoss[]): void {
  const { pages, styles } = word;
  const origin = { part: word.main };
  const breaks = descendantsOf(element, 'br');
  if (breaks.some((one) => attributeOf(one, 'type') === 'page'))
    pages.add({ kind: 'break', origin });
  const properties = childAt(element, 'pPr');
  const around = textAround(word, losses);
  const runs = runsOf(element, around);
  noteParagraph(properties, plainText(runs), around);
  const depth = styles.depthOf(properties);
  if (depth !== null && runs.length > 0) {
    pages.add({ kind: 'heading', depth, runs, origin, losses: around.losses });
  } else {
    const align = ALIGN[(attributeOf(childAt(properties, 'jc'), 'val') ?? '') as 'center'];
    const isRtl = isOn(properties, 'bidi');
    const paragraph = {
      ...styles.listOf(properties),
      ...(align === undefined ? {} : { align }),
      ...(isRtl ? { direction: 'rtl' as const } : {}),
      runs,
    };
    pages.add({ kind: 'paragraph', paragraph, origin, losses: around.losses });
  }
  for (const drawing of drawingsIn(element)) addDrawing(word, drawing);
  for (const piece of around.later) pages.add({ ...piece, origin });
  const section = childAt(properties, 'sectPr');
  if (section !== null) noteSection(word, section);
}

function noteParagraph(properties: XmlElement | null, text: string, { losses }: WordText): void {
  const isFramed = ['pBdr', 'shd', 'framePr'].some((name) => childAt(properties, name) !== null);
  if (!isFramed || text.trim() === '') return;
  const what = 'borders and grounds of paragraphs are not kept';
  losses.push({ code: 'STYLE_APPROXIMATED', what, text });
}

function addDrawing(word: Word, drawing: XmlElement): void {
  const origin = { part: word.main };
  for (const piece of piecesOfDrawing(drawing, word)) word.pages.add({ ...piece, origin });
  for (const box of textBoxesIn(drawing)) {
    for (const child of childrenOf(box)) addElement(word, child, [BOX]);
  }
}

/** Headers and footers, each once, and columns. */
function noteSection(word: Word, section: XmlElement): void {
  const { office, relations, met } = word;
  for (const one of childrenOf(section)) {
    if (one.localName !== 'headerReference' && one.localName !== 'footerReference') continue;
    const part = relations.get(one.getAttribute('r:id') ?? '')?.target;
    if (part === undefined || met.has(part) || !office.has(part)) continue;
    met.add(part);
    const root = office.xml(part);
    const text = textOf(root);
    if (text.trim() === '' && drawingsIn(root).length === 0) continue;
    const what = 'a header or footer is not kept';
    addLost(word, 'footer', { code: 'HEADER_FOOTER_DROPPED', what, text });
  }
  if (numberOf(childAt(section, 'cols'), 'num', 1) > 1) {
    const what = 'columns of the page are kept as one';
    addLost(word, 'slide', { code: 'TEXT_COLUMNS_DROPPED', what });
  }
}
