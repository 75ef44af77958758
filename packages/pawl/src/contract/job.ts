import { type Static, Type } from 'typebox';
import { EVENT_TYPES, NOTE_TYPES } from '../core/event.ts';
import { PARENT_KINDS } from '../core/job-labels.ts';
import { EPOCH_MAX } from './owner.ts';
import { closed, Json, Name, nullable, PhaseName, Time, Uuid } from './values.ts';

export const JobErrorSchema = Type.Object(
  {
    code: Type.String({
      description:
        'Stable: the code that the handler gave, else the type and the class in capitals.',
      examples: ['CONVERT_UNSUPPORTED_FORMAT', 'AI_MODEL_OVERLOADED'],
    }),
    class: Type.String({
      description: 'The error class, which decides about a retry; see the table of error classes.',
      examples: ['unsupported_format', 'TransientError'],
    }),
    message: Type.String(),
    retryable: Type.Boolean({ description: "By the job's own policy." }),
    stage: nullable(Type.String()),
    hint: Type.Optional(
      Type.String({
        description: 'Why it was not retried although attempts were left, and what to change.',
        examples: ['not retried: type "mail" retries only a, b; add "Error" to `retryable`'],
      }),
    ),
    details: Type.Optional(Json),
    stack: Type.Optional(Type.String()),
    causes: Type.Optional(
      Type.Array(
        closed({
          class: Type.String(),
          message: Type.String(),
          code: Type.Optional(Type.String()),
          stack: Type.Optional(Type.String()),
          details: Type.Optional(Json),
        }),
        { description: 'Its causes, the nearest first.' },
      ),
    ),
  },
  {
    $id: 'JobError',
    additionalProperties: false,
    description: 'Lists leave out `stack`, `causes` and `details`.',
  },
);

/** A job as every answer shows it. */
export const JobSchema = Type.Object(
  {
    id: Uuid,
    type: Name,
    lifecycle: Type.String({ examples: ['task'] }),
    state: Type.String({
      description: "The lifecycle's name for where the job is.",
      examples: ['running'],
    }),
    phase: PhaseName,
    queue: Name,
    priority: Type.Integer(),
    runAt: Time,
    deadlineAt: nullable(Time),
    epoch: Type.Integer({
      minimum: 0,
      maximum: EPOCH_MAX,
      description: 'The fencing token: one owner per epoch.',
    }),
    version: Type.Integer({ description: 'Increases by one with each transition.' }),
    stage: nullable(Type.String()),
    progress: Type.Number({ minimum: 0, maximum: 100, description: 'Never decreases.' }),
    message: nullable(Type.String()),
    attempts: Type.Integer({ description: 'Attempts so far; a snooze or a poll is not counted.' }),
    maxAttempts: Type.Integer(),
    retryCount: Type.Integer(),
    maxRetries: Type.Integer(),
    revision: nullable(
      Type.String({
        description: 'The revision of the handler that first took it, if the worker named one.',
      }),
    ),
    isPinned: Type.Boolean({
      description: 'Only workers that offer this revision take it again.',
    }),
    createdAt: Time,
    updatedAt: Time,
    startedAt: nullable(Time),
    completedAt: nullable(Time),
    error: nullable(JobErrorSchema),
    errorType: nullable(Type.Enum(['RETRYABLE', 'TERMINAL'])),
    resultRef: nullable(Type.String({ description: 'Where the result is, once it succeeded.' })),
    metadata: Json,
    correlationId: Type.String(),
    traceId: nullable(
      Type.String({ description: 'From the `traceparent` of the request that created it.' }),
    ),
    requestedBy: nullable(Type.String({ description: 'From the credential, never the body.' })),
    limitKey: nullable(
      Type.String({ description: 'Whose limits it counts under; null: those of `requestedBy`.' }),
    ),
    parentJobId: nullable(Uuid),
    parentKind: nullable(
      Type.Enum([...PARENT_KINDS], { description: 'Its relation to the parent.' }),
    ),
    documentId: nullable(Type.String()),
    awaitedBy: Type.Optional(
      Type.Object(
        { jobId: Uuid, wait: Type.String(), key: Type.String() },
        { additionalProperties: false, description: 'The job that waits for it, if one does.' },
      ),
    ),
    lease: nullable(closed({ owner: Type.String(), expiresAt: Time })),
    links: Type.Record(Type.String(), Type.String()),
    input: Type.Optional(Json),
    result: Type.Optional(Json),
    checkpoint: Type.Optional(Json),
    cancel: Type.Optional(
      nullable(closed({ mode: Type.Enum(['soft', 'hard']), reason: nullable(Type.String()) })),
    ),
  },
  { $id: 'Job', additionalProperties: false, description: 'One request for work.' },
);

export type JobJson = Static<typeof JobSchema>;

/** What happened to a job: an event, or a note between two events. */
export const JobEventSchema = Type.Object(
  {
    id: Uuid,
    jobId: Uuid,
    type: Type.Enum([...EVENT_TYPES, ...NOTE_TYPES]),
    timestamp: Time,
    version: Type.Integer({ description: "The job's version after the event." }),
    from: nullable(Type.String()),
    to: Type.String(),
    stage: nullable(Type.String()),
    progress: Type.Number({ minimum: 0, maximum: 100 }),
    message: nullable(Type.String()),
    attempt: Type.Integer(),
    epoch: Type.Integer(),
    actor: Type.String({ examples: ['api:deploy-bot', 'worker:w1', 'system'] }),
    cause: nullable(Type.String()),
    correlationId: Type.String(),
    traceId: nullable(Type.String()),
    metadata: Type.Record(Type.String(), Type.Unknown()),
  },
  {
    $id: 'JobEvent',
    additionalProperties: false,
    description: 'An immutable fact about a job, or a note between two facts.',
  },
);

export type JobEventJson = Static<typeof JobEventSchema>;

/** How a job is named in an address. */
export const JobParams = Type.Object({ id: Uuid });
