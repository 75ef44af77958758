import { type Static, type TSchema, Type } from 'typebox';
import { LIMIT_KEYS } from '../core/limits.ts';
import type { WhatIfReport } from '../engine/what-if/what-if.ts';
import { timeText } from './event-view.ts';
import { closed, Name, named, nullable, Time } from './values.ts';

/** The most jobs that a server plays: more would take its processor for too long. */
export const WHAT_IF_JOBS_MAX = 50_000;

const Amount = (description: string) =>
  Type.String({
    pattern: '^(?:[+-]?\\d{1,5}|\\d{1,4}(?:\\.\\d{1,3})?x)$',
    fault: 'must be a number such as "8", a change such as "+3", or a factor "2x"',
    description,
  });

const byName = <Value extends TSchema>(value: Value, description: string) =>
  Type.Record(Name, value, { maxProperties: 100, description });

const Bound = nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }));

const RateBody = closed({
  max: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  perMs: Type.Integer({ minimum: 1, maximum: 2_592_000_000 }),
});

const CHANGES = {
  workers: Type.Optional(Amount('How many workers there are.')),
  slots: Type.Optional(Amount('How many jobs each worker runs at once.')),
  load: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 100,
      description: 'How many times as many jobs arrive.',
    }),
  ),
  queueConcurrency: Type.Optional(
    byName(Bound, 'By queue: maximum number of jobs at once; null: no bound.'),
  ),
  typeConcurrency: Type.Optional(
    byName(Bound, 'By type: maximum number of jobs at once; null: no bound.'),
  ),
  runningPerKey: Type.Optional(
    byName(
      closed({
        max: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
        key: Type.Optional(
          Type.Enum([...LIMIT_KEYS], { description: "Default: that of the type's own limit." }),
        ),
      }),
      'By type: the most running jobs of one key.',
    ),
  ),
  rates: Type.Optional(
    byName(
      closed({
        perUser: Type.Optional(nullable(RateBody)),
        perOrganisation: Type.Optional(nullable(RateBody)),
      }),
      'By type: how many jobs may start in a time; null: as many as there are.',
    ),
  ),
  priorities: Type.Optional(
    byName(
      Type.Integer({ minimum: -32_767, maximum: 32_767 }),
      'By type: the priority of its jobs; 0 is normal, 100 is high.',
    ),
  ),
};

/** A stretch of the log, and what is different in it. */
export const WhatIfBody = closed({
  from: Type.Optional(
    Type.String({
      ...Time,
      description: 'Default: `lastMs` before `to`. Not before the log begins.',
    }),
  ),
  to: Type.Optional(Type.String({ ...Time, description: 'Default, and at the latest: now.' })),
  lastMs: Type.Optional(
    Type.Integer({
      minimum: 1_000,
      maximum: 2_592_000_000,
      default: 3_600_000,
      description: 'Length of the stretch, where `from` is left out.',
    }),
  ),
  ...CHANGES,
});

const Ms = (description: string) => nullable(Type.Number({ description }));

const Figures = named('WhatIfFigures', {
  backlogMax: Type.Integer({ description: 'Jobs that were due and not begun, at most.' }),
  backlogMean: Type.Number({ description: 'The same on average over time.' }),
  waitP50Ms: Ms('From due to begun. Jobs that still wait at the end count with what they waited.'),
  waitP95Ms: Ms('The same, for the slowest in twenty.'),
  waitP99Ms: Ms('The same, for the slowest in a hundred.'),
  latencyP50Ms: Ms('From the first time due to the end of the job.'),
  latencyP95Ms: Ms('The same, for the slowest in twenty.'),
  ended: Type.Integer({ description: 'Jobs that ended.' }),
  endedPerSecond: Type.Number(),
  waitingAtEnd: Type.Integer({ description: 'Jobs that were due and not begun at the end.' }),
  utilisation: nullable(
    Type.Number({ description: "The share of the slots' time in which a handler ran." }),
  ),
});

const compared = <Value extends TSchema>(value: Value) => ({
  real: value,
  replayed: value,
  whatIf: nullable(value),
});

const Compared = named('WhatIfGroup', { name: Name, ...compared(Figures) });

/** What really happened, what a simulation of it says, and what one with changes says. */
export const WhatIfSchema = named('WhatIf', {
  from: Time,
  to: Time,
  jobs: Type.Integer({ description: 'Jobs of which the log tells something in the stretch.' }),
  fleet: closed(compared(closed({ workers: Type.Integer(), slots: Type.Integer() }))),
  total: closed(compared(Figures)),
  types: Type.Array(Compared, { description: 'By type, where there is more than one.' }),
  queues: Type.Array(Compared, { description: 'By queue, where there is more than one.' }),
  backlog: closed(
    compared(
      Type.Array(Type.Number(), {
        description: 'The backlog on average over equal parts of the stretch.',
      }),
    ),
  ),
  notes: Type.Array(Type.String(), {
    description: 'What the log does not tell and the simulation assumes.',
  }),
});

export type WhatIfAsked = Static<typeof WhatIfBody>;
export type WhatIfJson = Static<typeof WhatIfSchema>;
export type WhatIfFiguresJson = Static<typeof Figures>;

/** A report as it is sent. */
export function whatIfJson(report: WhatIfReport): WhatIfJson {
  const { from, to, types, queues, backlog, notes } = report;
  const { real, replayed, whatIf } = backlog;
  return {
    ...report,
    from: timeText(from),
    to: timeText(to),
    types: [...types],
    queues: [...queues],
    backlog: {
      real: [...real],
      replayed: [...replayed],
      whatIf: whatIf === null ? null : [...whatIf],
    },
    notes: [...notes],
  };
}
