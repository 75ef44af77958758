import { type Static, Type } from 'typebox';
import { JobErrorSchema } from './job.ts';
import { closed, Name, nullable, PhaseName, Time, Uuid } from './values.ts';

const MOMENT = 'A moment that is over, its whole millisecond included. Default: now.';

export const PAST_QUERY = closed({
  at: Type.Optional(Type.String({ ...Time, description: MOMENT })),
});

/** Where jobs stood at a moment. */
export const PastSchema = Type.Object(
  {
    at: Time,
    since: nullable(
      Type.String({
        ...Time,
        description: 'The earliest moment that can be asked about; null: nothing has happened yet.',
      }),
    ),
    places: Type.Array(
      closed({
        queue: Name,
        type: Name,
        state: Type.String({ description: "The lifecycle's name for where the jobs were." }),
        count: Type.Integer({ minimum: 1 }),
      }),
      { description: 'Jobs that had not ended, by queue, type and state. Counts are exact.' },
    ),
  },
  { $id: 'Past', additionalProperties: false },
);

/** A job as it stood at a moment. */
export const PastJobSchema = Type.Object(
  {
    at: Time,
    id: Uuid,
    type: Name,
    lifecycle: Type.String(),
    queue: Name,
    state: Type.String(),
    phase: PhaseName,
    epoch: Type.Integer(),
    version: Type.Integer(),
    attempts: Type.Integer(),
    retryCount: Type.Integer(),
    progress: Type.Number({
      description: 'Between two events it is known for as long as progress notes are kept.',
    }),
    stage: nullable(Type.String()),
    message: nullable(Type.String()),
    error: nullable(JobErrorSchema),
    worker: nullable(Type.String({ description: 'The worker that had it then.' })),
    createdAt: Time,
    updatedAt: Time,
    startedAt: nullable(Time),
    completedAt: nullable(Time),
  },
  { $id: 'PastJob', additionalProperties: false },
);

export type PastJson = Static<typeof PastSchema>;
export type PastJobJson = Static<typeof PastJobSchema>;
