import type { Box } from './layout.ts';
import { centerOf, type Lane } from './lanes.ts';
import type { DiagramMove } from './moves.ts';
import { LINE_HEIGHT, linesWidth } from './text.ts';

export type Point = readonly [x: number, y: number];

export interface Label {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly string[];
  readonly anchor: 'start' | 'middle';
}

/** An arrow: its corners from tail to head, and its label. */
export interface Wire {
  readonly move: DiagramMove;
  readonly points: readonly Point[];
  readonly label: Label;
}

type Side = 'top' | 'bottom';

/** One end of an arrow at the top or bottom of a box. */
interface Foot {
  readonly lane: Lane;
  readonly end: 'tail' | 'head';
  readonly state: string;
  readonly side: Side;
  readonly isLeftward: boolean;
  readonly distance: number;
}

/** Draws the lanes: feet are spread along the boxes so that nested arrows do not cross. */
export function wiresOf(
  lanes: readonly Lane[],
  boxes: ReadonlyMap<string, Box>,
  laneY: (lane: Lane) => number,
): readonly Wire[] {
  const feet = lanes.flatMap((lane) => feetOf(lane, boxes, laneY(lane)));
  const places = footPlaces(feet, boxes);
  const paths = lanes.map((lane) => {
    const points = pointsOf(lane, boxes, {
      y: laneY(lane),
      tailX: places.get(lane)?.tail ?? 0,
      headX: places.get(lane)?.head ?? 0,
    });
    return { lane, points };
  });
  return paths.map(({ lane, points }) => {
    const others = paths.filter((path) => path.lane !== lane).map((path) => path.points);
    const label = labelOf(lane, points, laneY(lane));
    return { move: lane.move, points, label: asideOf(label, points, others) };
  });
}

/** Shifts a label along its line, as little as needed, to where no other arrow cuts through it. */
function asideOf(
  label: Label,
  points: readonly Point[],
  others: readonly (readonly Point[])[],
): Label {
  if (label.anchor === 'start') return label;
  const [left, right] = [points[0]![0], points.at(-1)![0]].sort((a, b) => a - b) as [
    number,
    number,
  ];
  const reach = (right - left - label.width) / 2 - 8;
  for (let shift = 0; shift <= reach; shift += 8) {
    for (const x of [label.x - shift, label.x + shift]) {
      const moved = { ...label, x };
      if (!others.some((path) => cuts(path, moved))) return moved;
    }
  }
  return label;
}

/** Whether one of the arrow's upright parts runs through the label. */
function cuts(path: readonly Point[], { x, y, width, height }: Label): boolean {
  return path.some(([nextX, nextY], index) => {
    const before = path[index - 1];
    if (before?.[0] !== nextX) return false;
    const [top, bottom] = [before[1], nextY].sort((a, b) => a - b) as [number, number];
    return nextX > x - 4 && nextX < x + width + 4 && top < y + height && bottom > y;
  });
}

function feetOf(lane: Lane, boxes: ReadonlyMap<string, Box>, y: number): readonly Foot[] {
  if (lane.course === 'straight') return [];
  const ends = lane.course === 'under' ? (['tail'] as const) : (['tail', 'head'] as const);
  return ends.map((end) => {
    const [own, other] = end === 'tail' ? [lane.from, lane.to] : [lane.to, lane.from];
    const box = boxes.get(own.node.state)!;
    const side = y < box.y ? 'top' : 'bottom';
    const distance = side === 'top' ? box.y - y : y - box.y - box.height;
    const isLeftward = centerOf(other) < centerOf(own);
    return { lane, end, state: own.node.state, side, isLeftward, distance };
  });
}

/** Leftward feet from near to far, then rightward feet from far to near. */
function footPlaces(
  feet: readonly Foot[],
  boxes: ReadonlyMap<string, Box>,
): ReadonlyMap<Lane, { tail?: number; head?: number }> {
  const places = new Map<Lane, { tail?: number; head?: number }>();
  for (const group of Map.groupBy(feet, ({ state, side }) => `${side} ${state}`).values()) {
    const left = group.filter((foot) => foot.isLeftward).sort((a, b) => a.distance - b.distance);
    const right = group.filter((foot) => !foot.isLeftward).sort((a, b) => b.distance - a.distance);
    const box = boxes.get(group[0]!.state)!;
    for (const [index, { lane, end }] of [...left, ...right].entries()) {
      const x = Math.round(box.x + (box.width * (index + 1)) / (group.length + 1));
      places.set(lane, { ...places.get(lane), [end]: x });
    }
  }
  return places;
}

function pointsOf(
  lane: Lane,
  boxes: ReadonlyMap<string, Box>,
  { y, tailX, headX }: { y: number; tailX: number; headX: number },
): readonly Point[] {
  const from = boxes.get(lane.move.from)!;
  const to = boxes.get(lane.move.to)!;
  const edgeY = (box: Box): number => (y < box.y ? box.y : box.y + box.height);
  if (lane.course === 'straight') {
    return [
      [from.x + from.width, y],
      [to.x, y],
    ];
  }
  const corner: Point[] = [
    [tailX, edgeY(from)],
    [tailX, y],
  ];
  if (lane.course === 'under') return [...corner, [to.x, y]];
  return [...corner, [headX, y], [headX, edgeY(to)]];
}

function labelOf(lane: Lane, points: readonly Point[], y: number): Label {
  const { lines, course } = lane;
  const width = linesWidth(lines);
  const height = lines.length * LINE_HEIGHT;
  const top = { y: y - height - 3, width, height, lines };
  const [start] = points[0]!;
  switch (course) {
    case 'straight':
      return { ...top, x: start + 12, anchor: 'start' };
    case 'under':
      return { ...top, x: start + 8, anchor: 'start' };
    case 'loop':
      return { ...top, x: start, anchor: 'start' };
    case 'over':
    case 'between':
      return { ...top, x: (start + points.at(-1)![0]) / 2 - width / 2, anchor: 'middle' };
  }
}
