import { type Static, type TSchema, Type } from 'typebox';
import { LIMIT_KEYS } from '../core/limits.ts';
import { JITTERS } from '../core/retry.ts';
import { SloTargetSchema } from './slo.ts';
import { GROUP_LENGTH_MAX, GROUPS_MAX } from './groups.ts';
import { closed, Name, named, nullable, text, Time } from './values.ts';

const Millis = Type.Integer({ minimum: 0, maximum: 30 * 86_400_000 });

export const BackoffBody = named('BackoffRequest', {
  kind: Type.Enum(['fixed', 'exponential']),
  baseMs: Millis,
  factor: Type.Optional(
    Type.Number({ minimum: 1, maximum: 100, description: 'Default: 2; 1 for a fixed backoff.' }),
  ),
  maxMs: Type.Optional(Millis),
  jitter: Type.Optional(
    Type.Enum([...JITTERS], { description: 'Default: full; none for a fixed backoff.' }),
  ),
});

const ClassName = text(128, 1);

const StageRangeSchema = closed({
  name: text(128, 1),
  min: Type.Integer({ minimum: 0, maximum: 100 }),
  max: Type.Integer({ minimum: 0, maximum: 100 }),
});

const RateBody = closed({
  max: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  perMs: Type.Integer({ minimum: 1, maximum: 30 * 86_400_000 }),
});

const RunningMax = Type.Integer({ minimum: 1, maximum: 1_000_000 });

const AdaptiveBody = closed({
  failureRate: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
  samplesMin: Type.Optional(RunningMax),
  concurrencyMin: Type.Optional(RunningMax),
});

const LimitsBody = closed({
  activePerDocument: Type.Optional(
    Type.Union([Type.Boolean(), Type.Literal(1)], {
      fault: 'must be true, false or 1: there is one active job per document, or no limit',
      description: 'At most one active job per document; a second one: 409.',
    }),
  ),
  documentFrom: Type.Optional(
    Type.Object(
      {
        artifact: Type.Optional(text(128, 1)),
        content: Type.Optional(text(128, 1)),
        url: Type.Optional(text(128, 1)),
      },
      {
        additionalProperties: false,
        description:
          'Which document a job without `documentId` is about: the member of its input that ' +
          'names an artifact, holds the content or is a URL. The same content is the same ' +
          'document, however it came.',
      },
    ),
  ),
  runningPerKey: Type.Optional(
    Type.Union(
      [RunningMax, closed({ max: RunningMax, key: Type.Optional(Type.Enum([...LIMIT_KEYS])) })],
      { description: 'Running jobs per document, or per another key; the others wait.' },
    ),
  ),
  rate: Type.Optional(
    closed({ perUser: Type.Optional(RateBody), perOrganisation: Type.Optional(RateBody) }),
  ),
  adaptive: Type.Optional(
    Type.Union([Type.Boolean(), AdaptiveBody], {
      description:
        'Of a type whose attempts fail too often, fewer run at once until they succeed again: ' +
        'from `failureRate` on (0.5), once `samplesMin` (20) attempts have ended in a minute, ' +
        'never fewer than `concurrencyMin` (1). False: never.',
    }),
  ),
});

const QuantileMs = Type.Integer({ minimum: 1, maximum: 30 * 86_400_000 });

const SloBody = closed({
  p50Ms: Type.Optional(QuantileMs),
  p95Ms: Type.Optional(QuantileMs),
  p99Ms: Type.Optional(QuantileMs),
  failureRateMax: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
  measures: Type.Optional(Type.Enum(['duration', 'first_token'])),
});

const JsonSchemaBody = Type.Record(Type.String(), Type.Unknown());

const InputSchema = Type.Union([Type.Boolean(), JsonSchemaBody], {
  description:
    'What jobs of the type take, as JSON Schema. False: no input, and one that is sent is refused.',
});

const ExposeBody = Type.Object(
  {
    title: Type.Optional(text(256)),
    description: Type.Optional(text(4_096)),
    version: Type.Optional(text(64, 1)),
    keywords: Type.Optional(Type.Array(text(128, 1), { maxItems: 64 })),
    groups: Type.Optional(
      Type.Array(text(GROUP_LENGTH_MAX, 1), {
        maxItems: GROUPS_MAX,
        description: 'The groups whose users may see and execute it; left out: all users.',
      }),
    ),
    input: Type.Optional(JsonSchemaBody),
    result: Type.Optional(JsonSchemaBody),
  },
  {
    additionalProperties: false,
    description:
      'Publishes the type as a process of OGC API – Processes, with the JSON Schemas of its ' +
      'input and result where they are given.',
  },
);

const OnExhausted = Type.Enum(['failed', 'dead_lettered']);
const Copies = Type.Enum(['never', 'exhausted', 'failed']);

/** Changed where given, kept where left out, and as the lifecycle has it where null. */
function changed<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(nullable(schema));
}

/** A type as PUT: what is left out stays as it is, or comes from the lifecycle. */
export const TypeBody = Type.Object(
  {
    lifecycle: Type.Optional(
      Type.String({ ...text(128, 1), description: 'Required for a new type.' }),
    ),
    retry: changed(
      closed({
        maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
        backoff: Type.Optional(BackoffBody),
      }),
    ),
    retryable: Type.Optional(
      Type.Union([Type.Array(ClassName, { maxItems: 256 }), Type.Null()], {
        description:
          'Error classes that are retried, and no others. Null: all but what is fatal or final. ' +
          'A worker that was lost is always followed by another attempt.',
      }),
    ),
    fatal: changed(
      Type.Array(ClassName, {
        maxItems: 256,
        description: 'Error classes that are never retried.',
      }),
    ),
    isRetryFixed: changed(
      Type.Boolean({
        description: 'Only the lists decide; `error.retryable` of a worker is ignored.',
      }),
    ),
    lease: changed(closed({ ttlMs: Type.Optional(Millis), heartbeatMs: Type.Optional(Millis) })),
    timeoutMs: changed(Type.Integer({ minimum: 1, maximum: 2 ** 31 })),
    onTimeout: changed(
      Type.Enum(['fail', 'resume'], {
        description:
          'What happens to an attempt that reaches `timeoutMs`: it fails, or, if it has kept a ' +
          'newer checkpoint than it began with, is released to continue from there.',
      }),
    ),
    stages: changed(Type.Array(StageRangeSchema, { maxItems: 256 })),
    limits: changed(LimitsBody),
    onExhausted: changed(OnExhausted),
    dlq: changed(Copies),
    slo: changed(SloBody),
    previews: changed(
      Type.Array(text(128, 1), {
        maxItems: 32,
        description:
          'Artifacts that are seen before their job has ended, by patterns such as `page-*.png`.',
      }),
    ),
    compensation: changed(
      Type.String({
        ...Name,
        description:
          'The type whose jobs undo a job of this type that started and then failed. Its input ' +
          'is `{jobId, input, kept, checkpoint, end}`; whoever claims that type runs it.',
      }),
    ),
    calls: changed(
      Type.Array(Name, {
        maxItems: 256,
        description: 'Types that its jobs may start with a credential that may not enqueue jobs.',
      }),
    ),
    expose: changed(ExposeBody),
    inputSchema: changed(InputSchema),
  },
  {
    $id: 'JobTypeDefinition',
    additionalProperties: false,
    examples: [
      {
        lifecycle: 'task',
        retry: {
          maxAttempts: 3,
          backoff: { kind: 'exponential', baseMs: 2_000, maxMs: 30_000, jitter: 'full' },
        },
        retryable: ['network_timeout', 'transient_storage'],
        stages: [{ name: 'render', min: 10, max: 90 }],
      },
    ],
  },
);

export type TypeBodyJson = Static<typeof TypeBody>;

const BackoffSchema = Type.Union([
  named('FixedBackoff', { kind: Type.Literal('fixed'), baseMs: Millis }),
  named('ExponentialBackoff', {
    kind: Type.Literal('exponential'),
    baseMs: Millis,
    factor: Type.Number(),
    maxMs: Type.Integer(),
    jitter: Type.Enum([...JITTERS]),
  }),
]);

const ThrottleSchema = closed({
  ceiling: Type.Integer({ description: 'Maximum number of jobs in flight.' }),
  baseline: Type.Integer({ description: 'From this ceiling on, the throttle is removed.' }),
  failureRate: Type.Number({
    description: 'Share of failures among the attempts that ended before the last change.',
  }),
  since: Time,
  changedAt: Time,
});

/** A type with everything filled in: what its next jobs live by. */
export const TypeSchema = Type.Object(
  {
    type: Type.String(),
    revision: Type.Integer({ description: 'Increases when the definition changes.' }),
    isShared: Type.Boolean({ description: 'Registered by the platform, for every tenant.' }),
    lifecycle: Type.String(),
    lifecycleVersion: Type.Integer(),
    retry: closed({ maxAttempts: Type.Integer(), backoff: BackoffSchema }),
    retryable: nullable(Type.Array(Type.String())),
    fatal: Type.Array(Type.String()),
    isRetryFixed: Type.Boolean(),
    lease: closed({ ttlMs: Type.Integer(), heartbeatMs: Type.Integer() }),
    timeoutMs: nullable(Type.Integer()),
    onTimeout: Type.Optional(Type.Literal('resume')),
    stages: Type.Array(StageRangeSchema),
    limits: Type.Optional(
      Type.Unknown({ description: 'The registered definition, with its defaults.' }),
    ),
    onExhausted: OnExhausted,
    dlq: Copies,
    slo: SloTargetSchema,
    previews: Type.Optional(Type.Array(Type.String())),
    compensation: Type.Optional(Type.String()),
    calls: Type.Optional(Type.Array(Type.String())),
    inputSchema: Type.Optional(InputSchema),
    throttle: nullable(ThrottleSchema),
    updatedAt: Time,
  },
  { $id: 'JobType' },
);

/** A job type, as the API answers it. */
export type TypeJson = Static<typeof TypeSchema>;
