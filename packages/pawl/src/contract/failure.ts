import { type Static, Type } from 'typebox';
import { JobSchema } from './job.ts';
import { closed, cursorOf, Label, Name, nullable, Time, Uuid } from './values.ts';

/** The phase and the id of the last job of a page. */
export const FailedJobCursor = cursorOf(
  '^(?:succeeded|failed|cancelled|dead)\\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
);

/** Jobs that ended badly for one cause. */
export const FailureCauseSchema = Type.Object(
  {
    fingerprint: Type.String({
      description: 'Equal for the same fault in different jobs: by type, class, code and message.',
      examples: ['5f1c0a9d3b7e2468'],
    }),
    type: Name,
    class: Type.String({
      description: 'From the latest of these jobs, like the next three members.',
    }),
    code: Type.String(),
    message: Type.String(),
    hint: nullable(
      Type.String({ description: 'Why it was not retried, and what to change; null otherwise.' }),
    ),
    count: Type.Integer(),
    deadLetters: Type.Integer({ description: 'How many of them have a dead letter.' }),
    firstSeen: Time,
    lastSeen: Time,
    jobId: Type.String({ ...Uuid, description: 'The latest of these jobs.' }),
    isIgnored: Type.Optional(
      Type.Boolean({ description: 'It is ignored, and has not occurred since.' }),
    ),
  },
  { $id: 'FailureCause', additionalProperties: false },
);

const Counted = closed({ name: Type.String(), count: Type.Integer() });

/** The same with what is needed to understand and to mend it. */
export const FailureDetailSchema = Type.Object(
  {
    cause: FailureCauseSchema,
    queues: Type.Array(Counted, { description: 'Where they happened, the most frequent first.' }),
    stages: Type.Array(Counted, { description: 'The stages in which they failed.' }),
    versions: closed({
      names: Type.Array(Counted, { description: 'By the version that the worker reported.' }),
      looked: Type.Integer({ description: 'Number of jobs that were read, newest first.' }),
      unknown: Type.Integer({
        description:
          'The number of examined jobs without a known version: the worker sent none, or was lost.',
      }),
    }),
    tenants: nullable(
      closed({
        names: Type.Array(Counted, {
          description: 'Counts by tenant; only for credentials of the home tenant.',
        }),
        isWhole: Type.Boolean({ description: 'False: there are more than were read.' }),
      }),
    ),
    stack: nullable(Type.String({ description: 'From the latest of these jobs that has one.' })),
    counts: closed({
      from: Time,
      stepMs: Type.Integer(),
      counts: Type.Array(Type.Integer(), { description: 'How many ended in each step.' }),
    }),
    rerunnable: Type.Integer({
      description: 'Number of jobs that were not rerun or replayed yet.',
    }),
    sample: Type.Array(JobSchema, { description: 'The latest of these jobs.' }),
  },
  { $id: 'FailureDetail', additionalProperties: false },
);

export type FailureDetailJson = Static<typeof FailureDetailSchema>;

export const FailureParams = closed({
  fingerprint: Type.String({ pattern: '^[0-9a-f]{16}$', fault: 'must be a fingerprint' }),
});

export type FailureCauseJson = Static<typeof FailureCauseSchema>;

/** By what jobs that ended badly are found. */
export const FAILURE_FILTER = {
  type: Type.Optional(Name),
  queue: Type.Optional(Name),
  fingerprint: Type.Optional(Label),
  createdFrom: Type.Optional(
    Type.String({ ...Time, description: 'Created at or after this time.' }),
  ),
  createdTo: Type.Optional(Type.String({ ...Time, description: 'Created before this time.' })),
};
