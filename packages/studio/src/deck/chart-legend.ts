import type { ChartBlock } from './blocks.ts';

/** What charts have where the deck does not say. */
export const CHART_DEFAULTS = { size: 12, gap: 0.6 } as const;

/** Whether a chart names its series, or the pieces of a pie. */
export function hasLegend({
  chart,
  legend,
  series,
}: Pick<ChartBlock, 'chart' | 'legend' | 'series'>): boolean {
  if (legend !== undefined) return legend !== 'none';
  return chart === 'pie' || chart === 'doughnut' || series.length > 1;
}
