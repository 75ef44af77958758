import {
  type Guard,
  type Lifecycle,
  opensEpoch,
  type Transition,
  type Trigger,
} from '../core/lifecycle.ts';
import { isTerminal, type Phase, rankOf } from '../core/phase.ts';

/** A state as a picture shows it: once, with all of its phases. */
export interface DiagramState {
  readonly state: string;
  readonly phases: readonly Phase[];
  /** The phase that gives it its column and colour. */
  readonly mainPhase: Phase;
  readonly isInitial: boolean;
  readonly isTerminal: boolean;
}

export interface DiagramCause {
  readonly on: Trigger;
  readonly when: Guard | null;
  /** `sometimes`: by the phase that the job is in. */
  readonly opensEpoch: 'always' | 'sometimes' | 'never';
}

/** All rows between two states: one arrow with several causes. */
export interface DiagramMove {
  readonly from: string;
  readonly to: string;
  readonly causes: readonly DiagramCause[];
  /** Every cause opens a new epoch. */
  readonly isNewEpoch: boolean;
}

/** The table as states and arrows, phases of one state folded together, in the table's order. */
export interface Diagram {
  readonly states: readonly DiagramState[];
  readonly moves: readonly DiagramMove[];
}

export function foldLifecycle(lifecycle: Lifecycle): Diagram {
  const byState = Map.groupBy(lifecycle.places, ({ state }) => state);
  const states = [...byState].map(([state, places]): DiagramState => {
    const phases = places.map(({ phase }) => phase).sort((a, b) => rankOf(a) - rankOf(b));
    const isInitial = lifecycle.initial.state === state;
    const mainPhase = isInitial ? lifecycle.initial.phase : mainPhaseOf(phases);
    return { state, phases, mainPhase, isInitial, isTerminal: phases.every(isTerminal) };
  });
  const name = (row: Transition): string => JSON.stringify([row.from.state, row.to.state]);
  const moves = [...Map.groupBy(lifecycle.transitions, name).values()].map((rows) => {
    return moveOf(rows[0]!.from.state, rows[0]!.to.state, rows);
  });
  return { states, moves };
}

function mainPhaseOf(phases: readonly Phase[]): Phase {
  return phases.includes('executing') ? 'executing' : phases[0]!;
}

/** Rows that differ only in the phases they join say the same thing twice: it is said once. */
export function moveOf(from: string, to: string, rows: readonly Transition[]): DiagramMove {
  const distinct = Map.groupBy(rows, ({ on, when }) => `${on} ${when}`);
  const causes = [...distinct.values()].map((alike): DiagramCause => {
    const { on, when } = alike[0]!;
    const opening = alike.filter((row) => opensEpoch(row.from, row.to)).length;
    const isSometimes = opening > 0 ? 'sometimes' : 'never';
    return { on, when, opensEpoch: opening === alike.length ? 'always' : isSometimes };
  });
  const isNewEpoch = causes.every((cause) => cause.opensEpoch === 'always');
  return { from, to, causes, isNewEpoch };
}

/** The sign beside a cause that opens a new epoch; a dashed arrow needs none. */
export const NEW_EPOCH_SIGN = '↻';

export function causeText(cause: DiagramCause, isMarked: boolean): string {
  const guard = cause.when === null ? '' : ` [${cause.when}]`;
  const signs = { always: ` ${NEW_EPOCH_SIGN}`, sometimes: ` (${NEW_EPOCH_SIGN})`, never: '' };
  return `${cause.on}${guard}${isMarked ? signs[cause.opensEpoch] : ''}`;
}
