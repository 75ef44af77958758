import type { Box, ChartBlock } from '../deck/deck.ts';
import { paintAxes } from './chart-axes.ts';
import { paintLegend, pieceColour } from './chart-legend.ts';
import type { Pen, Point } from './pen.ts';
import { type ChartStyle, cut, isRound, type Plot, wedge, write } from './plot.ts';

const TITLE = 1.2;
const MARGIN = 0.025;

/** Draws a chart of the deck's data: title, legend, axes and what they measure. */
export function paintChart(pen: Pen, chart: ChartBlock, whole: Box, style: ChartStyle): void {
  const plot: Plot = { ...style, size: chart.size ?? style.size, pen, chart };
  const margin = Math.min(whole.width, whole.height) * MARGIN;
  const box = {
    x: whole.x + margin,
    y: whole.y + margin,
    width: Math.max(1, whole.width - 2 * margin),
    height: Math.max(1, whole.height - 2 * margin),
  };
  const below = paintTitle(plot, box);
  const left = paintLegend(plot, below);
  if (isRound(chart)) paintPie(plot, left);
  else paintAxes(plot, left);
}

/** What is left of the box is for the rest. */
function paintTitle(plot: Plot, box: Box): Box {
  const { title } = plot.chart;
  if (title === undefined || title === '') return box;
  const large = { ...plot, size: plot.size * TITLE };
  const { size } = large;
  const at: Point = [box.x + box.width / 2, box.y + size];
  write(large, cut(large, title, box.width * 0.9), at, { bold: true, align: 0.5 });
  const taken = Math.min(box.height / 2, size * 1.6);
  return { ...box, y: box.y + taken, height: box.height - taken };
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
      const piece = inner > 0 ? { angle, sweep, inner } : { angle, sweep };
      pen.polygon(wedge(centre, outer, piece), pieceColour(plot, index, ring));
      angle += sweep;
    });
  });
}
