import type { LeasePolicy } from './lease.ts';
import type {
  Guard,
  Lifecycle,
  LifecycleBounds,
  LifecycleDefaults,
  Place,
  Transition,
  Trigger,
} from './lifecycle.ts';
import { checkLifecycle } from './lifecycle-soundness.ts';
import { isPhase, type Phase } from './phase.ts';
import { exponential } from './retry.ts';

interface RowDefinition {
  on: Trigger;
  /** A state, or `state/phase` where the state covers several phases. */
  from: string | readonly string[];
  to: string;
  when?: Guard;
  quiet?: boolean;
  countsRetry?: boolean;
}

/** A lifecycle as its author writes it: states with their phases, and transitions. */
export interface LifecycleDefinition {
  name: string;
  version?: number;
  initial: string;
  states: Readonly<Record<string, Phase | readonly Phase[]>>;
  transitions: readonly RowDefinition[];
  defaults?: Partial<LifecycleDefaults>;
  bounds?: Partial<LifecycleBounds>;
}

/** The table of a lifecycle is invalid; `problems` lists every fault. */
export class LifecycleError extends Error {
  readonly lifecycle: string;
  readonly problems: readonly string[];

  constructor(lifecycle: string, problems: readonly string[]) {
    super(`lifecycle "${lifecycle}" is not sound:\n- ${problems.join('\n- ')}`);
    this.name = 'LifecycleError';
    this.lifecycle = lifecycle;
    this.problems = problems;
  }
}

const LEASE: LeasePolicy = { ttlMs: 60_000, heartbeatMs: 15_000 };

const DEFAULTS: LifecycleDefaults = {
  retry: { maxAttempts: 3, backoff: exponential({ baseMs: 500, maxMs: 60_000 }) },
  retryable: null,
  fatal: [],
  lease: LEASE,
  onExhausted: 'failed',
  dlq: 'never',
};

const BOUNDS: LifecycleBounds = {
  retryIsFixed: false,
  ttlMs: [1_000, 86_400_000],
  heartbeatMs: [500, 43_200_000],
};

/** The phase a row means when it names a state that covers several, by what its trigger is for. */
const IMPLIED_PHASE: Partial<Record<Trigger, Phase>> = {
  succeed: 'succeeded',
  fail: 'failed',
  lose: 'failed',
  reject: 'failed',
  cancel: 'cancelled',
  deadLetter: 'dead',
  exhaust: 'dead',
};

function phasesOf(definition: LifecycleDefinition, state: string): readonly Phase[] {
  const phases = definition.states[state];
  if (phases === undefined) return [];
  return typeof phases === 'string' ? [phases] : phases;
}

function resolvePlace(
  definition: LifecycleDefinition,
  name: string,
  implied: Phase | undefined,
  problems: string[],
): Place | null {
  const [state = '', phase] = name.split('/');
  const phases = phasesOf(definition, state);
  if (phases.length === 0) {
    problems.push(
      `"${name}" names no state; known are ${Object.keys(definition.states).join(', ')}`,
    );
    return null;
  }
  if (phase !== undefined) {
    if (isPhase(phase) && phases.includes(phase)) return { state, phase };
    problems.push(`"${name}" is bound to nothing: ${state} covers ${phases.join(', ')}`);
    return null;
  }
  if (phases.length === 1) return { state, phase: phases[0]! };
  if (implied !== undefined && phases.includes(implied)) return { state, phase: implied };
  const options = phases.map((one) => `${state}/${one}`).join(' or ');
  problems.push(`"${name}" covers several phases: write ${options}`);
  return null;
}

function resolveRows(definition: LifecycleDefinition, problems: string[]): Transition[] {
  const rows: Transition[] = [];
  for (const row of definition.transitions) {
    const to = resolvePlace(definition, row.to, IMPLIED_PHASE[row.on], problems);
    for (const name of typeof row.from === 'string' ? [row.from] : row.from) {
      const from = resolvePlace(definition, name, undefined, problems);
      if (from === null || to === null) continue;
      rows.push({
        on: row.on,
        from,
        to,
        when: row.when ?? null,
        quiet: row.quiet ?? false,
        countsRetry: row.countsRetry ?? row.when === 'mayRetry',
      });
    }
  }
  return rows;
}

/** Turns a table into a lifecycle, or throws a LifecycleError that names every fault in it. */
export function defineLifecycle(definition: LifecycleDefinition): Lifecycle {
  const problems: string[] = [];
  const initial = resolvePlace(definition, definition.initial, undefined, problems);
  const places = Object.keys(definition.states).flatMap((state) =>
    phasesOf(definition, state).map((phase) => ({ state, phase })),
  );
  const transitions = resolveRows(definition, problems);
  if (initial === null || problems.length > 0) throw new LifecycleError(definition.name, problems);
  const lifecycle: Lifecycle = {
    name: definition.name,
    version: definition.version ?? 1,
    initial,
    places,
    transitions,
    defaults: { ...DEFAULTS, ...definition.defaults },
    bounds: { ...BOUNDS, ...definition.bounds },
  };
  const faults = checkLifecycle(lifecycle);
  if (faults.length > 0) throw new LifecycleError(definition.name, faults);
  return deepFreeze(lifecycle);
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
