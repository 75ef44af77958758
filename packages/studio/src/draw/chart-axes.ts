import type { Box } from '../deck/deck.ts';
import { mix } from '../deck/theme.ts';
import type { Point } from './pen.ts';
import { stackOf, type Stacked } from './chart-stack.ts';
import { cut, type Plot, seriesColour, wedge, write } from './plot.ts';

/** Round steps that cover the values, zero among them. */
function ticksOf(values: readonly number[]): readonly number[] {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const span = high - low || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough)!;
  const first = Math.floor(low / step);
  const count = Math.max(1, Math.ceil(high / step) - first);
  return Array.from({ length: count + 1 }, (_, index) => (first + index) * step);
}

/** Draws bars, lines, areas and points between two axes. */
export function paintAxes(plot: Plot, box: Box): void {
  const { pen, chart, size, colours } = plot;
  const stacked = stackOf(chart);
  const ticks = ticksOf(stacked.extremes);
  const isLying = chart.chart === 'bar';
  const left = size * (isLying ? 7 : 3.6);
  const area = {
    x: box.x + left,
    y: box.y + size * 0.5,
    width: Math.max(10, box.width - left - size),
    height: Math.max(10, box.height - size * 2.2),
  };
  const [low, high] = [ticks[0]!, ticks.at(-1)!];
  const share = (value: number): number => (value - low) / (high - low || 1);
  const grid = mix(colours.background, colours.text, 0.14);
  for (const tick of ticks) {
    const label = labelOf(tick, chart.grouping === 'percent');
    if (isLying) {
      const x = area.x + share(tick) * area.width;
      pen.line(
        [
          [x, area.y],
          [x, area.y + area.height],
        ],
        grid,
        0.75,
      );
      write(plot, label, [x, area.y + area.height + size * 1.4], { align: 0.5 });
    } else {
      const y = area.y + area.height * (1 - share(tick));
      pen.line(
        [
          [area.x, y],
          [area.x + area.width, y],
        ],
        grid,
        0.75,
      );
      write(plot, label, [area.x - size * 0.5, y + size * 0.35], { align: 1 });
    }
  }
  if (chart.chart === 'scatter') paintScale(plot, area);
  else paintCategories(plot, area, isLying);
  // Areas lie below bars, and bars below lines.
  const of = (...kinds: readonly string[]): number[] =>
    chart.series.flatMap((one, index) => (kinds.includes(one.chart ?? chart.chart) ? [index] : []));
  paintLines(plot, { area, share, stacked, series: of('area') });
  paintBars(plot, { area, share, stacked, series: of('bar', 'column') });
  paintLines(plot, { area, share, stacked, series: of('line', 'scatter') });
}

function labelOf(tick: number, isPercent: boolean): string {
  const style = isPercent ? ({ style: 'percent' } as const) : ({ notation: 'compact' } as const);
  return Intl.NumberFormat('en', style).format(tick);
}

/** The numbers below a scatter chart. */
function paintScale(plot: Plot, area: Box): void {
  const { size, chart } = plot;
  const [low, high] = rangeOf(chart);
  for (const at of [0, 0.25, 0.5, 0.75, 1]) {
    const place: Point = [area.x + at * area.width, area.y + area.height + size * 1.4];
    write(plot, labelOf(low + (high - low) * at, false), place, { align: 0.5 });
  }
}

/** From the least to the greatest place of a scatter chart. */
function rangeOf({ series, categories }: Plot['chart']): readonly [number, number] {
  const all = series.flatMap(({ x }) => x ?? []).filter((value) => value !== null);
  if (all.length === 0) return [0, Math.max(1, categories.length)];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  return low === high ? [low - 1, high + 1] : [Math.min(0, low), high];
}

function paintCategories(plot: Plot, area: Box, isLying: boolean): void {
  const { chart, size } = plot;
  const count = Math.max(1, chart.categories.length);
  const room = (isLying ? area.height : area.width) / count;
  const every = Math.max(1, Math.ceil((isLying ? size * 1.3 : size * 3) / room));
  chart.categories.forEach((name, index) => {
    if (index % every !== 0) return;
    const middle = (index + 0.5) * room;
    if (isLying) {
      const at: Point = [area.x - size * 0.5, area.y + middle + size * 0.35];
      write(plot, cut(plot, name, size * 6), at, { align: 1 });
    } else {
      const at: Point = [area.x + middle, area.y + area.height + size * 1.4];
      write(plot, cut(plot, name, room * every * 0.95), at, { align: 0.5 });
    }
  });
}

interface Drawn {
  readonly area: Box;
  readonly share: (value: number) => number;
  readonly stacked: Stacked;
  /** Which of the chart's series. */
  readonly series: readonly number[];
}

function paintBars(plot: Plot, { area, share, stacked, series }: Drawn): void {
  const { pen, chart } = plot;
  const isLying = chart.chart === 'bar';
  const room = (isLying ? area.height : area.width) / Math.max(1, stacked.length);
  const beside = chart.grouping === undefined ? Math.max(1, series.length) : 1;
  const thick = (room * 0.7) / beside;
  series.forEach((one, order) => {
    stacked.spans[one]!.forEach((span, index) => {
      if (span === null) return;
      const [begin, end] = [share(span[0]), share(span[1])];
      const [from, long] = [Math.min(begin, end), Math.abs(end - begin)];
      const start = index * room + room * 0.15 + (beside > 1 ? order * thick : 0);
      const wide = thick * 0.92;
      const box = isLying
        ? {
            x: area.x + from * area.width,
            y: area.y + start,
            width: long * area.width,
            height: wide,
          }
        : {
            x: area.x + start,
            y: area.y + area.height * (1 - from - long),
            width: wide,
            height: long * area.height,
          };
      pen.rectangle(box, seriesColour(plot, one));
    });
  });
}

function paintLines(plot: Plot, { area, share, stacked, series }: Drawn): void {
  const { pen, chart, colours } = plot;
  const room = area.width / Math.max(1, stacked.length);
  const [low, high] = rangeOf(chart);
  for (const one of series) {
    const { x: places, chart: own } = chart.series[one]!;
    const kind = own ?? chart.chart;
    const colour = seriesColour(plot, one);
    const across = (index: number): number => {
      const place = kind === 'scatter' ? (places?.[index] ?? null) : null;
      if (place === null) return area.x + (index + 0.5) * room;
      return area.x + ((place - low) / (high - low)) * area.width;
    };
    const up = (value: number): number => area.y + area.height * (1 - share(value));
    const spans = stacked.spans[one]!.flatMap((span, index) =>
      span === null ? [] : [{ x: across(index), from: up(span[0]), to: up(span[1]) }],
    );
    const points = spans.map(({ x, to }): Point => [x, to]);
    if (points.length === 0) continue;
    if (kind === 'area') {
      const below = spans.map(({ x, from }): Point => [x, from]).toReversed();
      const isStacked = chart.grouping !== undefined;
      pen.polygon(
        [...points, ...below],
        isStacked ? colour : mix(colour, colours.background, 0.55),
      );
    }
    if (kind !== 'scatter') pen.line(points, colour, 2);
    if (kind === 'area') continue;
    for (const point of points) {
      pen.polygon(wedge(point, 3, { angle: 0, sweep: 2 * Math.PI }), colour);
    }
  }
}
