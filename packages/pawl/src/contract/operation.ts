import { type Static, Type } from 'typebox';
import { OPERATION_ACTIONS, OPERATION_STATES } from '../records/operations.ts';
import { JobSchema } from './job.ts';
import { closed, Json, nullable, Time, Uuid } from './values.ts';

/** Something that is done to all jobs that a filter finds. */
export const OperationSchema = Type.Object(
  {
    id: Uuid,
    action: Type.Enum([...OPERATION_ACTIONS]),
    filter: Json,
    perSecond: nullable(Type.Number({ description: 'Jobs a second; null: as fast as it goes.' })),
    state: Type.Enum([...OPERATION_STATES], {
      description:
        'It continues while it is `running` or `undoing`, in any process of the ' +
        'platform, also after a crash.',
    }),
    done: Type.Integer({ description: 'Jobs that it was done to.' }),
    skipped: Type.Integer({ description: 'Jobs that needed nothing: it was done before.' }),
    failed: Type.Integer({ description: 'Jobs that refused.' }),
    lastError: nullable(Type.String({ description: 'What the last of them said.' })),
    undone: Type.Integer({ description: 'Jobs it had made that undoing has cancelled.' }),
    begun: Type.Integer({ description: 'Jobs it had made that were begun before undoing came.' }),
    reason: nullable(Type.String()),
    createdBy: nullable(Type.String()),
    createdAt: Time,
    updatedAt: Time,
  },
  { $id: 'Operation', additionalProperties: false },
);

export type OperationJson = Static<typeof OperationSchema>;

/** What an operation would be done to, counted without doing anything. */
export const OperationPreviewSchema = Type.Object(
  {
    count: Type.Integer(),
    isMore: Type.Boolean({ description: 'There are more than were counted.' }),
    sample: Type.Array(JobSchema, { description: 'Some of them.' }),
  },
  { $id: 'OperationPreview', additionalProperties: false },
);

export type OperationPreviewJson = Static<typeof OperationPreviewSchema>;

export const OperationParams = closed({ id: Uuid });
