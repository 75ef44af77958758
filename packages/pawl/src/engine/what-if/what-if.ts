import type { EngineContext } from '../context.ts';
import { changed, type Changes } from './changes.ts';
import { backlogSeries, type Figures, figuresOf } from './figures.ts';
import { planOf } from './plan.ts';
import { readStretch, type StretchQuery } from './read-stretch.ts';
import { simulateInTurns } from './simulate.ts';
import type { Stretch } from './stretch.ts';
import type { Span, Timeline } from './timeline.ts';

type Context = Pick<EngineContext, 'store' | 'records' | 'registry'>;

/** The same figures three times; `whatIf` is null where nothing was changed. */
export interface Compared<Value> {
  /** As it really was. */
  readonly real: Value;
  /** A simulation of what it was: how far it is off says how far to trust the what-if. */
  readonly replayed: Value;
  readonly whatIf: Value | null;
}

export interface FleetSize {
  readonly workers: number;
  readonly slots: number;
}

export interface WhatIfReport extends Span {
  readonly jobs: number;
  readonly fleet: Compared<FleetSize>;
  readonly total: Compared<Figures>;
  /** By name, where there is more than one. */
  readonly types: readonly NamedFigures[];
  readonly queues: readonly NamedFigures[];
  /** The backlog on average over equal parts of the stretch. */
  readonly backlog: Compared<readonly number[]>;
  /** What the log does not tell and the simulation assumes, in sentences. */
  readonly notes: readonly string[];
}

export interface NamedFigures extends Compared<Figures> {
  readonly name: string;
}

export interface WhatIfQuery extends StretchQuery {
  readonly changes: Changes;
  readonly turn: Turn;
}

/** Lets the process do something else for a moment. */
type Turn = () => Promise<void>;

/** Of a chart; also the most that a report has. */
const PARTS = 60;

/** Plays a stretch of the log as it was and with changes, beside what really happened. */
export async function whatIf(context: Context, query: WhatIfQuery): Promise<WhatIfReport> {
  return reportOf(await readStretch(context, query), query);
}

/** One course of events, and the slots that it took place on. */
interface Course {
  readonly jobs: readonly Timeline[];
  readonly workers: Stretch['workers'];
}

export async function reportOf(
  stretch: Stretch,
  { changes, turn }: Pick<WhatIfQuery, 'changes' | 'turn'>,
): Promise<WhatIfReport> {
  const { from, to, notes, jobs } = stretch;
  const isChanged = Object.values(changes).some((change) => change !== undefined);
  const altered = changed(stretch, changes);
  const courses: Compared<Course> = {
    real: stretch,
    replayed: await played(stretch, turn),
    whatIf: isChanged ? await played(altered, turn) : null,
  };
  const span = { from, to };
  const named = (member: 'type' | 'queue'): NamedFigures[] => {
    const names = [...new Set(jobs.map((job) => job[member]))].toSorted();
    if (names.length < 2) return [];
    return names.map((name) => ({
      name,
      ...mapped(courses, (course) => {
        const own = course.jobs.filter((job) => job[member] === name);
        return figuresOf(own, span, null);
      }),
    }));
  };
  return {
    ...span,
    jobs: jobs.length,
    fleet: mapped(courses, ({ workers }) => ({
      workers: workers.length,
      slots: workers.reduce((sum, { slots }) => sum + slots, 0),
    })),
    total: mapped(courses, (course) => figuresOf(course.jobs, span, course.workers)),
    types: named('type'),
    queues: named('queue'),
    backlog: mapped(courses, (course) => backlogSeries(course.jobs, span, PARTS).means),
    notes,
  };
}

async function played(stretch: Stretch, turn: Turn): Promise<Course> {
  const { from, to, workers, rules } = stretch;
  const options = { from, to, workers, rules, jobs: planOf(stretch) };
  return { jobs: await simulateInTurns(options, turn), workers };
}

function mapped<Value, To>(
  { real, replayed, whatIf }: Compared<Value>,
  by: (value: Value) => To,
): Compared<To> {
  return {
    real: by(real),
    replayed: by(replayed),
    whatIf: whatIf === null ? null : by(whatIf),
  };
}
