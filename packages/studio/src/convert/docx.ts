import type { Cell, Paragraph, Run } from '../deck/deck.ts';
import { cleanText, tidyRuns } from '../deck/text.ts';
import type { OpenSource } from './draft.ts';
import { safeLink } from './drawing-text.ts';
import { FlowPages, flowReader } from './flow.ts';
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
  /** How deep a heading each style is; 0 for titles. */
  readonly headings: ReadonlyMap<string, number>;
  /** The kind of list, by its number and level. */
  readonly lists: ReadonlyMap<string, NonNullable<Paragraph['list']>>;
  readonly pages: FlowPages;
  readonly part: string;
}

/** Opens a document of Word and its likes: headings begin slides. */
export const openDocx: OpenSource = async (bytes, name) => {
  const { office, main } = await openPackage(bytes);
  const body = childAt(office.xml(main), 'body');
  if (body === null) throw refuse('CONVERT_CORRUPTED', 'the document has no body');
  const word: Word = {
    office,
    relations: office.relationsOf(main),
    headings: headingsOf(office, main),
    lists: listsOf(office, main),
    pages: new FlowPages(),
    part: main,
  };
  for (const element of childrenOf(body)) addElement(word, element);
  return flowReader(word.pages, (name ?? '').replace(/\.\w+$/, ''));
};

function headingsOf(office: OfficePackage, main: string): Map<string, number> {
  const part = office.related(main, 'styles');
  const headings = new Map<string, number>();
  if (part === null) return headings;
  for (const style of childrenOf(office.xml(part), 'style')) {
    const name = attributeOf(childAt(style, 'name'), 'val') ?? '';
    const depth = /^heading ([1-9])$/i.exec(name)?.[1];
    const id = attributeOf(style, 'styleId') ?? '';
    if (/^title$/i.test(name)) headings.set(id, 1);
    else if (depth !== undefined) headings.set(id, Number(depth));
  }
  return headings;
}

function listsOf(office: OfficePackage, main: string): Map<string, NonNullable<Paragraph['list']>> {
  const part = office.related(main, 'numbering');
  const lists = new Map<string, NonNullable<Paragraph['list']>>();
  if (part === null) return lists;
  const root = office.xml(part);
  const kinds = childrenOf(root, 'abstractNum').map((kind) => {
    const levels = childrenOf(kind, 'lvl').map((level) => [
      attributeOf(level, 'ilvl') ?? '0',
      attributeOf(childAt(level, 'numFmt'), 'val') === 'bullet' ? 'bullet' : 'number',
    ]);
    return [attributeOf(kind, 'abstractNumId') ?? '', levels] as const;
  });
  const byId = new Map(kinds);
  for (const number of childrenOf(root, 'num')) {
    const kind = attributeOf(childAt(number, 'abstractNumId'), 'val') ?? '';
    for (const [level, list] of byId.get(kind) ?? []) {
      const key = `${attributeOf(number, 'numId')} ${level}`;
      lists.set(key, list === 'bullet' ? 'bullet' : 'number');
    }
  }
  return lists;
}

function addElement(word: Word, element: XmlElement): void {
  const { pages } = word;
  const origin = { part: word.part };
  if (element.localName === 'tbl') {
    const rows = childrenOf(element, 'tr').map((row) =>
      childrenOf(row, 'tc').map((cell): Cell => ({ runs: cellRuns(word, cell) })),
    );
    const first = childAt(element, 'tr');
    const isHeader = childAt(first, 'trPr', 'tblHeader') !== null || isLookHeader(element);
    if (rows.length > 0) pages.add({ kind: 'table', header: isHeader, rows, origin });
  } else if (element.localName === 'sdt') {
    for (const child of childrenOf(childAt(element, 'sdtContent'))) addElement(word, child);
  } else if (element.localName === 'p') addParagraph(word, element);
}

function isLookHeader(table: XmlElement): boolean {
  const look = childAt(table, 'tblPr', 'tblLook');
  return attributeOf(look, 'firstRow') === '1';
}

function cellRuns(word: Word, cell: XmlElement): Run[] {
  return childrenOf(cell, 'p').flatMap((paragraph, index) => [
    ...(index > 0 ? [{ text: '\n' }] : []),
    ...runsOf(word, paragraph),
  ]);
}

function addParagraph(word: Word, element: XmlElement): void {
  const { pages } = word;
  const origin = { part: word.part };
  const breaks = descendantsOf(element, 'br');
  if (breaks.some((one) => attributeOf(one, 'type') === 'page'))
    pages.add({ kind: 'break', origin });
  const properties = childAt(element, 'pPr');
  const style = attributeOf(childAt(properties, 'pStyle'), 'val') ?? '';
  const depth = word.headings.get(style);
  const runs = runsOf(word, element);
  if (depth !== undefined && runs.length > 0) pages.add({ kind: 'heading', depth, runs, origin });
  else {
    const numbering = childAt(properties, 'numPr');
    const level = Math.min(
      8,
      Math.max(0, Math.trunc(numberOf(childAt(numbering, 'ilvl'), 'val', 0))),
    );
    const id = attributeOf(childAt(numbering, 'numId'), 'val');
    const list =
      id === null || id === '0' ? undefined : (word.lists.get(`${id} ${level}`) ?? 'bullet');
    const paragraph = { level, ...(list === undefined ? {} : { list }), runs };
    pages.add({ kind: 'paragraph', paragraph, origin });
  }
  addImages(word, element);
}

function addImages({ office, relations, pages, part }: Word, element: XmlElement): void {
  for (const drawing of descendantsOf(element, 'drawing')) {
    const blip = descendantsOf(drawing, 'blip')[0];
    const id = blip?.getAttribute('r:embed') ?? '';
    const relation = relations.get(id);
    if (relation === undefined || relation.isExternal || !office.has(relation.target)) continue;
    const image = office.image(relation.target);
    const alt = attributeOf(descendantsOf(drawing, 'docPr')[0] ?? null, 'descr') ?? '';
    if (image !== null) pages.add({ kind: 'image', image, alt: cleanText(alt), origin: { part } });
  }
}

function runsOf(word: Word, paragraph: XmlElement): Run[] {
  const runs = childrenOf(paragraph).flatMap((child): Run[] => {
    switch (child.localName) {
      case 'r':
        return [runOf(child)];
      case 'hyperlink': {
        const relation = word.relations.get(child.getAttribute('r:id') ?? '');
        const link = relation?.isExternal === true ? safeLink(relation.target) : null;
        return childrenOf(child, 'r').map((run) => ({
          ...runOf(run),
          ...(link === null ? {} : { link }),
        }));
      }
      case 'ins':
      case 'smartTag':
        return runsOf(word, child);
      default:
        return [];
    }
  });
  return tidyRuns(runs);
}

function isOn(properties: XmlElement | null, name: string): boolean {
  const element = childAt(properties, name);
  const value = attributeOf(element, 'val');
  return element !== null && !['0', 'false', 'none', 'off'].includes(value ?? '');
}

function runOf(run: XmlElement): Run {
  const properties = childAt(run, 'rPr');
  const text = childrenOf(run).map((child) => {
    if (child.localName === 't') return child.textContent ?? '';
    if (child.localName === 'tab') return ' ';
    const isLine = child.localName === 'br' && attributeOf(child, 'type') === null;
    return isLine || child.localName === 'cr' ? '\n' : '';
  });
  return {
    text: cleanText(text.join('')),
    ...(isOn(properties, 'b') ? { bold: true } : {}),
    ...(isOn(properties, 'i') ? { italic: true } : {}),
    ...(isOn(properties, 'u') ? { underline: true } : {}),
    ...(isOn(properties, 'strike') ? { strike: true } : {}),
  };
}
