import { type Static, Type } from 'typebox';
import { HISTORY_COUNTS } from '../core/history-count.ts';
import { closed, Name, nullable, Time } from './values.ts';

const Figures = (description: string) =>
  Type.Array(nullable(Type.Integer()), { description: `${description} Null: not known.` });

const SERIES = {
  waitP50Ms: Figures('From when a job was due to its start.'),
  waitP95Ms: Figures('The same, for the slowest in twenty.'),
  durationP50Ms: Figures('Of jobs that succeeded, from their first start.'),
  durationP95Ms: Figures('The same, for the slowest in twenty.'),
  backlog: Figures('Jobs that were ready, on average.'),
  running: Figures('Jobs that a handler worked on, on average.'),
  oldestMs: Figures('Maximum time that the oldest job of the backlog had been due.'),
};

const COUNT_TEXTS: Readonly<Record<(typeof HISTORY_COUNTS)[number], string>> = {
  enqueued: 'Jobs that were created.',
  started: 'Attempts that began.',
  succeeded: 'Jobs that succeeded.',
  failed: 'Jobs that ended as failed.',
  dead: 'Jobs that ended as dead.',
  cancelled: 'Jobs that were cancelled.',
  retried: 'Attempts that failed and are tried again.',
  requeued: 'Jobs that went back to their queue: a lost worker, a release.',
  snoozed: 'Jobs that were snoozed, or wait for others.',
};

const COUNTS = Object.fromEntries(
  HISTORY_COUNTS.map((name) => [name, Figures(COUNT_TEXTS[name])]),
) as Record<(typeof HISTORY_COUNTS)[number], ReturnType<typeof Figures>>;

/** What happened when, in columns: every series has as many elements as `times`. */
export const HistorySchema = Type.Object(
  {
    from: Time,
    to: Time,
    stepMs: Type.Integer({ description: 'Length of a step; at least the requested one.' }),
    since: nullable(
      Type.String({ ...Time, description: 'Time from which figures exist; null: none yet.' }),
    ),
    readTo: nullable(Type.String({ ...Time, description: 'Time up to which the log is counted.' })),
    times: Type.Array(Time, { description: 'When each step begins.' }),
    series: closed({ ...COUNTS, ...SERIES }),
    marks: Type.Array(closed({ at: Time, version: Type.String() }), {
      description: 'Versions of workers, by when they were first seen.',
    }),
  },
  { $id: 'History', additionalProperties: false },
);

export type HistoryJson = Static<typeof HistorySchema>;

export const HISTORY_QUERY = {
  from: Type.Optional(Type.String({ ...Time, description: 'Default: an hour before `to`.' })),
  to: Type.Optional(Type.String({ ...Time, description: 'Default: now.' })),
  step: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 90 * 86_400,
      description: 'Length of a step in seconds. Default: a 120th of the range.',
    }),
  ),
  type: Type.Optional(Name),
  queue: Type.Optional(Name),
};
