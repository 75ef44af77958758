// Fills, lines and shadows of DrawingML, of a shape itself or of the styles of its theme.
import type { Fill, Line, LineEnd, Shadow } from '../deck/look.ts';
import type { ElementLedger } from '../deck/losses.ts';
import { mix } from '../deck/theme.ts';
import { colourIn } from './drawing-colour.ts';
import type { Scheme } from './office-theme.ts';
import { attributeOf, childAt, childrenOf, numberOf, type XmlElement } from './xml.ts';

const EMU = 12_700;

/** What looks are read with. */
export interface LookContext {
  readonly scheme: Scheme;
  readonly theme: XmlElement | null;
  readonly ledger: ElementLedger;
}

const FILLS: ReadonlySet<string> = new Set([
  'noFill',
  'solidFill',
  'gradFill',
  'blipFill',
  'pattFill',
  'grpFill',
]);

/** The element that says how something is filled, if any does. */
export function fillElement(properties: XmlElement | null): XmlElement | null {
  return childrenOf(properties).find(({ localName }) => FILLS.has(localName ?? '')) ?? null;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** A fill; null for none. `placeholder` is the colour that a style of the theme is given. */
export function fillOf(
  fill: XmlElement | null,
  { scheme, ledger }: LookContext,
  placeholder: string | null = null,
): Fill | null {
  switch (fill?.localName) {
    case 'solidFill':
      return colourIn(fill, scheme, placeholder);
    case 'gradFill':
      return gradientOf(fill, { scheme, ledger, placeholder });
    case 'pattFill': {
      ledger.lose('SHAPE_FILL_APPROXIMATED', 'a pattern is filled with its colours mixed');
      return patternOf(fill, scheme);
    }
    default:
      return null;
  }
}

/** How much of a pattern is its lines, where its name does not tell. */
const INK = 0.25;
const INKS: readonly (readonly [RegExp, number])[] = [
  [/^(wd|dkHorz|dkVert|dkUp|dkDn|lgCheck|smCheck|trellis|sphere)/, 0.5],
  [/^(lt|dot|smGrid|lgGrid|divot|wave|zigZag|openDmnd)/, 0.15],
];

function patternOf(fill: XmlElement, scheme: Scheme): Fill | null {
  const front = colourIn(childAt(fill, 'fgClr'), scheme);
  const back = colourIn(childAt(fill, 'bgClr'), scheme);
  if (front === null || back === null) return front ?? back;
  const name = attributeOf(fill, 'prst') ?? '';
  const percent = /^pct(\d+)$/.exec(name)?.[1];
  const ink =
    percent === undefined
      ? (INKS.find(([pattern]) => pattern.test(name))?.[1] ?? INK)
      : Number(percent) / 100;
  return { ...back, colour: mix(back.colour, front.colour, Math.min(1, ink)) };
}

interface GradientContext {
  readonly scheme: Scheme;
  readonly ledger: ElementLedger;
  readonly placeholder: string | null;
}

function gradientOf(fill: XmlElement, of: GradientContext): Fill | null {
  const stops = childrenOf(childAt(fill, 'gsLst'), 'gs')
    .flatMap((stop) => {
      const solid = colourIn(stop, of.scheme, of.placeholder);
      if (solid === null) return [];
      const { colour, opacity } = solid;
      const at = Math.min(1, Math.max(0, numberOf(stop, 'pos', 0) / 100_000));
      return [{ at, colour, ...(opacity === undefined ? {} : { opacity }) }];
    })
    .toSorted((one, other) => one.at - other.at)
    .slice(0, 32);
  if (stops.length === 0) return null;
  if (stops.length === 1) return { colour: stops[0]!.colour };
  if (childAt(fill, 'path') !== null) {
    of.ledger.lose('SHAPE_FILL_APPROXIMATED', 'a gradient around a point runs along a line');
  }
  const turn = numberOf(childAt(fill, 'lin'), 'ang', 5_400_000) / 60_000;
  return { angle: rounded(((turn % 360) + 360) % 360), stops };
}

const DASHES: Readonly<Record<string, NonNullable<Line['dash']>>> = {
  dot: 'dot',
  sysDot: 'dot',
  dash: 'dash',
  sysDash: 'dash',
  lgDash: 'longDash',
  dashDot: 'dashDot',
  sysDashDot: 'dashDot',
  lgDashDot: 'longDashDot',
  lgDashDotDot: 'longDashDotDot',
  sysDashDotDot: 'longDashDotDot',
};

function endOf(end: XmlElement | null): LineEnd | null {
  const head = attributeOf(end, 'type');
  const heads = ['triangle', 'stealth', 'arrow', 'diamond', 'oval'] as const;
  const known = heads.find((one) => one === head);
  if (known === undefined) return null;
  const size = { sm: 'small', lg: 'large' } as const;
  const own = size[(attributeOf(end, 'len') ?? '') as keyof typeof size];
  return { head: known, ...(own === undefined ? {} : { size: own }) };
}

/** The line of an `ln` element over that of the theme's style; null for none. */
export function lineOf(
  line: XmlElement | null,
  style: { readonly line: XmlElement | null; readonly colour: string | null },
  context: LookContext,
): Line | null {
  const fill = fillElement(line) ?? fillElement(style.line);
  if (fill === null || fill.localName === 'noFill') return null;
  const found = fillOf(fill, context, style.colour);
  if (found === null) return null;
  const isGradient = 'stops' in found;
  const kind = attributeOf(line, 'cmpd') ?? attributeOf(style.line, 'cmpd') ?? 'sng';
  if (isGradient || kind !== 'sng') {
    context.ledger.lose('SHAPE_LINE_APPROXIMATED', 'a compound or gradient line is drawn plain');
  }
  const solid = isGradient ? { colour: found.stops[0]!.colour } : found;
  const dash = attributeOf(childAt(line, 'prstDash') ?? childAt(style.line, 'prstDash'), 'val');
  const dashed = childAt(line, 'custDash') === null ? DASHES[dash ?? ''] : 'dash';
  const [start, end] = [endOf(childAt(line, 'headEnd')), endOf(childAt(line, 'tailEnd'))];
  const width = numberOf(line, 'w', numberOf(style.line, 'w', 9_525)) / EMU;
  return {
    ...solid,
    width: rounded(Math.min(1_584, Math.max(0, width))),
    ...(dashed === undefined ? {} : { dash: dashed }),
    ...(start === null ? {} : { start }),
    ...(end === null ? {} : { end }),
  };
}

/** The shadow of an `effectLst`; everything else in it is lost. */
export function shadowOf(
  effects: XmlElement | null,
  { scheme, ledger }: LookContext,
  placeholder: string | null = null,
): Shadow | null {
  let shadow: Shadow | null = null;
  for (const effect of childrenOf(effects)) {
    if (effect.localName !== 'outerShdw') {
      ledger.lose('SHAPE_EFFECT_DROPPED', `the effect ${effect.localName} is not drawn`);
      continue;
    }
    const solid = colourIn(effect, scheme, placeholder) ?? { colour: '#000000' };
    const points = (name: string): number =>
      rounded(Math.min(1_000, Math.max(0, numberOf(effect, name, 0) / EMU)));
    shadow = {
      colour: solid.colour,
      ...(solid.opacity === undefined ? {} : { opacity: solid.opacity }),
      blur: points('blurRad'),
      distance: points('dist'),
      angle: rounded((((numberOf(effect, 'dir', 0) / 60_000) % 360) + 360) % 360),
    };
  }
  return shadow;
}

/** What a shape looks like. */
export interface ShapeLook {
  readonly fill: Fill | null;
  readonly line: Line | null;
  readonly shadow: Shadow | null;
}

function themeStyle(theme: XmlElement | null, list: string, index: number): XmlElement | null {
  const format = childAt(theme, 'themeElements', 'fmtScheme');
  if (index >= 1_000) return childrenOf(childAt(format, 'bgFillStyleLst'))[index - 1_001] ?? null;
  return childrenOf(childAt(format, list))[index - 1] ?? null;
}

/** The look of a shape: its own properties, those it inherits, and the style it refers to. */
export function lookOf(
  properties: readonly (XmlElement | null)[],
  style: XmlElement | null,
  context: LookContext,
): ShapeLook {
  const { scheme, theme } = context;
  const first = <Found>(pick: (one: XmlElement | null) => Found | null): Found | null => {
    for (const one of properties) {
      const found = pick(one);
      if (found !== null) return found;
    }
    return null;
  };
  const reference = (name: string, list: string) => {
    const element = childAt(style, name);
    return {
      colour: colourIn(element, scheme)?.colour ?? null,
      style: themeStyle(theme, list, numberOf(element, 'idx', 0)),
    };
  };
  const [fills, lines, effects] = [
    reference('fillRef', 'fillStyleLst'),
    reference('lnRef', 'lnStyleLst'),
    reference('effectRef', 'effectStyleLst'),
  ];
  const ownFill = first(fillElement);
  const ownEffects = first((one) => childAt(one, 'effectLst') ?? childAt(one, 'effectDag'));
  if (first((one) => childAt(one, 'sp3d') ?? childAt(one, 'scene3d')) !== null) {
    context.ledger.lose('SHAPE_EFFECT_DROPPED', 'depth and bevels are not drawn');
  }
  return {
    fill: ownFill === null ? fillOf(fills.style, context, fills.colour) : fillOf(ownFill, context),
    line: lineOf(
      first((one) => childAt(one, 'ln')),
      { line: lines.style, colour: lines.colour },
      context,
    ),
    shadow: shadowOf(
      ownEffects ?? childAt(effects.style, 'effectLst'),
      context,
      ownEffects === null ? effects.colour : null,
    ),
  };
}
