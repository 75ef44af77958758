// A chart of a deck as the part of an office file that draws it.
import { CHART_DEFAULTS, hasLegend } from '../deck/chart-legend.ts';
import type { ChartBlock } from '../deck/deck.ts';
import { element, escaped, valued } from './xml.ts';

interface ChartXmlOptions {
  readonly accents: readonly string[];
  /** Of the letters. */
  readonly colour: string;
  /** What connects the chart with its sheet. */
  readonly external: string;
}

type Series = ChartBlock['series'][number];
type Kind = ChartBlock['chart'];

const NAMESPACES = {
  'xmlns:c': 'http://schemas.openxmlformats.org/drawingml/2006/chart',
  'xmlns:a': 'http://schemas.openxmlformats.org/drawingml/2006/main',
  'xmlns:r': 'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
};

/** A, B, … Z, AA: the columns of a sheet. */
function columnName(index: number): string {
  const letter = String.fromCodePoint(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

const text = (name: string, words: string): string => element(name, {}, escaped(words));

function numbersXml(reference: string, values: readonly (number | null)[]): string {
  const points = values.flatMap((value, idx) =>
    value === null ? [] : [element('c:pt', { idx }, text('c:v', String(value)))],
  );
  const head = text('c:formatCode', 'General') + valued('c:ptCount', values.length);
  const cache = element('c:numCache', {}, head, ...points);
  return element('c:numRef', {}, text('c:f', reference), cache);
}

function wordsXml(reference: string, words: readonly string[]): string {
  const points = words.map((one, idx) => element('c:pt', { idx }, text('c:v', one)));
  const cache = element('c:strCache', {}, valued('c:ptCount', words.length), ...points);
  return element('c:strRef', {}, text('c:f', reference), cache);
}

const solid = (colour: string): string =>
  element('a:solidFill', {}, valued('a:srgbClr', colour.slice(1)));

function lookXml(kind: Kind, colour: string, isJoined: boolean): string {
  const line = { w: 28_575, cap: 'rnd' };
  const isLine = kind === 'line' || (kind === 'scatter' && isJoined);
  if (isLine) return element('c:spPr', {}, element('a:ln', line, solid(colour)));
  if (kind === 'scatter' && !isJoined) {
    return element('c:spPr', {}, element('a:ln', {}, '<a:noFill/>'));
  }
  return element('c:spPr', {}, solid(colour));
}

function markerXml(kind: Kind, colour: string, points: boolean): string {
  if (kind !== 'line' && kind !== 'scatter') return '';
  if (kind === 'line' && !points) return element('c:marker', {}, valued('c:symbol', 'none'));
  const look = valued('c:symbol', 'circle') + valued('c:size', 6);
  return element('c:marker', {}, look, element('c:spPr', {}, solid(colour)));
}

function sliceXml(index: number, colour: string): string {
  const head = valued('c:idx', index) + valued('c:bubble3D', 0);
  return element('c:dPt', {}, head, element('c:spPr', {}, solid(colour)));
}

/** Values with a colour of their own. */
function pointsXml({ colours = [] }: Series): string {
  return colours.map((colour, index) => (colour === null ? '' : sliceXml(index, colour))).join('');
}

function seriesXml(
  one: Series,
  index: number,
  of: { chart: ChartBlock; kind: Kind; accents: readonly string[] },
): string {
  const { chart, kind, accents } = of;
  const column = columnName(index + 1);
  const cells = (name: string): string =>
    `Sheet1!$${name}$2:$${name}$${Math.max(chart.categories.length, 1) + 1}`;
  const colour = one.colour ?? accents[index % accents.length]!;
  const isRound = kind === 'pie' || kind === 'doughnut';
  const slices = chart.categories.map((_, at) =>
    sliceXml(at, one.colours?.[at] ?? accents[at % accents.length]!),
  );
  const name = element('c:tx', {}, wordsXml(`Sheet1!$${column}$1`, [one.name]));
  const labels = wordsXml(cells('A'), chart.categories);
  const values = numbersXml(cells(column), one.values);
  const places = one.x === undefined ? labels : numbersXml(cells('A'), one.x);
  const data =
    kind === 'scatter'
      ? element('c:xVal', {}, places) + element('c:yVal', {}, values)
      : element('c:cat', {}, labels) + element('c:val', {}, values);
  const isBar = kind === 'bar' || kind === 'column';
  return element(
    'c:ser',
    {},
    valued('c:idx', index) + valued('c:order', index) + name,
    isRound
      ? ''
      : lookXml(kind, colour, chart.joined === true) +
          markerXml(kind, colour, chart.points !== false),
    isBar ? valued('c:invertIfNegative', 0) : '',
    isRound ? slices.join('') : pointsXml(one),
    data,
    kind === 'line' || kind === 'scatter' ? valued('c:smooth', 0) : '',
  );
}

const [FIRST_AXIS, SECOND_AXIS] = [2_094_734_552, 2_094_734_553];
const AXES = valued('c:axId', FIRST_AXIS) + valued('c:axId', SECOND_AXIS);
const GROUPINGS = { stacked: 'stacked', percent: 'percentStacked' } as const;

function plotXml(kind: Kind, chart: ChartBlock, series: string): string {
  const isStacked = chart.grouping !== undefined && kind === chart.chart;
  const grouping = (otherwise: string): string =>
    valued('c:grouping', isStacked ? GROUPINGS[chart.grouping!] : otherwise);
  const plain = valued('c:varyColors', 0);
  const varied = valued('c:varyColors', 1);
  const angle = valued('c:firstSliceAng', 0);
  switch (kind) {
    case 'bar':
    case 'column': {
      const head = valued('c:barDir', kind === 'bar' ? 'bar' : 'col') + grouping('clustered');
      const gap =
        valued('c:gapWidth', Math.round((chart.gap ?? CHART_DEFAULTS.gap) * 100)) +
        (isStacked ? valued('c:overlap', 100) : '');
      return element('c:barChart', {}, head, plain, series, gap, AXES);
    }
    case 'line': {
      const marker = valued('c:marker', 1);
      return element('c:lineChart', {}, grouping('standard'), plain, series, marker, AXES);
    }
    case 'area':
      return element('c:areaChart', {}, grouping('standard'), plain, series, AXES);
    case 'pie':
      return element('c:pieChart', {}, varied, series, angle);
    case 'doughnut': {
      const hole = valued('c:holeSize', Math.round((chart.hole ?? 0.5) * 100));
      return element('c:doughnutChart', {}, varied, series, angle, hole);
    }
    case 'scatter': {
      const style = valued('c:scatterStyle', 'lineMarker');
      return element('c:scatterChart', {}, style, plain, series, AXES);
    }
  }
}

/** The plots of a chart: its own, and those of series that are drawn differently. */
function plotsXml(chart: ChartBlock, accents: readonly string[]): string {
  const others = chart.series.flatMap((one) => one.chart ?? []);
  const kinds = [...new Set<Kind>([chart.chart, ...others])];
  return kinds
    .map((kind) => {
      const series = chart.series.map((one, index) =>
        (one.chart ?? chart.chart) === kind ? seriesXml(one, index, { chart, kind, accents }) : '',
      );
      return plotXml(kind, chart, series.join(''));
    })
    .join('');
}

function axesXml(chart: ChartBlock, letters: string): string {
  if (chart.chart === 'pie' || chart.chart === 'doughnut') return '';
  const isLying = chart.chart === 'bar';
  const isTurned = isLying && chart.fromBelow !== true;
  const isScatter = chart.chart === 'scatter';
  const line = element('a:ln', { w: 9_525 }, solid('#D9DEE5'));
  const grid = element('c:majorGridlines', {}, element('c:spPr', {}, line));
  const { least, most, step, reversed } = chart.axis ?? {};
  const bounds =
    (most === undefined ? '' : valued('c:max', most)) +
    (least === undefined ? '' : valued('c:min', least));
  const bare = chart.unlabelled;
  const isBare = (id: number): boolean =>
    bare === 'both' || bare === (id === FIRST_AXIS ? 'categories' : 'values');
  const axis = (of: { id: number; order: string; place: string; grid: string; format: string }) => [
    valued('c:axId', of.id),
    element(
      'c:scaling',
      {},
      valued('c:orientation', of.order),
      of.id === SECOND_AXIS ? bounds : '',
    ),
    valued('c:delete', isBare(of.id) ? 1 : 0),
    valued('c:axPos', of.place),
    of.grid,
    element('c:numFmt', { formatCode: of.format, sourceLinked: 0 }),
    valued('c:majorTickMark', 'none'),
    valued('c:minorTickMark', 'none'),
    valued('c:tickLblPos', of.id === FIRST_AXIS ? 'low' : 'nextTo'),
    letters,
    valued('c:crossAx', of.id === FIRST_AXIS ? SECOND_AXIS : FIRST_AXIS),
    valued('c:crosses', of.id === SECOND_AXIS && isTurned ? 'max' : 'autoZero'),
    of.id === SECOND_AXIS && step !== undefined ? valued('c:majorUnit', step) : '',
  ];
  const first = axis({
    id: FIRST_AXIS,
    order: isTurned ? 'maxMin' : 'minMax',
    place: isLying ? 'l' : 'b',
    grid: '',
    format: 'General',
  });
  const second = axis({
    id: SECOND_AXIS,
    order: reversed === true ? 'maxMin' : 'minMax',
    place: isLying ? 'b' : 'l',
    grid,
    format: chart.grouping === 'percent' ? '0%' : 'General',
  });
  return (
    element(isScatter ? 'c:valAx' : 'c:catAx', {}, ...first) + element('c:valAx', {}, ...second)
  );
}

function titleXml(title: string | undefined, colour: string): string {
  if (title === undefined) return valued('c:autoTitleDeleted', 1);
  const look = { lang: 'en-US', sz: 1_400, b: 1 };
  const run = element('a:r', {}, element('a:rPr', look, solid(colour)), text('a:t', title));
  const rich = element('c:rich', {}, '<a:bodyPr/><a:lstStyle/>', element('a:p', {}, run));
  const words = element('c:tx', {}, rich) + valued('c:overlay', 0);
  return element('c:title', {}, words) + valued('c:autoTitleDeleted', 0);
}

export function chartXml(
  chart: ChartBlock,
  { accents, colour, external }: ChartXmlOptions,
): string {
  const usual = element(
    'a:pPr',
    {},
    element(
      'a:defRPr',
      { sz: Math.round((chart.size ?? CHART_DEFAULTS.size) * 100) },
      solid(colour),
    ),
  );
  const paragraph = element('a:p', {}, usual, '<a:endParaRPr lang="en-US"/>');
  const letters = element('c:txPr', {}, '<a:bodyPr/><a:lstStyle/>', paragraph);
  const legend = element(
    'c:legend',
    {},
    valued('c:legendPos', (chart.legend ?? 'bottom').slice(0, 1)) +
      valued('c:overlay', 0) +
      letters,
  );
  const area = element(
    'c:plotArea',
    {},
    '<c:layout/>',
    plotsXml(chart, accents),
    axesXml(chart, letters),
  );
  const whole = element(
    'c:chart',
    {},
    titleXml(chart.title, colour),
    area,
    hasLegend(chart) ? legend : '',
    valued('c:plotVisOnly', 1) + valued('c:dispBlanksAs', 'gap'),
  );
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
  const corners = valued('c:roundedCorners', 0);
  return head + element('c:chartSpace', NAMESPACES, corners, whole, external);
}
