import { type Static, Type } from 'typebox';
import { BackoffBody } from './type.ts';
import { IdempotencyKey } from './headers.ts';
import { UniqueSchema } from './unique.ts';
import { Json, Label, Name, named, Time, Uuid } from './values.ts';

const YEARS_10_MS = 3_653 * 86_400_000;

function span(minimum: number, description: string) {
  return Type.Optional(Type.Integer({ minimum, maximum: YEARS_10_MS, description }));
}

/** Lower-case UUIDs only: one id has one spelling. */
export const EnqueueBody = Type.Object(
  {
    type: Name,
    input: Type.Optional(Json),
    id: Type.Optional(Uuid),
    queue: Type.Optional(Name),
    priority: Type.Optional(
      Type.Union(
        [Type.Enum(['normal', 'high']), Type.Integer({ minimum: -32_767, maximum: 32_767 })],
        { fault: 'must be "normal", "high" or a whole number up to ±32767' },
      ),
    ),
    runAt: Type.Optional(Time),
    delayMs: span(0, 'Instead of `runAt`: counted from when the job is accepted.'),
    documentId: Type.Optional(Label),
    correlationId: Type.Optional(Label),
    metadata: Type.Optional(Type.Record(Type.String(), Json)),
    parentJobId: Type.Optional(Uuid),
    submit: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'False leaves the job held until `POST …/submit`; a repeat never releases it.',
      }),
    ),
    deadlineAt: Type.Optional(Time),
    deadlineMs: span(1, 'Instead of `deadlineAt`: counted from when the job is accepted.'),
    maxAttempts: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'Overrides the value of the type.' }),
    ),
    backoff: Type.Optional(BackoffBody),
    timeoutMs: span(1, 'Time limit of one attempt; overrides the value of the type.'),
    limitKey: Type.Optional(
      Type.String({
        ...Label,
        description: 'Whose limits the job counts under; by default those of who asks for it.',
      }),
    ),
    payloadHash: Type.Optional(Label),
    unique: Type.Optional(UniqueSchema),
  },
  {
    $id: 'JobRequest',
    additionalProperties: false,
    examples: [{ type: 'export', input: { deck: 'd-1', format: 'pdf' }, documentId: 'd-1' }],
  },
);

/** Body of `POST /v1/jobs`. */
export type EnqueueJson = Static<typeof EnqueueBody>;

export const BATCH_MAX = 1_000;

const BatchJob = Type.Object(
  {
    ...EnqueueBody.properties,
    idempotencyKey: Type.Optional(IdempotencyKey),
    ref: Type.Optional(
      Type.String({ ...Name, description: 'Names the item for `after` of others; no UUID.' }),
    ),
    after: Type.Optional(
      Type.Array(Name, {
        maxItems: 1_000,
        description:
          'Begins when these have ended: `ref`s of this request, or ids of jobs. An `id` beside ' +
          'it must be a UUID of version 8 with the variant digit 9.',
      }),
    ),
    onNeedFailed: Type.Optional(
      Type.Enum(['cancel', 'run', 'hold'], {
        default: 'cancel',
        description: 'What happens when one of them did not succeed.',
      }),
    ),
  },
  { $id: 'BatchJob', additionalProperties: false },
);

export type BatchJobJson = Static<typeof BatchJob>;

export const BatchBody = named('BatchRequest', {
  jobs: Type.Array(BatchJob, { minItems: 1, maxItems: BATCH_MAX }),
  atomic: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'All or nothing: an item that is refused refuses the request.',
    }),
  ),
});
