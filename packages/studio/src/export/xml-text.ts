// Text of a deck as DrawingML.
import type { Paragraph, Run, TextBlock } from '../deck/deck.ts';
import { plainText } from '../deck/text.ts';
import { hasRightToLeft } from '../draw/bidi.ts';
import { indentOf } from '../draw/wrap.ts';
import { colourXml, emu } from './xml-look.ts';
import { element, escaped, valued } from './xml.ts';

/** Keeps the addresses of a slide, and gives each the id it is referred to by. */
export type LinkId = (address: string) => string;

/** What text has that its runs do not name. */
export interface TextLook {
  readonly size: (level: number) => number;
  readonly colour: string | null;
  readonly bold: boolean;
  readonly link: LinkId;
}

/** Fonts of the look of code, which every office program has. */
const CODE_FONT = 'Courier New';

function runXml(run: Run, level: number, look: TextLook): string {
  const size = Math.round((run.size ?? look.size(level)) * 100);
  const raised = run.baseline === 'super' ? 30_000 : -25_000;
  const attributes = {
    lang: run.language ?? 'en-US',
    sz: Math.min(400_000, Math.max(100, size)),
    b: look.bold || run.bold === true ? 1 : 0,
    i: run.italic === true ? 1 : null,
    u: run.underline === true ? 'sng' : null,
    strike: run.strike === true ? 'sngStrike' : null,
    baseline: run.baseline === undefined ? null : raised,
    dirty: 0,
  };
  const typeface = run.font ?? (run.code === true ? CODE_FONT : null);
  const faces =
    typeface === null ? [] : ['a:latin', 'a:cs'].map((one) => element(one, { typeface }));
  const link =
    run.link === undefined ? '' : element('a:hlinkClick', { 'r:id': look.link(run.link) });
  const properties = element('a:rPr', attributes, runFill(run, look), ...faces, link);
  return run.text
    .split('\n')
    .map((text) => element('a:r', {}, properties, element('a:t', {}, escaped(text))))
    .join('<a:br/>');
}

/** Links have the colour that programs give to links. */
function runFill({ colour, theme, link }: Run, look: TextLook): string {
  const own = colour ?? look.colour;
  if (own === null || link !== undefined) return '';
  const named = colour === undefined || theme === undefined ? {} : { theme };
  return element('a:solidFill', {}, colourXml({ colour: own, ...named }));
}

const NUMBERINGS: Readonly<Record<NonNullable<Paragraph['numbering']>, string>> = {
  decimal: 'arabicPeriod',
  decimalParenthesis: 'arabicParenR',
  lowerLetter: 'alphaLcPeriod',
  lowerLetterParenthesis: 'alphaLcParenR',
  upperLetter: 'alphaUcPeriod',
  upperLetterParenthesis: 'alphaUcParenR',
  lowerRoman: 'romanLcPeriod',
  upperRoman: 'romanUcPeriod',
};

function bulletXml({ list, marker, numbering, start }: Paragraph): string {
  if (list === undefined) return '<a:buNone/>';
  if (list === 'bullet') return element('a:buChar', { char: marker ?? '•' });
  return element('a:buAutoNum', { type: NUMBERINGS[numbering ?? 'decimal'], startAt: start });
}

const ALIGNS = { left: 'l', center: 'ctr', right: 'r', justify: 'just' } as const;

/** Lines of a deck are a little higher than those of office programs. */
const LINE = 0.97;

function spacingXml({ spacing }: Paragraph, size: number): string {
  const points = (name: string, value: number): string =>
    element(name, {}, valued('a:spcPts', Math.round(Math.min(158_400, value * 100))));
  if (spacing === undefined) return points('a:spcBef', Math.round(size * 0.3));
  const share = Math.round(((spacing.line ?? LINE) / LINE) * 1000) * 100;
  const line = element('a:lnSpc', {}, valued('a:spcPct', share));
  const room = points('a:spcBef', spacing.before ?? 0) + points('a:spcAft', spacing.after ?? 0);
  return (spacing.line === undefined ? '' : line) + room;
}

/** Office programs take no direction from the letters: it is written where previews do. */
function beginsRightToLeft(text: string): boolean {
  return hasRightToLeft(/\p{L}/u.exec(text)?.[0] ?? '');
}

export function paragraphXml(paragraph: Paragraph, look: TextLook): string {
  const { level, align, direction, indent, list, runs } = paragraph;
  const size = runs.find((run) => run.size !== undefined)?.size ?? look.size(level);
  const hanging = list === undefined ? 0 : size * 1.06;
  const isTurned = direction === undefined && beginsRightToLeft(plainText(runs));
  const attributes = {
    marL: emu(indent?.left ?? indentOf(paragraph, size)),
    indent: emu(indent?.first ?? -hanging),
    lvl: level > 0 ? level : null,
    algn: align === undefined ? (isTurned ? ALIGNS.right : null) : ALIGNS[align],
    rtl: direction === 'rtl' || isTurned ? 1 : null,
  };
  const looks = spacingXml(paragraph, size) + bulletXml(paragraph);
  const text = runs.map((run) => runXml(run, level, look));
  const end = element('a:endParaRPr', { lang: 'en-US', sz: Math.round(size * 100) });
  const properties = element('a:pPr', attributes, looks);
  return element('a:p', {}, properties, ...text, runs.length === 0 ? end : '');
}

const ANCHORS = { top: 't', middle: 'ctr', bottom: 'b' } as const;

type Standing = Pick<TextBlock, 'anchor' | 'inset' | 'upright' | 'wrap'>;

/** How text stands in its box; ours keeps no distance from its edges. */
export function bodyXml({ anchor, inset, upright, wrap }: Standing): string {
  const { left = 0, top = 0, right = 0, bottom = 0 } = inset ?? {};
  const turned = upright === undefined ? null : upright === 90 ? 'vert' : 'vert270';
  const attributes = {
    vert: turned,
    wrap: wrap === false ? 'none' : 'square',
    lIns: emu(left),
    tIns: emu(top),
    rIns: emu(right),
    bIns: emu(bottom),
    rtlCol: 0,
    anchor: ANCHORS[anchor ?? 'top'],
  };
  return `${element('a:bodyPr', attributes, '<a:noAutofit/>')}<a:lstStyle/>`;
}
