import { type Static, Type } from 'typebox';
import { closed, Json, Name, nullable, PhaseName, Time, Uuid } from './values.ts';

export const JobErrorSchema = closed({
  code: nullable(Type.String()),
  class: Type.String(),
  message: Type.String(),
  retryable: Type.Boolean(),
  stage: nullable(Type.String()),
  details: Type.Optional(Json),
});

/** A job as every answer shows it. */
export const JobSchema = Type.Object(
  {
    id: Uuid,
    type: Name,
    lifecycle: Type.String(),
    state: Type.String({ description: "The lifecycle's own word." }),
    phase: PhaseName,
    queue: Name,
    priority: Type.Integer(),
    runAt: Time,
    deadlineAt: nullable(Time),
    epoch: Type.Integer({ description: 'The fencing token: one owner per epoch.' }),
    version: Type.Integer({ description: 'Rises by one per transition.' }),
    stage: nullable(Type.String()),
    progress: Type.Integer({ minimum: 0, maximum: 100 }),
    message: nullable(Type.String()),
    attempts: Type.Integer(),
    maxAttempts: Type.Integer(),
    retryCount: Type.Integer(),
    maxRetries: Type.Integer(),
    createdAt: Time,
    updatedAt: Time,
    startedAt: nullable(Time),
    completedAt: nullable(Time),
    error: nullable(JobErrorSchema),
    errorType: nullable(Type.Enum(['RETRYABLE', 'TERMINAL'])),
    resultRef: nullable(Type.String()),
    metadata: Json,
    correlationId: Type.String(),
    traceId: nullable(Type.String()),
    requestedBy: nullable(Type.String()),
    parentJobId: nullable(Uuid),
    documentId: nullable(Type.String()),
    lease: nullable(closed({ owner: Type.String(), expiresAt: Time })),
    links: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'Job' },
);

export type JobJson = Static<typeof JobSchema>;

/** What happened to a job: an event, or a note between two events. */
export const JobEventSchema = Type.Object(
  {
    id: Uuid,
    jobId: Uuid,
    type: Type.String(),
    timestamp: Time,
    version: Type.Integer(),
    from: nullable(Type.String()),
    to: Type.String(),
    stage: nullable(Type.String()),
    progress: Type.Integer({ minimum: 0, maximum: 100 }),
    message: nullable(Type.String()),
    attempt: Type.Integer(),
    epoch: Type.Integer(),
    actor: Type.String(),
    cause: nullable(Type.String()),
    correlationId: Type.String(),
    traceId: nullable(Type.String()),
    metadata: Json,
  },
  { $id: 'JobEvent' },
);

export type JobEventJson = Static<typeof JobEventSchema>;
