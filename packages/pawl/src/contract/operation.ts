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
    perSecond: nullable(Type.Number({ description: 'Jobs per second; null: no limit.' })),
    state: Type.Enum([...OPERATION_STATES], {
      description:
        'It continues while it is `running` or `undoing`, in any process of the ' +
        'platform, also after a crash.',
    }),
    done: Type.Integer({ description: 'Jobs that were changed.' }),
    skipped: Type.Integer({
      description: 'Jobs that were skipped, because they were changed already.',
    }),
    failed: Type.Integer({ description: 'Jobs whose change failed.' }),
    lastError: nullable(Type.String({ description: 'Error of the last of them.' })),
    undone: Type.Integer({ description: 'Jobs it had created that the undo has cancelled.' }),
    begun: Type.Integer({
      description: 'Jobs it had created that started before they could be undone.',
    }),
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
    isMore: Type.Boolean({ description: 'The count was cut off.' }),
    sample: Type.Array(JobSchema, { description: 'Some of them.' }),
  },
  { $id: 'OperationPreview', additionalProperties: false },
);

export type OperationPreviewJson = Static<typeof OperationPreviewSchema>;

export const OperationParams = closed({ id: Uuid });
