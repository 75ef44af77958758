import type { Box } from '../deck/deck.ts';
import { mix } from '../deck/theme.ts';
import type { Point } from './pen.ts';
import { accentOf, cut, type Plot, wedge, write } from './plot.ts';

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
  const values = chart.series.flatMap((one) => one.values).filter((value) => value !== null);
  const ticks = ticksOf(values);
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
    const label = Intl.NumberFormat('en', { notation: 'compact' }).format(tick);
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
  paintCategories(plot, area, isLying);
  if (chart.chart === 'bar' || chart.chart === 'column') paintBars(plot, area, share);
  else paintLines(plot, area, share);
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

type Share = (value: number) => number;

function paintBars(plot: Plot, area: Box, share: Share): void {
  const { pen, chart } = plot;
  const isLying = chart.chart === 'bar';
  const room = (isLying ? area.height : area.width) / Math.max(1, chart.categories.length);
  const thick = (room * 0.7) / Math.max(1, chart.series.length);
  chart.series.forEach(({ values }, series) => {
    values.forEach((value, index) => {
      if (value === null) return;
      const from = Math.min(share(0), share(value));
      const long = Math.abs(share(value) - share(0));
      const start = index * room + room * 0.15 + series * thick;
      const box = isLying
        ? {
            x: area.x + from * area.width,
            y: area.y + start,
            width: long * area.width,
            height: thick * 0.92,
          }
        : {
            x: area.x + start,
            y: area.y + area.height * (1 - from - long),
            width: thick * 0.92,
            height: long * area.height,
          };
      pen.rectangle(box, accentOf(plot, series));
    });
  });
}

function paintLines(plot: Plot, area: Box, share: Share): void {
  const { pen, chart, colours } = plot;
  const room = area.width / Math.max(1, chart.categories.length);
  const floor = area.y + area.height * (1 - share(0));
  chart.series.forEach(({ values }, series) => {
    const colour = accentOf(plot, series);
    const points = values.flatMap((value, index): Point[] =>
      value === null
        ? []
        : [[area.x + (index + 0.5) * room, area.y + area.height * (1 - share(value))]],
    );
    const [first, last] = [points[0], points.at(-1)];
    if (first === undefined || last === undefined) return;
    if (chart.chart === 'area') {
      const filled: Point[] = [[first[0], floor], ...points, [last[0], floor]];
      pen.polygon(filled, mix(colour, colours.background, 0.55));
    }
    if (chart.chart !== 'scatter') pen.line(points, colour, 2);
    for (const point of points) {
      pen.polygon(wedge(point, 3, { angle: 0, sweep: 2 * Math.PI }), colour);
    }
  });
}
