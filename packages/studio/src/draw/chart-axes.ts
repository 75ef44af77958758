import type { Box } from '../deck/deck.ts';
import { mix } from '../deck/theme.ts';
import { isEdgeToEdge, paintBars, paintLines } from './chart-marks.ts';
import { type Scale, scaleOf, ticksFor } from './chart-scale.ts';
import { stackOf } from './chart-stack.ts';
import type { Point } from './pen.ts';
import { cut, type Plot, widthOf, write } from './plot.ts';

/** No more of the width goes to the names of lying bars. */
const NAMES_SHARE_MAX = 0.4;

/** Draws bars, lines, areas and points between two axes. */
export function paintAxes(plot: Plot, box: Box): void {
  const { chart, size } = plot;
  const stacked = stackOf(chart);
  const isLying = chart.chart === 'bar';
  const isPercent = chart.grouping === 'percent';
  const length = isLying ? box.width : box.height;
  const about = ticksFor(length, size * (isLying ? 3 : 2));
  const of = {
    isExact: isPercent,
    about,
    ...(chart.axis === undefined ? {} : { axis: chart.axis }),
  };
  const scale = scaleOf(stacked.extremes, of);
  const labels = scale.ticks.map((tick) => labelOf(tick, scale, isPercent));
  const beside = isLying
    ? Math.min(box.width * NAMES_SHARE_MAX, widest(plot, chart.categories))
    : widest(plot, labels);
  const bare = bareSides(chart);
  const left = bare.beside ? size * 0.5 : beside + size * 0.7;
  const area = {
    x: box.x + left,
    y: box.y + size * 0.5,
    width: Math.max(10, box.width - left - size * 0.5),
    height: Math.max(10, box.height - size * (bare.below ? 1 : 2)),
  };
  paintGrid(plot, area, { scale, labels: isLying ? below(bare, labels) : aside(bare, labels) });
  const places = chart.series.flatMap(({ x }) => x ?? []).filter((value) => value !== null);
  const across = scaleOf(places.length === 0 ? [chart.categories.length] : places, {
    isExact: false,
    about: ticksFor(area.width, size * 2.5),
  });
  const isNamed = isLying ? !bare.beside : !bare.below;
  if (isNamed && chart.chart === 'scatter') paintPlaces(plot, area, across);
  else if (isNamed) paintCategories(plot, area, beside);
  // Areas lie below bars, and bars below lines.
  const drawn = { area, share: scale.share, across: across.share, stacked };
  const kinds = (...wanted: readonly string[]): number[] =>
    chart.series.flatMap((one, index) =>
      wanted.includes(one.chart ?? chart.chart) ? [index] : [],
    );
  paintLines(plot, { ...drawn, series: kinds('area') });
  paintBars(plot, { ...drawn, series: kinds('bar', 'column') });
  paintLines(plot, { ...drawn, series: kinds('line', 'scatter') });
}

interface Bare {
  readonly beside: boolean;
  readonly below: boolean;
}

/** The sides of a chart without words: categories of lying bars stand beside it. */
function bareSides({ chart, unlabelled }: Plot['chart']): Bare {
  const values = unlabelled === 'values' || unlabelled === 'both';
  const categories = unlabelled === 'categories' || unlabelled === 'both';
  return chart === 'bar'
    ? { beside: categories, below: values }
    : { beside: values, below: categories };
}

const below = (bare: Bare, labels: readonly string[]): readonly string[] =>
  bare.below ? labels.map(() => '') : labels;

const aside = (bare: Bare, labels: readonly string[]): readonly string[] =>
  bare.beside ? labels.map(() => '') : labels;

function widest(plot: Plot, texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => widthOf(plot, text)));
}

function labelOf(tick: number, { ticks }: Scale, isPercent: boolean): string {
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0)) * (isPercent ? 100 : 1);
  const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step || 1) - 1e-9)));
  const isLong = Math.max(...ticks.map(Math.abs)) >= 1_000_000;
  return Intl.NumberFormat('en', {
    ...(isPercent ? ({ style: 'percent' } as const) : {}),
    ...(isLong ? ({ notation: 'compact' } as const) : { useGrouping: false }),
    maximumFractionDigits: isLong ? 2 : digits,
  }).format(tick === 0 ? 0 : tick);
}

function paintGrid(
  plot: Plot,
  area: Box,
  { scale, labels }: { readonly scale: Scale; readonly labels: readonly string[] },
): void {
  const { pen, size, colours, chart } = plot;
  const grid = mix(colours.background, colours.text, 0.3);
  scale.ticks.forEach((tick, index) => {
    const label = labels[index]!;
    if (chart.chart === 'bar') {
      const x = area.x + scale.share(tick) * area.width;
      const ends: Point[] = [
        [x, area.y],
        [x, area.y + area.height],
      ];
      pen.line(ends, grid, 0.75);
      write(plot, label, [x, area.y + area.height + size * 1.3], { align: 0.5 });
      return;
    }
    const y = area.y + area.height * (1 - scale.share(tick));
    const ends: Point[] = [
      [area.x, y],
      [area.x + area.width, y],
    ];
    pen.line(ends, grid, 0.75);
    write(plot, label, [area.x - size * 0.5, y + size * 0.35], { align: 1 });
  });
}

/** The numbers below a scatter chart. */
function paintPlaces(plot: Plot, area: Box, scale: Scale): void {
  const { size } = plot;
  for (const tick of scale.ticks) {
    const x = area.x + scale.share(tick) * area.width;
    const at: Point = [x, area.y + area.height + size * 1.3];
    write(plot, labelOf(tick, scale, false), at, { align: 0.5 });
  }
}

function paintCategories(plot: Plot, area: Box, beside: number): void {
  const { chart, size } = plot;
  const isLying = chart.chart === 'bar';
  const isWide = isEdgeToEdge(chart) && chart.categories.length > 1;
  const count = Math.max(1, chart.categories.length - (isWide ? 1 : 0));
  const room = (isLying ? area.height : area.width) / count;
  const every = Math.max(1, Math.ceil((isLying ? size * 1.3 : size * 3) / room));
  chart.categories.forEach((name, index) => {
    if (index % every !== 0) return;
    const middle = (index + (isWide ? 0 : 0.5)) * room;
    if (isLying) {
      const down = chart.fromBelow === true ? area.height - middle : middle;
      const at: Point = [area.x - size * 0.5, area.y + down + size * 0.35];
      write(plot, cut(plot, name, beside + 1), at, { align: 1 });
    } else {
      const at: Point = [area.x + middle, area.y + area.height + size * 1.3];
      write(plot, cut(plot, name, room * every * 0.95), at, { align: 0.5 });
    }
  });
}
