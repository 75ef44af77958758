import type { Paragraph, Run } from '../deck/deck.ts';
import { cleanText, plainText, tidyRuns } from '../deck/text.ts';
import { safeLink } from './drawing-text.ts';
import type { FlowPiece, PieceLoss } from './flow.ts';
import type { Relation } from './package.ts';
import { attributeOf, childAt, childrenOf, descendantsOf, type XmlElement } from './xml.ts';

/** What a paragraph may refer to, and where is said what it loses. */
export interface WordText {
  readonly relations: ReadonlyMap<string, Relation>;
  readonly losses: PieceLoss[];
  /** Notes and comments that the text refers to, for after it. */
  readonly later: FlowPiece[];
  readonly footnotes: Footnotes;
}

export interface Footnote {
  readonly paragraphs: readonly XmlElement[];
  /** Those of the part that has the footnotes. */
  readonly relations: WordText['relations'];
}

/** Footnotes, endnotes and comments by their ids. */
export interface Footnotes {
  readonly notes: ReadonlyMap<string, Footnote>;
  readonly comments: ReadonlyMap<string, string>;
  /** How many were met so far. */
  count: number;
}

/** The runs of a paragraph, or of whatever is in one. */
export function runsOf(parent: XmlElement | null, around: WordText): Run[] {
  return tidyRuns(childrenOf(parent).flatMap((child) => runsIn(child, around)));
}

function runsIn(child: XmlElement, around: WordText): Run[] {
  switch (child.localName) {
    case 'r':
      return runOf(child, around);
    case 'hyperlink':
      return linkedRuns(child, around);
    case 'ins':
    case 'moveTo':
      around.losses.push(REVISION);
      return runsOf(child, around);
    case 'del':
    case 'moveFrom':
      around.losses.push({ ...REVISION, text: textIn(child, 'delText') });
      return [];
    case 'sdt':
      return runsOf(childAt(child, 'sdtContent'), around);
    case 'smartTag':
    case 'fldSimple':
    case 'dir':
    case 'bdo':
    case 'customXml':
      return runsOf(child, around);
    case 'oMath':
    case 'oMathPara': {
      const text = textIn(child, 't');
      around.losses.push({
        code: 'MATH_AS_TEXT',
        what: 'a formula is kept as its characters',
        text,
      });
      return [{ text }];
    }
    default:
      return [];
  }
}

const REVISION: PieceLoss = {
  code: 'REVISION_ACCEPTED',
  what: 'tracked changes are kept as if they were accepted',
};

function textIn(element: XmlElement, name: string): string {
  const texts = descendantsOf(element, name).map((one) => one.textContent ?? '');
  return cleanText(texts.join(''));
}

function linkedRuns(element: XmlElement, around: WordText): Run[] {
  const relation = around.relations.get(element.getAttribute('r:id') ?? '');
  const link = relation?.isExternal === true ? safeLink(relation.target) : null;
  const runs = runsOf(element, around);
  if (link !== null) return runs.map((run) => ({ ...run, link }));
  const what = 'a link within the file, or to an unsafe address, is not kept';
  around.losses.push({ code: 'LINK_DROPPED', what, text: plainText(runs) });
  return runs;
}

export function isOn(properties: XmlElement | null, name: string): boolean {
  const element = childAt(properties, name);
  const value = attributeOf(element, 'val');
  return element !== null && !['0', 'false', 'none', 'off'].includes(value ?? '');
}

/** Looks of a run that the deck has its own for. */
const STYLED = ['sz', 'rFonts', 'highlight', 'shd', 'spacing', 'w', 'position'];
/** Looks of letters that no deck has. */
const EFFECTS = ['caps', 'smallCaps', 'outline', 'shadow', 'emboss', 'imprint', 'em'];

function noteLooks(properties: XmlElement | null, text: string, { losses }: WordText): void {
  if (text.trim() === '') return;
  const styled = childrenOf(properties).some(
    (one) => STYLED.includes(one.localName ?? '') && !isPlainGround(one),
  );
  if (styled) {
    const what = 'sizes, fonts and grounds of text are those of the deck';
    losses.push({ code: 'STYLE_APPROXIMATED', what, text });
  }
  if (EFFECTS.some((name) => isOn(properties, name))) {
    losses.push({ code: 'TEXT_EFFECT_DROPPED', what: 'effects of letters are not kept', text });
  }
}

function isPlainGround(element: XmlElement): boolean {
  const fill = attributeOf(element, 'fill') ?? 'auto';
  return element.localName === 'shd' && (fill === 'auto' || /^f{6}$/i.test(fill));
}

function runOf(run: XmlElement, around: WordText): Run[] {
  const properties = childAt(run, 'rPr');
  const text = cleanText(
    childrenOf(run)
      .map((child) => letters(child))
      .join(''),
  );
  noteLooks(properties, text, around);
  const position = attributeOf(childAt(properties, 'vertAlign'), 'val');
  const colour = attributeOf(childAt(properties, 'color'), 'val') ?? '';
  const look: Omit<Run, 'text'> = {
    ...(isOn(properties, 'b') ? { bold: true } : {}),
    ...(isOn(properties, 'i') ? { italic: true } : {}),
    ...(isOn(properties, 'u') ? { underline: true } : {}),
    ...(isOn(properties, 'strike') || isOn(properties, 'dstrike') ? { strike: true } : {}),
    ...(/^[0-9a-f]{6}$/i.test(colour) ? { colour: `#${colour.toUpperCase()}` } : {}),
    ...(position === 'superscript' ? { baseline: 'super' } : {}),
    ...(position === 'subscript' ? { baseline: 'sub' } : {}),
  };
  return [{ text, ...look }, ...ruby(run, around), ...referred(run, around)];
}

function letters(child: XmlElement): string {
  switch (child.localName) {
    case 't':
      return child.textContent ?? '';
    case 'tab':
    case 'ptab':
      return ' ';
    case 'cr':
      return '\n';
    case 'br':
      return attributeOf(child, 'type') === null ? '\n' : '';
    case 'noBreakHyphen':
      return '\u2011';
    case 'sym': {
      const code = Number.parseInt(attributeOf(child, 'char') ?? '', 16);
      return code > 31 && code <= 0xffff ? String.fromCharCode(code) : '';
    }
    default:
      return '';
  }
}

/** What stands above letters tells how they are said; the letters themselves stay. */
function ruby(run: XmlElement, around: WordText): Run[] {
  return childrenOf(run, 'ruby').flatMap((one) => {
    const what = 'what is written above letters is not kept';
    const text = descendantsOf(childAt(one, 'rt'), 't').map((part) => part.textContent ?? '');
    around.losses.push({ code: 'TEXT_EFFECT_DROPPED', what, text: text.join('') });
    return runsOf(childAt(one, 'rubyBase'), around);
  });
}

/** The signs of footnotes; their texts, and comments, come after the paragraph. */
function referred(run: XmlElement, around: WordText): Run[] {
  return childrenOf(run).flatMap((child): Run[] => {
    const { footnotes, later } = around;
    const id = attributeOf(child, 'id') ?? '';
    if (child.localName === 'commentReference') {
      const text = footnotes.comments.get(id);
      const what = 'a comment of a reviewer is not kept';
      later.push({
        kind: 'lost',
        of: 'comment',
        losses: [{ code: 'COMMENT_DROPPED', what, text }],
      });
    }
    if (child.localName !== 'footnoteReference' && child.localName !== 'endnoteReference')
      return [];
    const found = footnotes.notes.get(`${child.localName.slice(0, -9)} ${id}`);
    if (found === undefined) return [];
    const number = String(++footnotes.count);
    const paragraphs = found.paragraphs.map((one, index): Paragraph => {
      const runs = runsOf(one, { ...around, relations: found.relations });
      return { level: 0, runs: index === 0 ? [{ text: `${number} ` }, ...runs] : runs };
    });
    const what = 'a footnote is kept in the notes of the slide';
    const text = paragraphs.map(({ runs }) => plainText(runs)).join(' ');
    later.push({
      kind: 'notes',
      paragraphs,
      losses: [{ code: 'FOOTNOTE_AS_NOTES', what, text }],
    });
    return [{ text: number, baseline: 'super' }];
  });
}
