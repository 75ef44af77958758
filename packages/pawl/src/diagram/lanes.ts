import { type Course, courseOf, LABEL_WIDTH_MAX, type Seat } from './columns.ts';
import type { Diagram, DiagramMove } from './moves.ts';
import { labelLines, LINE_HEIGHT, linesWidth } from './text.ts';

/** `sky`: over everything. `between`: under the upper boxes. `under`: beside one ending. */
export type Zone = 'line' | 'sky' | 'between' | 'under';

/** An arrow whose way is known in words, not yet in numbers. */
export interface Lane {
  readonly move: DiagramMove;
  readonly from: Seat;
  readonly to: Seat;
  readonly course: Course;
  readonly zone: Zone;
  readonly lines: readonly string[];
  /** Counted away from the happy line, per zone (and per ending). */
  readonly level: number;
}

type Draft = Omit<Lane, 'level'>;

export function centerOf(seat: Seat): number {
  return seat.x + seat.width / 2;
}

export function laneHeight({ lines }: Pick<Lane, 'lines'>): number {
  return lines.length * LINE_HEIGHT + 12;
}

/** Decides for every arrow where it runs, so that short arrows nest inside long ones. */
export function planLanes(diagram: Diagram, seats: ReadonlyMap<string, Seat>): readonly Lane[] {
  const hasUpper = [...seats.values()].some(({ level }) => level === 'upper');
  const drafts = diagram.moves.map((move) => draftOf(move, seats, hasUpper));
  const ofZone = (zone: Zone): Draft[] => drafts.filter((draft) => draft.zone === zone);
  const ends = Map.groupBy(ofZone('under'), ({ to }) => to.node.state);
  return [
    ...ofZone('line').map((draft) => ({ ...draft, level: 0 })),
    ...nest(ofZone('sky')),
    ...nest(ofZone('between')),
    ...[...ends.values()].flatMap(stack),
  ];
}

function draftOf(move: DiagramMove, seats: ReadonlyMap<string, Seat>, hasUpper: boolean): Draft {
  const from = seats.get(move.from)!;
  const to = seats.get(move.to)!;
  const course = courseOf(move, seats);
  const span = Math.abs(centerOf(from) - centerOf(to));
  const isLong = course === 'over' || course === 'between';
  const lines = labelLines(move, isLong ? Math.max(LABEL_WIDTH_MAX, span - 40) : LABEL_WIDTH_MAX);
  return { move, from, to, course, zone: zoneOf(course, from, hasUpper), lines };
}

function zoneOf(course: Course, from: Seat, hasUpper: boolean): Zone {
  switch (course) {
    case 'straight':
      return 'line';
    case 'under':
      return 'under';
    case 'between':
      return 'between';
    case 'over':
      return 'sky';
    case 'loop':
      return hasUpper && from.level === 'main' ? 'between' : 'sky';
  }
}

/** What a lane takes up from left to right, its label included. */
function intervalOf({ from, to, course, lines }: Draft): readonly [left: number, right: number] {
  const width = linesWidth(lines);
  if (course === 'loop') return [centerOf(from), centerOf(from) + width + 30];
  const [left, right] = [centerOf(from), centerOf(to)].sort((a, b) => a - b) as [number, number];
  const overhang = Math.max(0, (width - (right - left)) / 2);
  return [left - overhang, right + overhang];
}

function nest(drafts: readonly Draft[]): readonly Lane[] {
  const spans = drafts.map((draft) => ({ draft, interval: intervalOf(draft) }));
  const length = ([left, right]: readonly [number, number]): number => right - left;
  const byLength = spans.sort((a, b) => {
    const loopsFirst = +(b.draft.course === 'loop') - +(a.draft.course === 'loop');
    return loopsFirst || length(a.interval) - length(b.interval);
  });
  const placed: { lane: Lane; interval: readonly [number, number] }[] = [];
  for (const { draft, interval } of byLength) {
    const below = placed.filter(
      (one) => one.interval[0] < interval[1] && interval[0] < one.interval[1],
    );
    const level = Math.max(-1, ...below.map(({ lane }) => lane.level)) + 1;
    placed.push({ lane: { ...draft, level }, interval });
  }
  return placed.map(({ lane }) => lane);
}

/** Arrows to one ending, one above the other: what starts further left runs lower. */
function stack(drafts: readonly Draft[]): readonly Lane[] {
  return drafts
    .toSorted((a, b) => centerOf(b.from) - centerOf(a.from))
    .map((draft, level) => ({ ...draft, level }));
}
