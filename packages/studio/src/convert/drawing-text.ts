import type { Paragraph, Run } from '../deck/deck.ts';
import type { ElementLedger } from '../deck/losses.ts';
import { cleanText, tidyRuns } from '../deck/text.ts';
import { familyOf } from '../draw/face.ts';
import { colourIn } from './drawing-colour.ts';
import {
  alignOf,
  directionOf,
  indentIn,
  listIn,
  type Listed,
  spacingOf,
} from './drawing-paragraph.ts';
import type { Scheme } from './office-theme.ts';
import type { Relation } from './package.ts';
import {
  attributeOf,
  childAt,
  childrenOf,
  descendantsOf,
  numberOf,
  type XmlElement,
} from './xml.ts';

/** What text of a shape is read with. */
export interface TextContext {
  readonly scheme: Scheme;
  readonly relations: ReadonlyMap<string, Relation>;
  /** List styles from the nearest to the farthest: the first that speaks of a level counts. */
  readonly listStyles: readonly (XmlElement | null)[];
  readonly ledger: ElementLedger;
  /** Null: only words and their looks are read, not what they inherit. */
  readonly exact: ExactText | null;
}

/** What text takes its size, colour and font from where nothing nearer says it. */
export interface ExactText {
  /** The fonts of the theme, for names such as +mn-lt. */
  readonly fonts: { readonly heading: string; readonly body: string };
  readonly isHeading: boolean;
  /** The colour that the style of a shape gives to its text. */
  readonly colour: Pick<Run, 'colour' | 'theme'> | null;
  /** What text of this slide has anyway. */
  readonly usualColour: string;
  /** By how much the program made text smaller to fit. */
  readonly scale: number;
  /** How much of the space between lines it took away. */
  readonly lineReduction: number;
}

const LEVEL_MAX = 8;
const SIZE_USUAL = 18;

/** The paragraphs of a `txBody`. */
export function paragraphsOf(body: XmlElement | null, around: TextContext): Paragraph[] {
  const listStyles = [childAt(body, 'lstStyle'), ...around.listStyles];
  return childrenOf(body, 'p').map((paragraph) => {
    const properties = childAt(paragraph, 'pPr');
    const level = Math.min(LEVEL_MAX, Math.max(0, Math.trunc(numberOf(properties, 'lvl', 0))));
    const chain = [properties, ...listStyles.map((style) => childAt(style, `lvl${level + 1}pPr`))];
    const runs = tidyRuns(childrenOf(paragraph).flatMap((child) => runsOf(child, chain, around)));
    const listed = listIn(chain, around.ledger);
    if (around.exact === null)
      return plainParagraph(level, listed, { align: alignOf([properties]), runs });
    return exactParagraph({ level, listed, chain, runs, exact: around.exact });
  });
}

function plainParagraph(
  level: number,
  { list }: Listed,
  { align, runs }: { align: Paragraph['align'] | null; runs: Run[] },
): Paragraph {
  return {
    level,
    ...(list === undefined ? {} : { list }),
    ...(align === null || align === undefined ? {} : { align }),
    runs,
  };
}

function exactParagraph(of: {
  level: number;
  listed: Listed;
  chain: readonly (XmlElement | null)[];
  runs: Run[];
  exact: ExactText;
}): Paragraph {
  const { level, listed, chain, runs, exact } = of;
  const align = alignOf(chain);
  const direction = directionOf(chain);
  const size = Math.max(0, ...runs.map((run) => run.size ?? 0)) || SIZE_USUAL;
  return {
    level,
    ...listed,
    ...(align === null ? {} : { align }),
    ...(direction === null ? {} : { direction }),
    spacing: spacingOf(chain, { size, ...exact }),
    ...indentIn(chain, { level, isListed: listed.list !== undefined, scale: exact.scale }),
    runs,
  };
}

type Chain = readonly (XmlElement | null)[];

function runsOf(element: XmlElement, chain: Chain, around: TextContext): Run[] {
  switch (element.localName) {
    case 'br':
      return [{ text: '\n' }];
    case 'r':
    case 'fld':
      return [runOf(element, chain, around)];
    case 'm':
    case 'AlternateContent': {
      const text = descendantsOf(element, 't').map((one) => one.textContent ?? '');
      if (text.length === 0) return [];
      const joined = cleanText(text.join(''));
      around.ledger.lose('MATH_AS_TEXT', 'a formula is kept as its characters', joined);
      return [{ text: joined }];
    }
    default:
      return [];
  }
}

function isOn(value: string | null): boolean {
  return value !== null && !['0', 'false', 'none', 'noStrike'].includes(value);
}

/** The properties of a run, its own first, then what its paragraph and its shape inherit. */
function runChain(element: XmlElement, chain: Chain, isExact: boolean): Chain {
  const own = childAt(element, 'rPr');
  if (!isExact) return [own];
  const [, ...inherited] = chain;
  return [own, ...inherited.map((level) => childAt(level, 'defRPr'))];
}

function firstOf(chain: Chain, name: string): string | null {
  for (const one of chain) {
    const value = attributeOf(one, name);
    if (value !== null) return value;
  }
  return null;
}

function runOf(element: XmlElement, chain: Chain, around: TextContext): Run {
  const { exact } = around;
  const properties = runChain(element, chain, exact !== null);
  const own = properties[0] ?? null;
  const text = cleanText(childAt(element, 't')?.textContent ?? '');
  const link = linkOf(own, around, text);
  const font = fontOf(properties, around);
  const isCode = font !== null && familyOf(font) === 'mono';
  noteEffects(own, around.ledger, text);
  return {
    // A line feed in the text itself is what some programs write for a break.
    text,
    ...(isOn(firstOf(properties, 'b')) ? { bold: true } : {}),
    ...(isOn(firstOf(properties, 'i')) ? { italic: true } : {}),
    ...(isOn(firstOf(properties, 'u')) && link === null ? { underline: true } : {}),
    ...(isOn(firstOf(properties, 'strike')) ? { strike: true } : {}),
    ...(isCode ? { code: true } : {}),
    ...(link === null ? colourOf(properties, around) : { link }),
    ...(exact === null ? {} : exactLooks(properties, exact, isCode ? null : font)),
  };
}

function exactLooks(
  properties: Chain,
  { fonts, isHeading, scale }: ExactText,
  font: string | null,
): Partial<Run> {
  const size = Number(firstOf(properties, 'sz') ?? SIZE_USUAL * 100) / 100;
  const baseline = Number(firstOf(properties, 'baseline') ?? 0);
  const language = firstOf(properties.slice(0, 1), 'lang');
  const usual = isHeading ? fonts.heading : fonts.body;
  const scaled = Math.round(Math.min(4_000, Math.max(1, (size || SIZE_USUAL) * scale)) * 10) / 10;
  return {
    size: scaled,
    ...(font === null || font === usual ? {} : { font: font.slice(0, 128) }),
    ...(language !== null && /^[A-Za-z0-9-]{2,35}$/.test(language) ? { language } : {}),
    ...(baseline > 0 ? { baseline: 'super' } : baseline < 0 ? { baseline: 'sub' } : {}),
  };
}

function fontOf(properties: Chain, { exact }: TextContext): string | null {
  for (const one of properties) {
    const name = attributeOf(childAt(one, 'latin'), 'typeface');
    if (name === null || name === '') continue;
    if (!name.startsWith('+')) return name;
    if (exact === null) return null;
    return name.startsWith('+mj') ? exact.fonts.heading : exact.fonts.body;
  }
  return null;
}

function colourOf(
  properties: Chain,
  { scheme, exact }: TextContext,
): Pick<Run, 'colour' | 'theme'> {
  const found = properties.flatMap((one) => {
    const solid = colourIn(childAt(one, 'solidFill'), scheme);
    const gradient = childAt(one, 'gradFill', 'gsLst', 'gs');
    return solid ?? (gradient === null ? [] : (colourIn(gradient, scheme) ?? []));
  });
  const own = colourIn(childAt(properties[0] ?? null, 'solidFill'), scheme);
  const styled = exact === null ? null : exact.colour;
  const { colour, theme } = own ?? styled ?? found[0] ?? {};
  if (colour === undefined || (exact !== null && colour === exact.usualColour)) return {};
  return { colour, ...(theme === undefined || exact === null ? {} : { theme }) };
}

/** Looks of letters that a deck does not know. */
const EFFECTS: Readonly<Record<string, string>> = {
  ln: 'the outline of letters',
  effectLst: 'the effects of letters',
  gradFill: 'the gradient of letters',
  pattFill: 'the pattern of letters',
  blipFill: 'the picture of letters',
  highlight: 'the marker behind letters',
};

function noteEffects(own: XmlElement | null, ledger: ElementLedger, text: string): void {
  for (const child of childrenOf(own)) {
    const what = EFFECTS[child.localName ?? ''];
    if (what === undefined || childrenOf(child).length === 0) continue;
    const isNothing = child.localName === 'ln' && childAt(child, 'noFill') !== null;
    if (!isNothing) ledger.lose('TEXT_EFFECT_DROPPED', `${what} is not kept`, text);
  }
  const caps = attributeOf(own, 'cap');
  if (caps !== null && caps !== 'none') {
    ledger.lose('TEXT_EFFECT_DROPPED', 'capitals by style are not kept', text);
  }
}

function linkOf(properties: XmlElement | null, around: TextContext, text: string): string | null {
  const click = childAt(properties, 'hlinkClick');
  const id = attributeOf(click, 'id');
  if (click === null || (id === '' && attributeOf(click, 'action') === null)) return null;
  const relation = id === null ? undefined : around.relations.get(id);
  const link = relation?.isExternal === true ? safeLink(relation.target) : null;
  if (link === null) {
    around.ledger.lose('LINK_DROPPED', 'a link within the file or an action is not kept', text);
  }
  return link;
}

/** Links that may be followed from a deck; scripts and files may not. */
export function safeLink(target: string): string | null {
  const isSafe = /^(https?:\/\/|mailto:)[^\s\0]+$/i.test(target) && target.length <= 2_048;
  return isSafe ? target.replace(/^[A-Za-z]+/, (scheme) => scheme.toLowerCase()) : null;
}
