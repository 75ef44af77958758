import { type Static, Type } from 'typebox';
import { JobErrorSchema } from './job.ts';
import { Json, Name, nullable, Time, Uuid } from './values.ts';
import { ReasonSchema } from './worker.ts';

/** A copy of a failed job, kept for a person or an automatic replay. */
export const DeadLetterSchema = Type.Object(
  {
    id: Uuid,
    jobId: Uuid,
    type: Name,
    reasonCode: ReasonSchema,
    failureStage: Type.String(),
    lastError: JobErrorSchema,
    attempts: Type.Integer(),
    lastOwner: nullable(Type.String()),
    lastLeaseExpiresAt: nullable(Time),
    correlationId: Type.String(),
    input: Json,
    fingerprint: Type.String({ description: 'Equal for the same fault in different jobs.' }),
    createdAt: Time,
    replayedAs: nullable(Uuid),
  },
  { $id: 'DeadLetter', additionalProperties: false },
);

export type DeadLetterJson = Static<typeof DeadLetterSchema>;
