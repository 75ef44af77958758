import { type Static, Type } from 'typebox';
import { UniqueSchema } from './unique.ts';
import { closed, Json, Label, Name, Time, Uuid } from './values.ts';

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
    payloadHash: Type.Optional(Label),
    unique: Type.Optional(UniqueSchema),
  },
  {
    $id: 'NewJob',
    additionalProperties: false,
    examples: [{ type: 'export', input: { deck: 'd-1', format: 'pdf' }, documentId: 'd-1' }],
  },
);

export type EnqueueJson = Static<typeof EnqueueBody>;

export const BATCH_MAX = 1_000;

export const BatchBody = closed({
  jobs: Type.Array(EnqueueBody, { minItems: 1, maxItems: BATCH_MAX }),
});
