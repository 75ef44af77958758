import type { ChartBlock } from '../deck/deck.ts';
import { mix } from '../deck/theme.ts';
import { type Face, familyOf } from './face.ts';
import type { Measure, Pen, Point } from './pen.ts';
import type { TextColours } from './text-frame.ts';

/** What a chart is drawn with. */
export interface ChartStyle {
  readonly colours: TextColours;
  readonly accents: readonly string[];
  /** The font of the theme's body. */
  readonly font: string;
  /** Whether the document names that font, or we chose it. */
  readonly isNamed?: boolean;
  readonly measure: Measure;
  readonly size: number;
}

/** A chart on its way to paper. */
export interface Plot extends ChartStyle {
  readonly pen: Pen;
  readonly chart: ChartBlock;
}

function faceIn({ font, isNamed }: ChartStyle, bold: boolean): Face {
  return { ...(isNamed === true ? { font } : {}), family: familyOf(font), bold, italic: false };
}

/** How wide a text is in the letters of a chart. */
export function widthOf(plot: Plot, text: string): number {
  return plot.measure(text, faceIn(plot, false), plot.size);
}

/** Writes a label; `align` is the share of its width to the left of the place. */
export function write(
  plot: Plot,
  text: string,
  at: Point,
  more: { bold?: boolean; align?: number },
): void {
  const { pen, measure, size, colours } = plot;
  const face = faceIn(plot, more.bold ?? false);
  const shift = measure(text, face, size) * (more.align ?? 0);
  const colour = more.bold === true ? colours.text : mix(colours.text, colours.background, 0.1);
  pen.text(text, [at[0] - shift, at[1]], { face, size, colour });
}

/** A text that is no wider than it may be, with an ellipsis where it was cut. */
export function cut(plot: Plot, text: string, width: number): string {
  const wide = (part: string): number => widthOf(plot, part);
  if (wide(text) <= width) return text;
  let end = Math.min(text.length, 60);
  while (end > 1 && wide(`${text.slice(0, end)}…`) > width) end--;
  return `${text.slice(0, end)}…`;
}

export function isRound({ chart }: ChartBlock): boolean {
  return chart === 'pie' || chart === 'doughnut';
}

/** The colour of a series: its own, or of the theme; those beyond the theme's are paler. */
export function seriesColour(plot: Plot, index: number): string {
  return plot.chart.series[index]?.colour ?? accentOf(plot, index);
}

export function accentOf({ accents }: ChartStyle, index: number): string {
  const colour = accents[index % accents.length]!;
  return index < accents.length ? colour : mix(colour, '#FFFFFF', 0.35);
}

/** A piece of a pie or of a ring, or all of it. */
export function wedge(
  centre: Point,
  radius: number,
  arc: { angle: number; sweep: number; inner?: number },
): Point[] {
  const steps = Math.max(2, Math.ceil((arc.sweep / Math.PI) * 60));
  const rim = (distance: number): Point[] =>
    Array.from({ length: steps + 1 }, (_, step) => {
      const at = arc.angle + (arc.sweep * step) / steps;
      return [centre[0] + distance * Math.cos(at), centre[1] + distance * Math.sin(at)];
    });
  const { inner } = arc;
  return inner === undefined
    ? [centre, ...rim(radius)]
    : [...rim(radius), ...rim(inner).toReversed()];
}
