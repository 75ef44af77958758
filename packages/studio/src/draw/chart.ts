import type { Box, ChartBlock } from '../deck/deck.ts';
import { paintAxes } from './chart-axes.ts';
import { familyOf } from './face.ts';
import type { Pen, Point } from './pen.ts';
import { accentOf, type ChartStyle, cut, type Plot, seriesColour, wedge, write } from './plot.ts';

/** Draws a chart of the deck's data: title, legend, axes and what they measure. */
export function paintChart(pen: Pen, chart: ChartBlock, box: Box, style: ChartStyle): void {
  const plot: Plot = { ...style, pen, chart };
  const { size } = style;
  const { x, width } = box;
  let { y, height } = box;
  if (chart.title !== undefined && chart.title !== '') {
    write(plot, cut(plot, chart.title, width * 0.9), [x + width / 2, y + size], {
      bold: true,
      align: 0.5,
    });
    y += size * 2;
    height -= size * 2;
  }
  const names = isRound(chart) ? chart.categories : chart.series.map(({ name }) => name);
  if (names.length > 1 || isRound(chart)) {
    paintLegend(plot, names, { x, y: y + height - size * 1.6, width, height: size * 1.6 });
    height -= size * 2.2;
  }
  if (isRound(chart)) paintPie(plot, { x, y, width, height });
  else paintAxes(plot, { x, y, width, height });
}

function paintLegend(plot: Plot, names: readonly string[], box: Box): void {
  const { pen, size, measure, font } = plot;
  const share = box.width / Math.min(names.length, 6);
  const shown = names.slice(0, 6).map((name) => cut(plot, name, share - size * 2.4));
  const face = { family: familyOf(font), bold: false, italic: false };
  const widths = shown.map((name) => measure(name, face, size) + size * 2.4);
  let x = box.x + Math.max(0, box.width - widths.reduce((sum, one) => sum + one, 0)) / 2;
  shown.forEach((name, index) => {
    const side = size * 0.8;
    const colour = isRound(plot.chart) ? accentOf(plot, index) : seriesColour(plot, index);
    pen.rectangle({ x, y: box.y + size * 0.2, width: side, height: side }, colour);
    write(plot, name, [x + size * 1.2, box.y + size * 0.95], {});
    x += widths[index]!;
  });
}

function isRound({ chart }: ChartBlock): boolean {
  return chart === 'pie' || chart === 'doughnut';
}

const HOLE = 0.5;

/** A pie shows its first series; a doughnut has a ring for each, the first inside. */
function paintPie(plot: Plot, box: Box): void {
  const { pen, chart } = plot;
  const rings = chart.chart === 'pie' ? chart.series.slice(0, 1) : chart.series;
  const radius = Math.max(4, Math.min(box.width, box.height) / 2 - 4);
  const centre: Point = [box.x + box.width / 2, box.y + box.height / 2];
  const hole = chart.chart === 'pie' ? 0 : radius * (chart.hole ?? HOLE);
  const thick = (radius - hole) / Math.max(1, rings.length);
  rings.forEach(({ values: given }, ring) => {
    const values = given.map((value) => Math.max(0, value ?? 0));
    const sum = values.reduce((total, one) => total + one, 0) || 1;
    const inner = hole + ring * thick;
    const outer = inner + thick * (rings.length > 1 ? 0.96 : 1);
    let angle = -Math.PI / 2;
    values.forEach((value, index) => {
      const sweep = (value / sum) * 2 * Math.PI;
      const cut = inner > 0 ? { angle, sweep, inner } : { angle, sweep };
      pen.polygon(wedge(centre, outer, cut), accentOf(plot, index));
      angle += sweep;
    });
  });
}
