// Looks of a deck as DrawingML.
import type { Box } from '../deck/deck.ts';
import type { Fill, Geometry, Line, LineEnd, Shadow, Solid, ThemeColour } from '../deck/look.ts';
import { outlineOf, type Step } from '../deck/outline.ts';
import { element, valued } from './xml.ts';

const EMU = 12_700;
const DEGREE = 60_000;

/** A number of points in the unit of office files. */
export function emu(points: number): number {
  return Math.round(points * EMU);
}

const NAMES: Readonly<Record<ThemeColour, string>> = {
  text: 'tx1',
  background: 'bg1',
  text2: 'tx2',
  background2: 'bg2',
  accent1: 'accent1',
  accent2: 'accent2',
  accent3: 'accent3',
  accent4: 'accent4',
  accent5: 'accent5',
  accent6: 'accent6',
  link: 'hlink',
  visited: 'folHlink',
};

/** A colour, by its name in the theme where it has one. */
export function colourXml({ colour, theme, opacity }: Solid): string {
  const alpha = opacity === undefined ? '' : valued('a:alpha', Math.round(opacity * 100_000));
  return theme === undefined
    ? element('a:srgbClr', { val: colour.slice(1) }, alpha)
    : element('a:schemeClr', { val: NAMES[theme] }, alpha);
}

export function fillXml(fill: Fill | undefined): string {
  if (fill === undefined) return '<a:noFill/>';
  if (!('stops' in fill)) return element('a:solidFill', {}, colourXml(fill));
  const stops = fill.stops.map(({ at, ...solid }) =>
    element('a:gs', { pos: Math.round(at * 100_000) }, colourXml(solid)),
  );
  const line = element('a:lin', { ang: Math.round(fill.angle * DEGREE), scaled: 0 });
  return element('a:gradFill', { rotWithShape: 1 }, element('a:gsLst', {}, ...stops), line);
}

const DASHES: Readonly<Record<NonNullable<Line['dash']>, string>> = {
  dot: 'sysDot',
  dash: 'dash',
  longDash: 'lgDash',
  dashDot: 'dashDot',
  longDashDot: 'lgDashDot',
  longDashDotDot: 'lgDashDotDot',
};

function endXml(name: string, end: LineEnd | undefined): string {
  if (end === undefined) return '';
  const size = end.size === undefined ? 'med' : end.size === 'small' ? 'sm' : 'lg';
  return element(name, { type: end.head, w: size, len: size });
}

/** A line as the element of a name: `ln` of a shape, `lnL` of a cell. */
export function lineXml(line: Line | undefined, name = 'a:ln'): string {
  if (line === undefined) return element(name, {}, '<a:noFill/>');
  const { width, dash, start, end, ...solid } = line;
  return element(
    name,
    { w: emu(width) },
    element('a:solidFill', {}, colourXml(solid)),
    dash === undefined ? '' : valued('a:prstDash', DASHES[dash]),
    '<a:round/>',
    endXml('a:headEnd', start) + endXml('a:tailEnd', end),
  );
}

export function shadowXml(shadow: Shadow | undefined): string {
  if (shadow === undefined) return '';
  const { blur, distance, angle, ...solid } = shadow;
  const where = {
    blurRad: emu(blur),
    dist: emu(distance),
    dir: Math.round(angle * DEGREE),
    algn: 'ctr',
    rotWithShape: 0,
  };
  return element('a:effectLst', {}, element('a:outerShdw', where, colourXml(solid)));
}

/** How a block is turned. */
export interface Turned {
  readonly rotation?: number | undefined;
  readonly flip?: 'horizontal' | 'vertical' | 'both' | undefined;
}

/** Where something is and how it is turned. */
export function placeXml(box: Box, { rotation, flip }: Turned = {}, name = 'a:xfrm'): string {
  const isBoth = flip === 'both';
  const turn = {
    rot: rotation === undefined ? null : Math.round(rotation * DEGREE),
    flipH: flip === 'horizontal' || isBoth ? 1 : null,
    flipV: flip === 'vertical' || isBoth ? 1 : null,
  };
  const offset = element('a:off', { x: emu(box.x), y: emu(box.y) });
  const extent = element('a:ext', { cx: emu(box.width), cy: emu(box.height) });
  return element(name, turn, offset, extent);
}

export function geometryXml(geometry: Geometry, box: Box): string {
  if ('preset' in geometry) {
    const guides = Object.entries(geometry.adjustments ?? {}).map(([name, value]) =>
      element('a:gd', { name, fmla: `val ${Math.round(value)}` }),
    );
    const list = element('a:avLst', {}, ...guides);
    return element('a:prstGeom', { prst: geometry.preset }, list);
  }
  const size = { w: emu(box.width), h: emu(box.height) };
  const paths = outlineOf(geometry, box).paths.map(({ steps, isFilled, isDrawn }) => {
    const looks = { fill: isFilled ? null : 'none', stroke: isDrawn ? null : 0 };
    return element('a:path', { ...size, ...looks }, ...steps.map(stepXml));
  });
  const lists = '<a:avLst/><a:gdLst/><a:ahLst/><a:cxnLst/><a:rect l="0" t="0" r="r" b="b"/>';
  return element('a:custGeom', {}, lists, element('a:pathLst', {}, ...paths));
}

function stepXml(step: Step): string {
  if (step[0] === 'Z') return '<a:close/>';
  const [, ...values] = step;
  const points = Array.from({ length: values.length / 2 }, (_, index) =>
    element('a:pt', { x: emu(values[index * 2]!), y: emu(values[index * 2 + 1]!) }),
  );
  const names = { C: 'a:cubicBezTo', M: 'a:moveTo', L: 'a:lnTo' } as const;
  return element(names[step[0]], {}, ...points);
}
