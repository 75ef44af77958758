import type { Paragraph } from '../deck/deck.ts';
import type { OfficePackage } from './package.ts';
import { attributeOf, childAt, childrenOf, numberOf, type XmlElement } from './xml.ts';

type ListLook = Pick<Paragraph, 'list' | 'numbering'>;

/** What the styles and lists of a document say of its paragraphs. */
export interface WordStyles {
  /** How deep a heading a paragraph is, by its style; 1 for titles. */
  depthOf(properties: XmlElement | null): number | null;
  /** The list that a paragraph is an item of, by itself or by its style, and its level. */
  listOf(properties: XmlElement | null): ListLook & { readonly level: number };
}

interface Numbering {
  readonly id: string;
  readonly level: number;
}

const STYLES_DEEP = 20;
const NONE = { level: 0 };

export function stylesOf(office: OfficePackage, main: string): WordStyles {
  const headings = new Map<string, number>();
  const numbered = new Map<string, Numbering>();
  const lists = listsOf(office, main);
  const part = office.related(main, 'styles');
  const styles = part === null ? [] : childrenOf(office.xml(part), 'style');
  const byId = new Map(styles.map((style) => [attributeOf(style, 'styleId') ?? '', style]));
  for (const [id, style] of byId) {
    const name = attributeOf(childAt(style, 'name'), 'val') ?? '';
    const depth = /^heading ([1-9])$/i.exec(name)?.[1];
    if (/^title$/i.test(name)) headings.set(id, 1);
    else if (depth !== undefined) headings.set(id, Number(depth));
    const numbering = styleNumbering(style, byId);
    if (numbering !== null) numbered.set(id, numbering);
  }
  const styleOf = (properties: XmlElement | null): string =>
    attributeOf(childAt(properties, 'pStyle'), 'val') ?? '';
  return {
    depthOf: (properties) => headings.get(styleOf(properties)) ?? null,
    listOf: (properties) => {
      const styled = numbered.get(styleOf(properties)) ?? null;
      const own = numberingOf(properties, styled);
      if (own === null || own.id === '0') return NONE;
      return { level: own.level, ...(lists.get(`${own.id} ${own.level}`) ?? { list: 'bullet' }) };
    },
  };
}

/** The list of a style, or of those that it is based on. */
function styleNumbering(
  style: XmlElement,
  byId: ReadonlyMap<string, XmlElement>,
): Numbering | null {
  let at: XmlElement | undefined = style;
  for (let depth = 0; at !== undefined && depth < STYLES_DEEP; depth++) {
    const found = numberingOf(childAt(at, 'pPr'), null);
    if (found !== null) return found;
    at = byId.get(attributeOf(childAt(at, 'basedOn'), 'val') ?? '');
  }
  return null;
}

function numberingOf(properties: XmlElement | null, styled: Numbering | null): Numbering | null {
  const numbering = childAt(properties, 'numPr');
  if (numbering === null) return styled;
  const id = attributeOf(childAt(numbering, 'numId'), 'val') ?? styled?.id;
  const level = numberOf(childAt(numbering, 'ilvl'), 'val', styled?.level ?? 0);
  return id === undefined ? null : { id, level: Math.min(8, Math.max(0, Math.trunc(level))) };
}

const NUMBERS: Readonly<Record<string, NonNullable<Paragraph['numbering']>>> = {
  lowerLetter: 'lowerLetter',
  upperLetter: 'upperLetter',
  lowerRoman: 'lowerRoman',
  upperRoman: 'upperRoman',
};
const IN_PARENTHESIS = {
  decimal: 'decimalParenthesis',
  lowerLetter: 'lowerLetterParenthesis',
  upperLetter: 'upperLetterParenthesis',
} as const;

function lookOfLevel(level: XmlElement): ListLook {
  const format = attributeOf(childAt(level, 'numFmt'), 'val') ?? 'decimal';
  if (format === 'bullet') return { list: 'bullet' };
  if (format === 'none') return {};
  const closes = /^[^)]*\)$/.test(attributeOf(childAt(level, 'lvlText'), 'val') ?? '');
  const closed = closes ? IN_PARENTHESIS[format as keyof typeof IN_PARENTHESIS] : undefined;
  const numbering = closed ?? NUMBERS[format];
  return { list: 'number', ...(numbering === undefined ? {} : { numbering }) };
}

/** How each level of each list looks, by the number of the list and the level. */
function listsOf(office: OfficePackage, main: string): ReadonlyMap<string, ListLook> {
  const part = office.related(main, 'numbering');
  const lists = new Map<string, ListLook>();
  if (part === null) return lists;
  const root = office.xml(part);
  const kinds = childrenOf(root, 'abstractNum').map((kind) => {
    const levels = childrenOf(kind, 'lvl').map(
      (level) => [attributeOf(level, 'ilvl') ?? '0', lookOfLevel(level)] as const,
    );
    return [attributeOf(kind, 'abstractNumId') ?? '', levels] as const;
  });
  const byId = new Map(kinds);
  for (const number of childrenOf(root, 'num')) {
    const kind = attributeOf(childAt(number, 'abstractNumId'), 'val') ?? '';
    for (const [level, look] of byId.get(kind) ?? []) {
      lists.set(`${attributeOf(number, 'numId')} ${level}`, look);
    }
  }
  return lists;
}
