import type { ChartBlock } from '../deck/deck.ts';
import { cleanText } from '../deck/text.ts';
import {
  attributeOf,
  childAt,
  childrenOf,
  descendantsOf,
  numberOf,
  type XmlElement,
} from './xml.ts';

const KINDS: Readonly<Record<string, ChartBlock['chart']>> = {
  barChart: 'column',
  bar3DChart: 'column',
  lineChart: 'line',
  line3DChart: 'line',
  areaChart: 'area',
  area3DChart: 'area',
  pieChart: 'pie',
  pie3DChart: 'pie',
  doughnutChart: 'doughnut',
  scatterChart: 'scatter',
};

const POINTS_MAX = 1_000;
const SERIES_MAX = 50;

/** The values that a chart keeps of its sheet, by their index. */
function pointsOf(reference: XmlElement | null): (string | null)[] {
  const cache = ['strCache', 'numCache', 'multiLvlStrCache', 'strLit', 'numLit']
    .flatMap((name) => descendantsOf(reference, name))
    .at(0);
  if (cache === undefined) return [];
  const count = Math.min(POINTS_MAX, numberOf(childAt(cache, 'ptCount'), 'val', 0));
  const points = Array.from({ length: Math.max(0, Math.trunc(count)) }, (): string | null => null);
  // Categories of several levels have the nearest one first.
  const level = childAt(cache, 'lvl') ?? cache;
  for (const point of childrenOf(level, 'pt')) {
    const index = numberOf(point, 'idx', -1);
    if (index in points) points[index] = childAt(point, 'v')?.textContent ?? null;
  }
  return points;
}

function valueOf(text: string | null): number | null {
  const value = text === null || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** The data of a chart; null for kinds that a deck does not know. */
export function chartOf(space: XmlElement): Omit<ChartBlock, 'box' | 'origin'> | null {
  const chart = childAt(space, 'chart');
  const plots = childrenOf(childAt(chart, 'plotArea'));
  const plot = plots.find(({ localName }) => Object.hasOwn(KINDS, localName ?? ''));
  if (plot === undefined) return null;
  const kind = KINDS[plot.localName!]!;
  const isLying = attributeOf(childAt(plot, 'barDir'), 'val') === 'bar';
  const series = childrenOf(plot, 'ser').slice(0, SERIES_MAX);
  const labels = ['cat', 'xVal'].map((name) => pointsOf(childAt(series[0] ?? null, name)));
  const categories = labels.find((points) => points.length > 0) ?? [];
  const title = descendantsOf(childAt(chart, 'title'), 't').map((one) => one.textContent ?? '');
  const name = cleanText(title.join(''));
  return {
    kind: 'chart',
    chart: kind === 'column' && isLying ? 'bar' : kind,
    ...(name === '' ? {} : { title: name }),
    categories: categories.map((label) => cleanText(label ?? '')),
    series: series.map((one) => ({
      name: cleanText(pointsOf(childAt(one, 'tx'))[0] ?? ''),
      values: pointsOf(childAt(one, 'val') ?? childAt(one, 'yVal')).map(valueOf),
    })),
  };
}
