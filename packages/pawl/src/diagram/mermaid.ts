import { causeText, type DiagramCause, foldLifecycle, moveOf } from './moves.ts';
import { type Lifecycle, type Place, placeName } from '../core/lifecycle.ts';
import { isTerminal } from '../core/phase.ts';

export interface MermaidOptions {
  /** One node per (state, phase) instead of one per state. */
  readonly phases?: boolean;
}

interface Node {
  readonly name: string;
  readonly isInitial: boolean;
  readonly isTerminal: boolean;
}

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** Words that Mermaid reads as its own, in whatever case. */
const RESERVED =
  /^(?:end|state|note|class|classdef|style|direction|default|fork|join|choice|as|click|hide)$/i;

/** The lifecycle as a Mermaid state diagram; `↻` marks what opens a new epoch. */
export function mermaidOf(lifecycle: Lifecycle, options: MermaidOptions = {}): string {
  const { nodes, arrows } = options.phases === true ? byPlace(lifecycle) : byState(lifecycle);
  const ids = idsOf(nodes);
  const idOf = (name: string): string => ids.get(name)!;
  return [
    'stateDiagram-v2',
    '    direction LR',
    ...nodes.map(({ name }) => `    state "${escapeLabel(name)}" as ${idOf(name)}`),
    ...nodes.filter((node) => node.isInitial).map(({ name }) => `    [*] --> ${idOf(name)}`),
    ...arrows.map(({ from, to, label }) => `    ${idOf(from)} --> ${idOf(to)} : ${label}`),
    ...nodes.filter((node) => node.isTerminal).map(({ name }) => `    ${idOf(name)} --> [*]`),
    '',
  ].join('\n');
}

function byState(lifecycle: Lifecycle): { nodes: Node[]; arrows: Arrow[] } {
  const { states, moves } = foldLifecycle(lifecycle);
  return {
    nodes: states.map(({ state, ...rest }) => ({ name: state, ...rest })),
    arrows: moves.map(({ from, to, causes }) => ({ from, to, label: labelOf(causes) })),
  };
}

function byPlace(lifecycle: Lifecycle): { nodes: Node[]; arrows: Arrow[] } {
  const { places, initial, transitions } = lifecycle;
  const isAlone = ({ state }: Place): boolean =>
    places.filter((place) => place.state === state).length === 1;
  const nameOf = (place: Place): string => (isAlone(place) ? place.state : placeName(place));
  const pairs = Map.groupBy(transitions, ({ from, to }) => `${nameOf(from)} ${nameOf(to)}`);
  return {
    nodes: places.map((place) => ({
      name: nameOf(place),
      isInitial: placeName(place) === placeName(initial),
      isTerminal: isTerminal(place.phase),
    })),
    arrows: [...pairs.values()].map((rows) => {
      const { from, to } = rows[0]!;
      const move = moveOf(nameOf(from), nameOf(to), rows);
      return { from: move.from, to: move.to, label: labelOf(move.causes) };
    }),
  };
}

function labelOf(causes: readonly DiagramCause[]): string {
  return causes.map((cause) => causeText(cause, true)).join(', ');
}

/** Ids are words; names that are none, or that Mermaid would misread, get a number behind them. */
function idsOf(nodes: readonly Node[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const ids = new Map<string, string>();
  for (const { name } of nodes) {
    const word = name.replaceAll(/\W/g, '_');
    let id = RESERVED.test(word) ? `${word}_` : word;
    for (let number = 2; taken.has(id); number++) id = `${word}_${number}`;
    taken.add(id);
    ids.set(name, id);
  }
  return ids;
}

function escapeLabel(text: string): string {
  return text.replaceAll(/["#;:<>]/g, (sign) => `#${sign.codePointAt(0)};`);
}
