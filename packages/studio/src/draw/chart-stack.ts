import type { ChartBlock } from '../deck/deck.ts';

/** From where to where each value of each series reaches. */
export interface Stacked {
  readonly spans: readonly (readonly (readonly [from: number, to: number] | null)[])[];
  /** All ends, which the axis has to cover. */
  readonly extremes: readonly number[];
  /** How many categories there are. */
  readonly length: number;
}

/** Series that are stacked begin where the one below ends; lines in a chart of bars do not. */
export function stackOf({ chart, grouping, series, categories }: ChartBlock): Stacked {
  const length = Math.max(categories.length, ...series.map(({ values }) => values.length), 0);
  const above = Array.from({ length }, () => 0);
  const below = Array.from({ length }, () => 0);
  const isStacked = (own: string | undefined): boolean =>
    grouping !== undefined && (own === undefined || own === chart);
  const sums = Array.from({ length }, (_, index) =>
    series
      .filter((one) => isStacked(one.chart))
      .reduce((sum, { values }) => sum + Math.abs(values[index] ?? 0), 0),
  );
  const spans = series.map((one) =>
    one.values.map((value, index): readonly [number, number] | null => {
      if (value === null) return null;
      if (!isStacked(one.chart)) return [0, value];
      const share = grouping === 'percent' ? value / (sums[index] || 1) : value;
      const side = share < 0 ? below : above;
      const from = side[index]!;
      side[index] = from + share;
      return [from, from + share];
    }),
  );
  const extremes = spans.flat().flatMap((span) => (span === null ? [] : [...span]));
  return { spans, extremes, length };
}
