import { CHART_DEFAULTS } from '../deck/chart-legend.ts';
import type { Box, ChartBlock } from '../deck/deck.ts';
import type { Stacked } from './chart-stack.ts';
import type { Point } from './pen.ts';
import { type Plot, seriesColour, wedge } from './plot.ts';

export interface Drawn {
  readonly area: Box;
  /** Of a value: how far up, or how far to the right of lying bars. */
  readonly share: (value: number) => number;
  /** Of the place of a point of a scatter chart: how far to the right. */
  readonly across: (place: number) => number;
  readonly stacked: Stacked;
  /** Which of the chart's series. */
  readonly series: readonly number[];
}

export function paintBars(plot: Plot, { area, share, stacked, series }: Drawn): void {
  const { pen, chart } = plot;
  const isLying = chart.chart === 'bar';
  const count = Math.max(1, stacked.length);
  const room = (isLying ? area.height : area.width) / count;
  const beside = chart.grouping === undefined ? Math.max(1, series.length) : 1;
  const thick = room / (beside + (chart.gap ?? CHART_DEFAULTS.gap));
  const margin = (room - thick * beside) / 2;
  const isUp = isLying && chart.fromBelow === true;
  series.forEach((one, order) => {
    stacked.spans[one]!.forEach((span, index) => {
      if (span === null) return;
      const [begin, end] = [share(span[0]), share(span[1])];
      const [from, long] = [Math.min(begin, end), Math.abs(end - begin)];
      const first = index * room + margin + (beside > 1 ? order * thick : 0);
      const start = isUp ? area.height - first - thick : first;
      const box = isLying
        ? {
            x: area.x + from * area.width,
            y: area.y + start,
            width: long * area.width,
            height: thick,
          }
        : {
            x: area.x + start,
            y: area.y + area.height * (1 - from - long),
            width: thick,
            height: long * area.height,
          };
      pen.rectangle(box, plot.chart.series[one]!.colours?.[index] ?? seriesColour(plot, one));
    });
  });
}

/** Areas reach from the first category to the last, all else stands above the middle of each. */
export function isEdgeToEdge({ chart, series }: ChartBlock): boolean {
  return chart === 'area' && series.every((one) => (one.chart ?? chart) === 'area');
}

export function paintLines(plot: Plot, { area, share, across, stacked, series }: Drawn): void {
  const { pen, chart } = plot;
  const count = Math.max(1, stacked.length);
  const isWide = isEdgeToEdge(chart) && count > 1;
  const middle = (index: number): number =>
    isWide ? (index / (count - 1)) * area.width : ((index + 0.5) / count) * area.width;
  for (const one of series) {
    const { x: places, chart: own } = chart.series[one]!;
    const kind = own ?? chart.chart;
    const colour = seriesColour(plot, one);
    const at = (index: number): number => {
      const place = kind === 'scatter' ? (places?.[index] ?? null) : null;
      return area.x + (place === null ? middle(index) : across(place) * area.width);
    };
    const up = (value: number): number => area.y + area.height * (1 - share(value));
    const spans = stacked.spans[one]!.flatMap((span, index) =>
      span === null ? [] : [{ x: at(index), from: up(span[0]), to: up(span[1]) }],
    );
    const points = spans.map(({ x, to }): Point => [x, to]);
    if (points.length === 0) continue;
    if (kind === 'area') {
      const below = spans.map(({ x, from }): Point => [x, from]).toReversed();
      pen.polygon([...points, ...below], colour);
      continue;
    }
    if (kind !== 'scatter' || chart.joined === true) pen.line(points, colour, 2.25);
    if (kind !== 'scatter' && chart.points === false) continue;
    for (const point of points) {
      pen.polygon(wedge(point, 3, { angle: 0, sweep: 2 * Math.PI }), colour);
    }
  }
}
