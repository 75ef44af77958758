import { type Seat, seatStates } from './columns.ts';
import { type Lane, laneHeight, planLanes, type Zone } from './lanes.ts';
import { type Diagram, type DiagramState, foldLifecycle } from './moves.ts';
import { type Wire, wiresOf } from './wires.ts';
import type { Lifecycle } from '../core/lifecycle.ts';

const MARGIN = 20;
const TITLE_HEIGHT = 30;
const LEGEND_HEIGHT = 30;
const START_WIDTH = 40;
const CLEARANCE = 14;

export interface Box {
  readonly node: DiagramState;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A picture in numbers: what is drawn where, before any ink. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
}

/** The y of each row and lane. */
export interface Rows {
  readonly boxHeight: number;
  readonly upperY: number;
  readonly mainY: number;
  readonly laneY: (lane: Lane) => number;
  readonly bottomY: number;
}

/** Lays a lifecycle out from left to right, its happy path on one line. */
export function layoutOf(lifecycle: Lifecycle, boxHeight: number): Layout {
  const diagram: Diagram = foldLifecycle(lifecycle);
  const seats = seatStates(diagram, MARGIN + START_WIDTH);
  const lanes = planLanes(diagram, seats);
  const ends = endsOf(seats, lanes, boxHeight);
  const rows = rowsOf(seats, lanes, { boxHeight, ends });
  const boxes = [...seats.values()].map((seat) => boxOf(seat, rows, ends));
  const byState = new Map(boxes.map((box) => [box.node.state, box]));
  const wires = wiresOf(lanes, byState, rows.laneY);
  const right = Math.max(
    ...boxes.map(({ x, width }) => x + width),
    ...wires.map(({ label }) => label.x + label.width),
  );
  return { width: right + MARGIN, height: rows.bottomY + LEGEND_HEIGHT + MARGIN, boxes, wires };
}

interface End {
  readonly offset: number;
  readonly height: number;
  readonly lanes: readonly Lane[];
}

/** The endings under the success, each as high as the arrows that reach it. */
function endsOf(
  seats: ReadonlyMap<string, Seat>,
  lanes: readonly Lane[],
  boxHeight: number,
): ReadonlyMap<string, End> {
  const ends = new Map<string, End>();
  let offset = 0;
  for (const { node, level } of seats.values()) {
    if (level !== 'end') continue;
    const into = lanes.filter(({ zone, to }) => zone === 'under' && to.node.state === node.state);
    const height = Math.max(boxHeight, sum(into.map(laneHeight)) + CLEARANCE);
    ends.set(node.state, { offset, height, lanes: into });
    offset += height + CLEARANCE;
  }
  return ends;
}

function rowsOf(
  seats: ReadonlyMap<string, Seat>,
  lanes: readonly Lane[],
  { boxHeight, ends }: { boxHeight: number; ends: ReadonlyMap<string, End> },
): Rows {
  const hasUpper = [...seats.values()].some(({ level }) => level === 'upper');
  const upperY = MARGIN + TITLE_HEIGHT + zoneHeight(lanes, 'sky');
  const mainY = hasUpper ? upperY + boxHeight + zoneHeight(lanes, 'between') + CLEARANCE : upperY;
  const endsY = mainY + boxHeight + CLEARANCE * 1.5;
  const bottoms = [...ends.values()].map(({ offset, height }) => endsY + offset + height);
  const laneY = (lane: Lane): number => {
    if (lane.zone === 'line') return mainY + boxHeight / 2;
    if (lane.zone === 'under') return endsY + endLaneY(ends.get(lane.to.node.state)!, lane);
    const baseY = lane.zone === 'sky' ? upperY : mainY;
    return baseY - CLEARANCE - sum(levelHeights(lanes, lane.zone).slice(0, lane.level));
  };
  return { boxHeight, upperY, mainY, laneY, bottomY: Math.max(mainY + boxHeight, ...bottoms) };
}

function levelHeights(lanes: readonly Lane[], zone: Zone): readonly number[] {
  const heights: number[] = [];
  for (const lane of lanes.filter((one) => one.zone === zone)) {
    heights[lane.level] = Math.max(heights[lane.level] ?? 0, laneHeight(lane));
  }
  return heights;
}

function zoneHeight(lanes: readonly Lane[], zone: Zone): number {
  const heights = levelHeights(lanes, zone);
  return heights.length === 0 ? 0 : sum(heights) + CLEARANCE;
}

/** The line runs at the foot of its slot, under its label. */
function endLaneY({ offset, height, lanes }: End, lane: Lane): number {
  const heights = lanes.map(laneHeight);
  const above = sum(heights.filter((_, index) => lanes[index]!.level <= lane.level));
  return offset + (height - sum(heights)) / 2 + above - 4;
}

function boxOf(seat: Seat, rows: Rows, ends: ReadonlyMap<string, End>): Box {
  const { node, x, width, level } = seat;
  const { boxHeight: height, mainY, upperY } = rows;
  if (level !== 'end') return { node, x, width, height, y: level === 'main' ? mainY : upperY };
  const end = ends.get(node.state)!;
  const endsY = mainY + height + CLEARANCE * 1.5;
  return { node, x, width, height: end.height, y: endsY + end.offset };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
