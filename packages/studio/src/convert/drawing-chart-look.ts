import { CHART_DEFAULTS, hasLegend } from '../deck/chart-legend.ts';
import type { ChartBlock } from '../deck/deck.ts';
import {
  attributeOf,
  childAt,
  childrenOf,
  descendantsOf,
  numberOf,
  type XmlElement,
} from './xml.ts';

type ChartLook = Pick<
  ChartBlock,
  'legend' | 'size' | 'points' | 'joined' | 'unlabelled' | 'fromBelow' | 'gap' | 'axis'
>;

const LEGENDS: Readonly<Record<string, ChartBlock['legend']>> = {
  r: 'right',
  tr: 'right',
  l: 'left',
  t: 'top',
  b: 'bottom',
};

/** What office programs use where a chart does not say. */
const SIZE = 10;
const GAP = 1.5;

const valueOf = (element: XmlElement | null): string | null => attributeOf(element, 'val');

function isReversed(axis: XmlElement | null): boolean {
  return valueOf(childAt(axis, 'scaling', 'orientation')) === 'maxMin';
}

interface ChartParts {
  readonly plot: XmlElement;
  readonly kind: ChartBlock['chart'];
  readonly series: ChartBlock['series'];
}

/** How a chart looks beside its data: its legend, its letters and its axes. */
export function chartLookOf(space: XmlElement, { plot, kind, series }: ChartParts): ChartLook {
  const chart = childAt(space, 'chart');
  const legend = childAt(chart, 'legend');
  const place = valueOf(childAt(legend, 'legendPos')) ?? 'r';
  const isRound = kind === 'pie' || kind === 'doughnut';
  const isBar = kind === 'bar' || kind === 'column';
  const own = ownAxes(chart, plot);
  const categories = own.find(({ localName }) => localName !== 'valAx') ?? null;
  const usual = hasLegend({ chart: kind, series }) ? 'bottom' : 'none';
  const said = legend === null ? 'none' : (LEGENDS[place] ?? 'right');
  const size = Math.min(400, Math.max(1, sizeOf(space, own, legend)));
  return {
    ...(said === usual ? {} : { legend: said }),
    ...(size === CHART_DEFAULTS.size ? {} : { size }),
    ...(kind === 'bar' && !isReversed(categories) ? { fromBelow: true } : {}),
    ...(isBar ? gapOf(plot) : {}),
    ...(kind === 'line' && !hasPoints(plot) ? { points: false } : {}),
    ...(kind === 'scatter' && isJoined(plot) ? { joined: true } : {}),
    ...(isRound ? {} : unlabelledOf(own)),
    ...(isRound ? {} : axisOf(own.findLast(({ localName }) => localName === 'valAx') ?? null)),
  };
}

/** The axes that a plot names. */
function ownAxes(chart: XmlElement | null, plot: XmlElement): XmlElement[] {
  const ids = new Set(childrenOf(plot, 'axId').map(valueOf));
  return childrenOf(childAt(chart, 'plotArea')).filter(
    (one) =>
      /^(cat|val|date|ser)Ax$/.test(one.localName ?? '') && ids.has(valueOf(childAt(one, 'axId'))),
  );
}

/** Of the letters at the axes, else in the legend, else of all. */
function sizeOf(space: XmlElement, axes: readonly XmlElement[], legend: XmlElement | null): number {
  for (const holder of [...axes, legend, space]) {
    const [letters] = descendantsOf(childAt(holder, 'txPr'), 'defRPr');
    const size = numberOf(letters ?? null, 'sz', 0) / 100;
    if (size > 0) return size;
  }
  return SIZE;
}

function hasPoints(plot: XmlElement): boolean {
  const series = childrenOf(plot, 'ser');
  const isNone = (one: XmlElement): boolean => valueOf(childAt(one, 'marker', 'symbol')) === 'none';
  return valueOf(childAt(plot, 'marker')) === '1' && !series.every(isNone);
}

function isJoined(plot: XmlElement): boolean {
  const style = valueOf(childAt(plot, 'scatterStyle'));
  const isDrawn = (one: XmlElement): boolean => childAt(one, 'spPr', 'ln', 'noFill') === null;
  return style !== null && style !== 'marker' && childrenOf(plot, 'ser').some(isDrawn);
}

/** Axes that are deleted, or have no words at their ticks. */
function unlabelledOf(axes: readonly XmlElement[]): Pick<ChartLook, 'unlabelled'> {
  const isBare = (axis: XmlElement | undefined): boolean =>
    axis !== undefined &&
    (valueOf(childAt(axis, 'delete')) === '1' || valueOf(childAt(axis, 'tickLblPos')) === 'none');
  const values = isBare(axes.findLast(({ localName }) => localName === 'valAx'));
  const categories = axes.length > 1 && isBare(axes[0]);
  if (values && categories) return { unlabelled: 'both' };
  if (values) return { unlabelled: 'values' };
  return categories ? { unlabelled: 'categories' } : {};
}

function gapOf(plot: XmlElement): Pick<ChartLook, 'gap'> {
  const percent = numberOf(childAt(plot, 'gapWidth'), 'val', GAP * 100);
  const gap = Math.min(5, Math.max(0, percent / 100));
  return gap === CHART_DEFAULTS.gap ? {} : { gap };
}

function axisOf(axis: XmlElement | null): Pick<ChartLook, 'axis'> {
  const scaling = childAt(axis, 'scaling');
  const numberAt = (element: XmlElement | null): number | undefined => {
    const value = numberOf(element, 'val', Number.NaN);
    return Number.isFinite(value) ? value : undefined;
  };
  const least = numberAt(childAt(scaling, 'min'));
  const most = numberAt(childAt(scaling, 'max'));
  const step = numberAt(childAt(axis, 'majorUnit'));
  const found = {
    ...(least === undefined ? {} : { least }),
    ...(most === undefined || (least !== undefined && most <= least) ? {} : { most }),
    ...(step === undefined || step <= 0 ? {} : { step }),
    ...(isReversed(axis) ? { reversed: true } : {}),
  };
  return Object.keys(found).length === 0 ? {} : { axis: found };
}
