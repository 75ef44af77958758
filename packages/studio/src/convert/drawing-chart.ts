import type { ChartBlock } from '../deck/deck.ts';
import type { ElementLedger } from '../deck/losses.ts';
import { cleanText } from '../deck/text.ts';
import { noteAxes } from './drawing-chart-axes.ts';
import { chartLookOf } from './drawing-chart-look.ts';
import { colourIn } from './drawing-colour.ts';
import type { Scheme } from './office-theme.ts';
import {
  attributeOf,
  childAt,
  childrenOf,
  descendantsOf,
  numberOf,
  type XmlElement,
} from './xml.ts';

/** What each kind of plot is in a deck; null after it where it is exactly that. */
const KINDS: Readonly<Record<string, readonly [ChartBlock['chart'], string | null]>> = {
  barChart: ['column', null],
  bar3DChart: ['column', 'bars with depth'],
  lineChart: ['line', null],
  line3DChart: ['line', 'lines with depth'],
  areaChart: ['area', null],
  area3DChart: ['area', 'areas with depth'],
  pieChart: ['pie', null],
  pie3DChart: ['pie', 'a pie with depth'],
  ofPieChart: ['pie', 'a pie with a second one'],
  doughnutChart: ['doughnut', null],
  scatterChart: ['scatter', null],
  bubbleChart: ['scatter', 'bubbles'],
  radarChart: ['line', 'a radar chart'],
  stockChart: ['line', 'a stock chart'],
  surfaceChart: ['area', 'a surface'],
  surface3DChart: ['area', 'a surface'],
};

const FEATURES: Readonly<Record<string, string>> = {
  trendline: 'trend lines',
  errBars: 'error bars',
  dTable: 'the table below a chart',
  upDownBars: 'bars between lines',
};

const POINTS_MAX = 1_000;
const SERIES_MAX = 50;

/** The values that a chart keeps of its sheet, by their index. */
function pointsOf(reference: XmlElement | null, isLabel = false): (string | null)[] {
  const cache = ['strCache', 'numCache', 'multiLvlStrCache', 'strLit', 'numLit']
    .flatMap((name) => descendantsOf(reference, name))
    .at(0);
  if (cache === undefined) return [];
  const count = Math.min(POINTS_MAX, numberOf(childAt(cache, 'ptCount'), 'val', 0));
  const points = Array.from({ length: Math.max(0, Math.trunc(count)) }, (): string | null => null);
  const format = isLabel ? (childAt(cache, 'formatCode')?.textContent ?? '') : '';
  // Categories of several levels have the nearest one first.
  const level = childAt(cache, 'lvl') ?? cache;
  for (const point of childrenOf(level, 'pt')) {
    const index = numberOf(point, 'idx', -1);
    if (index in points) points[index] = labelOf(childAt(point, 'v')?.textContent ?? null, format);
  }
  return points;
}

/** Dates are kept as days since the end of 1899. */
function labelOf(text: string | null, format: string): string | null {
  const days = Number(text);
  const plain = format.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, '');
  if (text === null || !/[dy]/i.test(plain) || !(days > 0 && days < 2_958_466)) return text;
  return new Date(Math.round((days - 25_569) * 86_400_000)).toISOString().slice(0, 10);
}

function numberIn(text: string | null): number | null {
  const value = text === null || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

const valueOf = (element: XmlElement | null): string | null => attributeOf(element, 'val');

export interface ChartContext {
  readonly scheme: Scheme;
  readonly ledger: ElementLedger;
}

type ChartData = Omit<ChartBlock, 'box' | 'origin'>;

/** The data of a chart; null for kinds that a deck does not know. */
export function chartOf(space: XmlElement, context: ChartContext): ChartData | null {
  const chart = childAt(space, 'chart');
  const area = childAt(chart, 'plotArea');
  const plots = childrenOf(area).filter(({ localName }) => Object.hasOwn(KINDS, localName ?? ''));
  const [first] = plots;
  if (first === undefined) return null;
  const kind = kindOf(first);
  for (const plot of plots) {
    noteKind(plot, context.ledger);
    noteLooks(plot, context.ledger);
  }
  noteFeatures(chart, area, context.ledger);
  const series = plots.flatMap((plot) => seriesOf(plot, { kind, context }));
  if (series.length > SERIES_MAX) {
    const what = `a chart keeps ${SERIES_MAX} of its ${series.length} series`;
    context.ledger.lose('CHART_SERIES_DROPPED', what);
  }
  const all = plots.flatMap((plot) => childrenOf(plot, 'ser'));
  const labels = all.flatMap((one) =>
    ['cat', 'xVal'].map((name) => pointsOf(childAt(one, name), true)),
  );
  const categories = labels.find((points) => points.length > 0) ?? [];
  const title = descendantsOf(childAt(chart, 'title'), 't').map((one) => one.textContent ?? '');
  const name = cleanText(title.join('')) || usualTitle(chart, all);
  const hole = numberOf(childAt(first, 'holeSize'), 'val', 0) / 100;
  return {
    kind: 'chart',
    chart: kind,
    ...groupingOf(first, kind),
    ...(name === '' ? {} : { title: name }),
    categories: categories.map((label) => cleanText(label ?? '')),
    series: series.slice(0, SERIES_MAX).map((one, index) => {
      const { colour, ...rest } = one;
      const usual = context.scheme.get(`accent${(index % 6) + 1}`);
      return colour === undefined || colour === usual ? rest : one;
    }),
    ...(kind === 'doughnut' && hole >= 0.1 && hole <= 0.9 && hole !== 0.5 ? { hole } : {}),
    ...chartLookOf(space, { plot: first, kind, series }),
  };
}

/** A title without words is the name of the one series. */
function usualTitle(chart: XmlElement | null, series: readonly XmlElement[]): string {
  if (childAt(chart, 'title') === null || series.length !== 1) return '';
  return cleanText(pointsOf(childAt(series[0]!, 'tx'))[0] ?? '');
}

function kindOf(plot: XmlElement): ChartBlock['chart'] {
  const [kind] = KINDS[plot.localName!]!;
  return kind === 'column' && valueOf(childAt(plot, 'barDir')) === 'bar' ? 'bar' : kind;
}

function groupingOf(plot: XmlElement, kind: string): Pick<ChartBlock, 'grouping'> {
  const grouping = valueOf(childAt(plot, 'grouping'));
  if (!['bar', 'column', 'line', 'area'].includes(kind)) return {};
  if (grouping === 'stacked') return { grouping };
  return grouping === 'percentStacked' ? { grouping: 'percent' } : {};
}

function noteKind(plot: XmlElement, ledger: ElementLedger): void {
  const [kind, other] = KINDS[plot.localName!]!;
  if (other === null) return;
  ledger.lose('CHART_TYPE_APPROXIMATED', `${other} are kept as a ${kind} chart`);
}

function noteLooks(plot: XmlElement, ledger: ElementLedger): void {
  const series = childrenOf(plot, 'ser');
  if (series.some((one) => valueOf(childAt(one, 'smooth')) === '1')) {
    ledger.lose('CHART_TYPE_APPROXIMATED', 'curves are drawn as straight lines');
  }
  const isFilled = /^(bar|area)/.test(plot.localName ?? '');
  if (isFilled && series.some((one) => childAt(one, 'spPr', 'noFill') !== null)) {
    ledger.lose('CHART_FEATURE_DROPPED', 'bars and areas that are only outlines are filled');
  }
}

function noteFeatures(
  chart: XmlElement | null,
  area: XmlElement | null,
  ledger: ElementLedger,
): void {
  noteAxes(area, ledger);
  for (const [name, what] of Object.entries(FEATURES)) {
    if (descendantsOf(area, name).length === 0) continue;
    ledger.lose('CHART_FEATURE_DROPPED', `${what} are not kept`);
  }
  const axes = childrenOf(area).filter(({ localName }) => localName === 'valAx');
  const isPair = childAt(area, 'scatterChart') !== null || childAt(area, 'bubbleChart') !== null;
  if (axes.filter((axis) => valueOf(childAt(axis, 'delete')) !== '1').length > (isPair ? 2 : 1)) {
    ledger.lose('CHART_FEATURE_DROPPED', 'a second axis is not kept');
  }
  const shown = descendantsOf(chart, 'dLbls').some((labels) =>
    ['showVal', 'showCatName', 'showPercent', 'showSerName'].some(
      (name) => valueOf(childAt(labels, name)) === '1',
    ),
  );
  const written = (name: string, within: string): string =>
    descendantsOf(chart, within)
      .flatMap((one) => descendantsOf(childAt(one, name), 't'))
      .map((one) => one.textContent ?? '')
      .join(' ');
  const labels = written('tx', 'dLbl');
  if (shown || labels !== '') {
    ledger.lose('CHART_FEATURE_DROPPED', 'labels at values are not kept', labels);
  }
  const titles = ['valAx', 'catAx', 'dateAx', 'serAx'].map((axis) => written('title', axis));
  const words = titles.filter((one) => one !== '').join(' ');
  if (words !== '') ledger.lose('CHART_FEATURE_DROPPED', 'titles of axes are not kept', words);
}

/** The colours of single values; none where all have that of the series. */
function coloursOf(
  series: XmlElement,
  { scheme, isRound }: { readonly scheme: Scheme; readonly isRound: boolean },
): { colours?: (string | null)[] } {
  const colours: (string | null)[] = [];
  for (const point of childrenOf(series, 'dPt')) {
    const index = numberOf(childAt(point, 'idx'), 'val', -1);
    const colour = colourIn(childAt(point, 'spPr', 'solidFill'), scheme);
    const isUsual = isRound && colour?.colour === scheme.get(`accent${(index % 6) + 1}`);
    if (colour === null || isUsual || !Number.isInteger(index) || index < 0 || index >= POINTS_MAX)
      continue;
    while (colours.length <= index) colours.push(null);
    colours[index] = colour.colour;
  }
  return colours.length === 0 ? {} : { colours };
}

/** The kinds of plots that may stand on another one. */
const ON_OTHERS = ['column', 'line', 'area'] as const;

function seriesOf(
  plot: XmlElement,
  { kind, context }: { kind: ChartBlock['chart']; context: ChartContext },
): ChartBlock['series'] {
  const own = kindOf(plot);
  const other = own === kind ? undefined : ON_OTHERS.find((one) => one === own);
  return childrenOf(plot, 'ser').map((one) => {
    const properties = childAt(one, 'spPr');
    const isRound = own === 'pie' || own === 'doughnut';
    const fill = childAt(properties, 'solidFill') ?? childAt(properties, 'ln', 'solidFill');
    const colour = isRound ? null : colourIn(fill, context.scheme);
    const x = own === 'scatter' ? pointsOf(childAt(one, 'xVal')).map(numberIn) : [];
    return {
      name: cleanText(pointsOf(childAt(one, 'tx'))[0] ?? ''),
      values: pointsOf(childAt(one, 'val') ?? childAt(one, 'yVal')).map(numberIn),
      ...(x.some((value) => value !== null) ? { x } : {}),
      ...(colour === null ? {} : { colour: colour.colour }),
      ...coloursOf(one, { scheme: context.scheme, isRound }),
      ...(other === undefined ? {} : { chart: other }),
    };
  });
}
