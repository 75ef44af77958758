import type { Box, ChartBlock } from '../deck/deck.ts';
import { paintAxes } from './chart-axes.ts';
import type { Pen, Point } from './pen.ts';
import { accentOf, type ChartStyle, cut, type Plot, wedge, write } from './plot.ts';

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
  const isRound = chart.chart === 'pie' || chart.chart === 'doughnut';
  const names = isRound ? chart.categories : chart.series.map(({ name }) => name);
  if (names.length > 1 || isRound) {
    paintLegend(plot, names, { x, y: y + height - size * 1.6, width, height: size * 1.6 });
    height -= size * 2.2;
  }
  if (isRound) paintPie(plot, { x, y, width, height });
  else paintAxes(plot, { x, y, width, height });
}

function paintLegend(plot: Plot, names: readonly string[], box: Box): void {
  const { pen, size, measure, family } = plot;
  const share = box.width / Math.min(names.length, 6);
  const shown = names.slice(0, 6).map((name) => cut(plot, name, share - size * 2.4));
  const face = { family, bold: false, italic: false };
  const widths = shown.map((name) => measure(name, face, size) + size * 2.4);
  let x = box.x + Math.max(0, box.width - widths.reduce((sum, one) => sum + one, 0)) / 2;
  shown.forEach((name, index) => {
    const side = size * 0.8;
    pen.rectangle({ x, y: box.y + size * 0.2, width: side, height: side }, accentOf(plot, index));
    write(plot, name, [x + size * 1.2, box.y + size * 0.95], {});
    x += widths[index]!;
  });
}

function paintPie(plot: Plot, box: Box): void {
  const { pen, chart, colours } = plot;
  const values = (chart.series[0]?.values ?? []).map((value) => Math.max(0, value ?? 0));
  const sum = values.reduce((total, one) => total + one, 0) || 1;
  const radius = Math.max(4, Math.min(box.width, box.height) / 2 - 4);
  const centre: Point = [box.x + box.width / 2, box.y + box.height / 2];
  let angle = -Math.PI / 2;
  values.forEach((value, index) => {
    const sweep = (value / sum) * 2 * Math.PI;
    pen.polygon(wedge(centre, radius, { angle, sweep }), accentOf(plot, index));
    angle += sweep;
  });
  if (chart.chart !== 'doughnut') return;
  pen.polygon(wedge(centre, radius * 0.55, { angle: 0, sweep: 2 * Math.PI }), colours.background);
}
