import { type Static, Type } from 'typebox';
import { closed, Name, nullable, text, Time } from './values.ts';

/** A thousand years: no time beyond the year 9999 comes of it. */
const PAUSE_MS_MAX = 1_000 * 366 * 86_400_000;

const COUNT_MAX = 1_000_000_000;
const Count = Type.Integer({ minimum: 0, maximum: COUNT_MAX });

/** What an operator may change of a queue; null takes a bound away. */
export const QueueBody = Type.Object(
  {
    isPaused: Type.Optional(Type.Boolean()),
    paused: Type.Optional(Type.Boolean({ description: 'The same as `isPaused`.' })),
    pausedUntil: Type.Optional(
      nullable(
        Type.String({
          ...Time,
          description:
            "Pauses the queue until this time, by the database's clock; then it resumes.",
        }),
      ),
    ),
    pausedForMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAUSE_MS_MAX,
        description: 'The same, as milliseconds from now.',
      }),
    ),
    concurrency: Type.Optional(nullable(Count)),
    highWatermark: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: COUNT_MAX }))),
    lowWatermark: Type.Optional(nullable(Count)),
    reason: Type.Optional(nullable(text(512))),
  },
  { $id: 'QueueSettings', additionalProperties: false, minProperties: 1 },
);

/** A queue with its counts and settings. */
export const QueueSchema = Type.Object(
  {
    name: Name,
    depth: Type.Integer({ description: 'Jobs that are ready.' }),
    phases: Type.Record(Type.String(), Type.Integer()),
    atLeast: Type.Array(Type.String(), {
      description:
        'Phases of which not all jobs were counted: `phases` and `depth` say how many there are ' +
        'at least, and `oldestReadyAt` is that of those who are next in line.',
      examples: [[]],
    }),
    oldestReadyAt: nullable(Time),
    types: Type.Array(Name),
    isPaused: Type.Boolean({ description: 'None of its jobs is claimed.' }),
    pausedUntil: nullable(
      Type.String({
        format: 'date-time',
        description: 'Time at which the pause ends; null: it has to be resumed.',
      }),
    ),
    concurrency: nullable(Type.Integer({ description: 'Maximum number of jobs in flight.' })),
    highWatermark: nullable(
      Type.Integer({ description: 'Depth from which new jobs are refused.' }),
    ),
    lowWatermark: nullable(
      Type.Integer({ description: 'Depth at which they are accepted again.' }),
    ),
    isShedding: Type.Boolean({ description: 'New jobs are being refused.' }),
    reason: nullable(Type.String()),
  },
  { $id: 'Queue', additionalProperties: false },
);

export type QueueJson = Static<typeof QueueSchema>;

/** How a queue is named in an address. */
export const QueueParams = closed({ name: Name });
