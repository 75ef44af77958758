import { hasLegend } from '../deck/chart-legend.ts';
import type { Box } from '../deck/deck.ts';
import { accentOf, cut, isRound, type Plot, seriesColour, widthOf, write } from './plot.ts';

/** No more of the chart's width goes to a legend beside it. */
const SHARE_MAX = 0.35;
const NAMES_MAX = 24;

/** Draws the legend; what is left of the box is for the rest. */
export function paintLegend(plot: Plot, box: Box): Box {
  const { chart, size } = plot;
  if (!hasLegend(chart)) return box;
  const place = chart.legend ?? 'bottom';
  const all = isRound(chart) ? chart.categories : chart.series.map(({ name }) => name);
  // The highest bar of a group that lies is the last one.
  const isUp = place !== 'bottom' && place !== 'top' && chart.fromBelow === true;
  const named = all.slice(0, NAMES_MAX).map((name, index) => ({ name, index }));
  const names = isUp ? named.toReversed() : named;
  const wide = (name: string): number => widthOf(plot, name) + size * 1.4;
  if (place === 'bottom' || place === 'top') {
    const height = size * 1.6;
    const y = place === 'top' ? box.y : box.y + box.height - height;
    const share = box.width / Math.min(names.length, 6);
    const shown = names.slice(0, 6).map((one) => {
      return { ...one, name: cut(plot, one.name, share - size * 2.4) };
    });
    const total = shown.reduce((sum, { name }) => sum + wide(name) + size, 0);
    let x = box.x + Math.max(0, box.width - total) / 2;
    for (const one of shown) {
      paintName(plot, one, { x, y });
      x += wide(one.name) + size;
    }
    const left = box.height - height * 1.35;
    return { ...box, y: place === 'top' ? box.y + height * 1.35 : box.y, height: left };
  }
  const line = size * 1.3;
  const width = Math.min(
    box.width * SHARE_MAX,
    Math.max(0, ...names.map(({ name }) => wide(name))),
  );
  const x = place === 'left' ? box.x : box.x + box.width - width;
  const rows = names.slice(0, Math.max(1, Math.floor(box.height / line)));
  let y = box.y + Math.max(0, box.height - rows.length * line) / 2;
  for (const one of rows) {
    paintName(plot, { ...one, name: cut(plot, one.name, width - size * 1.2) }, { x, y });
    y += line;
  }
  const taken = width + size * 0.6;
  return { ...box, x: place === 'left' ? box.x + taken : box.x, width: box.width - taken };
}

function paintName(
  plot: Plot,
  { name, index }: { readonly name: string; readonly index: number },
  { x, y }: { readonly x: number; readonly y: number },
): void {
  const { pen, size, chart } = plot;
  const side = size * 0.62;
  const colour = isRound(chart) ? pieceColour(plot, index) : seriesColour(plot, index);
  pen.rectangle({ x, y: y + size * 0.38, width: side, height: side }, colour);
  write(plot, name, [x + size, y + size * 0.98], {});
}

/** Of a piece of a pie. */
export function pieceColour(plot: Plot, index: number, ring = 0): string {
  return plot.chart.series[ring]?.colours?.[index] ?? accentOf(plot, index);
}
