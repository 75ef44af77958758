import { type Box, layoutOf, type Layout } from './layout.ts';
import { causeText, NEW_EPOCH_SIGN } from './moves.ts';
import { ROOT_CLASS, styleSheet } from './style.ts';
import { escapeXml, LABEL_SIZE, LINE_HEIGHT, textWidth } from './text.ts';
import type { Label, Point, Wire } from './wires.ts';
import type { Lifecycle } from '../core/lifecycle.ts';

const BOX_HEIGHT = 46;
const TALL_BOX_HEIGHT = 62;
const CORNER = 9;
const HEAD = 7;
const LEGEND_X = 60;
const LEGEND =
  `dashed or ${NEW_EPOCH_SIGN}: opens a new epoch · (${NEW_EPOCH_SIGN}): sometimes · ` +
  'double border: terminal';

export interface SvgOptions {
  /** How many jobs stand in each state. */
  readonly counts?: Readonly<Record<string, number>>;
  /** The state that a job is in now. */
  readonly current?: string;
  /** The states that a job has been in, in order: the path it took. */
  readonly visited?: readonly string[];
}

/** The lifecycle as a picture that needs nothing else: no fonts, no scripts, light and dark. */
export function svgOf(lifecycle: Lifecycle, options: SvgOptions = {}): string {
  const isTall = options.counts !== undefined || options.current !== undefined;
  const layout = layoutOf(lifecycle, isTall ? TALL_BOX_HEIGHT : BOX_HEIGHT);
  const width = Math.ceil(Math.max(layout.width, LEGEND_X + textWidth(LEGEND, 11) + 20));
  const height = Math.ceil(layout.height);
  const id = `${ROOT_CLASS}-${lifecycle.name.replaceAll(/\W/g, '_')}-${lifecycle.version}`;
  const name = `${lifecycle.name} v${lifecycle.version}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="${ROOT_CLASS}"` +
      ` viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"` +
      ` role="img" aria-labelledby="${id}-title ${id}-desc">`,
    `<title id="${id}-title">The lifecycle ${escapeXml(name)}</title>`,
    `<desc id="${id}-desc">${escapeXml(describe(layout, options))}</desc>`,
    `<style>${styleSheet()}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    `<text class="title" x="20" y="30">${escapeXml(name)}</text>`,
    ...startMark(layout),
    ...layout.wires.map((wire) => drawWire(wire, options)),
    ...layout.boxes.map((box) => drawBox(box, options)),
    ...layout.wires.map((wire) => drawLabel(wire, options)),
    legend(height),
    '</svg>',
    '',
  ].join('\n');
}

/** The table in words, for those who hear the picture. */
function describe({ boxes, wires }: Layout, { counts, current, visited }: SvgOptions): string {
  const first = boxes.find(({ node }) => node.isInitial)!.node.state;
  const moves = wires.map(({ move }) => {
    const causes = move.causes.map((cause) => causeText(cause, false)).join(' or ');
    return `${move.from} to ${move.to} on ${causes}`;
  });
  const totals = Object.entries(counts ?? {}).map(([state, count]) => `${count} in ${state}`);
  return [
    `A job begins in ${first}. Moves: ${moves.join('; ')}.`,
    ...(totals.length > 0 ? [`Jobs now: ${totals.join(', ')}.`] : []),
    ...(visited === undefined ? [] : [`The path taken: ${visited.join(', ')}.`]),
    ...(current === undefined ? [] : [`The job is in ${current}.`]),
  ].join(' ');
}

function startMark({ boxes }: Layout): readonly string[] {
  const { x, y, height } = boxes.find(({ node }) => node.isInitial)!;
  const middle = y + height / 2;
  return [
    `<circle class="head" cx="${x - 34}" cy="${middle}" r="5"/>`,
    `<path class="wire" d="M${x - 29} ${middle}H${x - HEAD}"/>`,
    arrowHead([x - 29, middle], [x, middle]),
  ];
}

function isTaken({ move }: Wire, { visited = [] }: SvgOptions): boolean {
  return visited.some((state, index) => state === move.from && visited[index + 1] === move.to);
}

function classesOf(wire: Wire, options: SvgOptions): string {
  const taken = isTaken(wire, options) ? ' taken' : ' faded';
  const epoch = wire.move.isNewEpoch ? ' new-epoch' : '';
  return `move${epoch}${options.visited === undefined ? '' : taken}`;
}

function drawWire(wire: Wire, options: SvgOptions): string {
  const { move, points } = wire;
  const from = escapeXml(move.from);
  const to = escapeXml(move.to);
  const head = arrowHead(points.at(-2)!, points.at(-1)!);
  return (
    `<g class="${classesOf(wire, options)}" data-from="${from}" data-to="${to}">` +
    `<path class="wire" d="${roundedPath(shortened(points))}"/>${head}</g>`
  );
}

/** The line ends inside the arrow's head, so that a thick one does not stick out. */
function shortened(points: readonly Point[]): readonly Point[] {
  const [x, y] = points.at(-1)!;
  const [dx, dy] = direction(points.at(-2)!, [x, y]);
  return [...points.slice(0, -1), [x - dx * HEAD, y - dy * HEAD]];
}

function direction(from: Point, to: Point): Point {
  return [Math.sign(to[0] - from[0]), Math.sign(to[1] - from[1])];
}

function roundedPath(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (before === undefined) return `M${point.join(' ')}`;
      if (after === undefined) return `L${point.join(' ')}`;
      const into = towards(point, before);
      const out = towards(point, after);
      return `L${into.join(' ')}Q${point.join(' ')} ${out.join(' ')}`;
    })
    .join('');
}

function towards(corner: Point, other: Point): Point {
  const [dx, dy] = direction(corner, other);
  const length = Math.abs(other[0] - corner[0]) + Math.abs(other[1] - corner[1]);
  const reach = Math.min(CORNER, length / 2);
  return [corner[0] + dx * reach, corner[1] + dy * reach];
}

function arrowHead(from: Point, [x, y]: Point): string {
  const [dx, dy] = direction(from, [x, y]);
  const [backX, backY] = [x - dx * HEAD, y - dy * HEAD];
  const [sideX, sideY] = [dy * 4, dx * 4];
  const corners = [
    [x, y],
    [backX + sideX, backY + sideY],
    [backX - sideX, backY - sideY],
  ];
  return `<polygon class="head" points="${corners.map((corner) => corner.join()).join(' ')}"/>`;
}

function drawBox({ node, x, y, width, height }: Box, options: SvgOptions): string {
  const isHere = node.state === options.current;
  const isFaded = options.visited !== undefined && !isHere && !options.visited.includes(node.state);
  const count = options.counts?.[node.state];
  const extra = [
    ...(isHere ? ['now'] : []),
    ...(count === undefined ? [] : [`${grouped(count)} ${count === 1 ? 'job' : 'jobs'}`]),
  ].join(' · ');
  const middle = x + width / 2;
  const textY = y + height / 2 + (extra === '' ? -2 : -9);
  const [plain, inner] = [rect(x, y, width, height), rect(x + 3, y + 3, width - 6, height - 6)];
  return [
    `<g class="state${isFaded ? ' faded' : ''}" data-state="${escapeXml(node.state)}">`,
    `<rect class="box ${node.mainPhase}" ${plain} rx="7"/>`,
    node.isTerminal ? `<rect class="box ${node.mainPhase} inner" ${inner} rx="5"/>` : '',
    isHere ? `<rect class="ring" ${rect(x - 4, y - 4, width + 8, height + 8)} rx="10"/>` : '',
    `<text class="name" x="${middle}" y="${textY}">${escapeXml(node.state)}</text>`,
    `<text class="phases quiet" x="${middle}" y="${textY + 15}">${node.phases.join(' · ')}</text>`,
    extra === '' ? '' : `<text class="extra" x="${middle}" y="${textY + 31}">${extra}</text>`,
    '</g>',
  ].join('');
}

function rect(x: number, y: number, width: number, height: number): string {
  return `x="${x}" y="${y}" width="${width}" height="${height}"`;
}

function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

function drawLabel(wire: Wire, options: SvgOptions): string {
  const { label } = wire;
  const isFaded = options.visited !== undefined && !isTaken(wire, options);
  const anchor = label.anchor === 'middle' ? ' text-anchor="middle"' : '';
  const x = label.anchor === 'middle' ? label.x + label.width / 2 : label.x;
  const lines = label.lines.map((line, index) => lineOf(label, line, { x, index }));
  return `<text class="label halo${isFaded ? ' faded' : ''}"${anchor}>${lines.join('')}</text>`;
}

function lineOf(label: Label, line: string, at: { x: number; index: number }): string {
  const y = label.y + at.index * LINE_HEIGHT + LABEL_SIZE;
  return `<tspan x="${at.x}" y="${y}">${escapeXml(line)}</tspan>`;
}

function legend(height: number): string {
  const y = height - 18;
  return (
    `<g class="new-epoch"><path class="wire" d="M20 ${y - 4}H52"/></g>` +
    `<text class="legend quiet" x="${LEGEND_X}" y="${y}">${LEGEND}</text>`
  );
}
