import { type Static, Type } from 'typebox';
import { JobSchema } from './job.ts';
import { closed } from './values.ts';

export const FOUND_BY = ['id', 'key', 'document', 'correlation', 'text'] as const;

const FoundJob = closed({
  by: Type.Enum([...FOUND_BY], { description: 'The members in which the text was found.' }),
  job: JobSchema,
});

const Names = Type.Array(Type.String());

/** What a search found, the nearest first. */
export const FoundSchema = Type.Object(
  {
    jobs: Type.Array(FoundJob),
    types: Names,
    queues: Names,
    schedules: Names,
    searched: closed({
      jobs: Type.Integer({
        description: 'How many of the newest jobs were searched for the text.',
      }),
      isWhole: Type.Boolean({ description: 'There are no older ones.' }),
    }),
  },
  { $id: 'Found', additionalProperties: false },
);

export type FoundJson = Static<typeof FoundSchema>;
