import type { Diagram, DiagramMove, DiagramState } from './moves.ts';
import { LABEL_SIZE, labelLines, linesWidth, textWidth } from './text.ts';
import { rankOf } from '../core/phase.ts';

export const NAME_SIZE = 14;
export const PHASE_SIZE = 10.5;
const BOX_WIDTH_MIN = 104;
const GAP_MIN = 52;
/** From which width on the causes of an arrow go to another line. */
export const LABEL_WIDTH_MAX = 140;

/** `main`: on the happy line. `upper`: above it. `end`: under the success, in the last column. */
export type Level = 'main' | 'upper' | 'end';

export interface Seat {
  readonly node: DiagramState;
  readonly level: Level;
  /** From the left; all terminal states share the last one. */
  readonly column: number;
  readonly x: number;
  readonly width: number;
}

/** How an arrow runs: along the happy line, over it, or under it to an ending. */
export type Course = 'straight' | 'loop' | 'over' | 'between' | 'under';

export function courseOf(move: DiagramMove, seats: ReadonlyMap<string, Seat>): Course {
  const from = seats.get(move.from)!;
  const to = seats.get(move.to)!;
  if (move.from === move.to) return 'loop';
  if (to.level === 'end') return 'under';
  if (from.level === 'main' && to.level === 'main' && isNext(from, to, seats)) return 'straight';
  return from.level === to.level ? 'over' : 'between';
}

function isNext(from: Seat, to: Seat, seats: ReadonlyMap<string, Seat>): boolean {
  const between = [...seats.values()].filter(
    ({ level, column }) => level === 'main' && column > from.column && column < to.column,
  );
  return to.column > from.column && between.length === 0;
}

/**
 * Seats every state: columns by rank, the first of a rank on the happy line. A state that is not
 * terminal has its column for itself, so that arrows may leave it upwards and downwards freely.
 */
export function seatStates(diagram: Diagram, startX: number): ReadonlyMap<string, Seat> {
  const open = diagram.states
    .filter((node) => !node.isTerminal)
    .sort((a, b) => rankOf(a.mainPhase) - rankOf(b.mainPhase) || +b.isInitial - +a.isInitial);
  const ends = diagram.states
    .filter((node) => node.isTerminal)
    .sort((a, b) => rankOf(a.mainPhase) - rankOf(b.mainPhase));
  const seats = new Map<string, Seat>();
  const ranks = new Set<number>();
  for (const [column, node] of open.entries()) {
    const rank = rankOf(node.mainPhase);
    const isUpper = node.mainPhase === 'waiting' || ranks.has(rank);
    ranks.add(rank);
    const level = isUpper ? 'upper' : 'main';
    seats.set(node.state, { node, level, column, x: 0, width: boxWidth(node) });
  }
  const endWidth = Math.max(...ends.map(boxWidth));
  for (const [index, node] of ends.entries()) {
    const level = index === 0 && node.mainPhase === 'succeeded' ? 'main' : 'end';
    seats.set(node.state, { node, level, column: open.length, x: 0, width: endWidth });
  }
  return spread(diagram, seats, startX);
}

function boxWidth({ state, phases }: DiagramState): number {
  const name = textWidth(state, NAME_SIZE) * 1.08;
  return Math.ceil(Math.max(BOX_WIDTH_MIN, name + 24, phasesWidth(phases) + 20));
}

function phasesWidth(phases: readonly string[]): number {
  return textWidth(phases.join(' · '), PHASE_SIZE);
}

/** Gives the columns their x, each gap as wide as the labels that must fit into it. */
function spread(
  diagram: Diagram,
  seats: ReadonlyMap<string, Seat>,
  startX: number,
): ReadonlyMap<string, Seat> {
  const placed = new Map<string, Seat>();
  let x = startX;
  const columns = Map.groupBy([...seats.values()], ({ column }) => column);
  for (const [, inColumn] of [...columns].sort(([a], [b]) => a - b)) {
    for (const seat of inColumn) placed.set(seat.node.state, { ...seat, x });
    x += inColumn[0]!.width + Math.max(...inColumn.map((seat) => gapAfter(diagram, seats, seat)));
  }
  return placed;
}

function gapAfter(diagram: Diagram, seats: ReadonlyMap<string, Seat>, seat: Seat): number {
  const needs = diagram.moves
    .filter(({ from }) => from === seat.node.state)
    .map((move) => {
      const width = linesWidth(labelLines(move, LABEL_WIDTH_MAX)) + LABEL_SIZE;
      switch (courseOf(move, seats)) {
        case 'straight':
          return width + 24;
        case 'under':
          return width + 24 - seat.width * 0.3;
        case 'loop':
          return width + 12 - seat.width * 0.35;
        case 'over':
        case 'between':
          return 0;
      }
    });
  return Math.ceil(Math.max(GAP_MIN, ...needs));
}
