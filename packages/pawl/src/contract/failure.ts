import { type Static, Type } from 'typebox';
import { Label, Name, nullable, Time, Uuid } from './values.ts';

/** Jobs that ended badly for one cause. */
export const FailureCauseSchema = Type.Object(
  {
    fingerprint: Type.String({
      description: 'Equal for the same fault in different jobs: by type, class, code and message.',
      examples: ['5f1c0a9d3b7e2468'],
    }),
    type: Name,
    class: Type.String({ description: 'Of the latest of them, as the three below.' }),
    code: Type.String(),
    message: Type.String(),
    hint: nullable(
      Type.String({ description: 'Why it was not retried, and what to change; null otherwise.' }),
    ),
    count: Type.Integer(),
    deadLetters: Type.Integer({ description: 'How many of them have a dead letter.' }),
    firstSeen: Time,
    lastSeen: Time,
    jobId: Type.String({ ...Uuid, description: 'The latest of them.' }),
  },
  { $id: 'FailureCause', additionalProperties: false },
);

export type FailureCauseJson = Static<typeof FailureCauseSchema>;

/** By what jobs that ended badly are found. */
export const FAILURE_FILTER = {
  type: Type.Optional(Name),
  queue: Type.Optional(Name),
  fingerprint: Type.Optional(Label),
  createdFrom: Type.Optional(Type.String({ ...Time, description: 'Created then or later.' })),
  createdTo: Type.Optional(Type.String({ ...Time, description: 'Created before then.' })),
};
