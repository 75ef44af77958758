import { Type } from 'typebox';
import { JITTERS } from '../../core/retry.ts';
import { closed, nullable } from './values.ts';

const Millis = Type.Integer({ minimum: 0, maximum: 30 * 86_400_000 });

const BackoffSchema = Type.Union([
  closed({ kind: Type.Literal('fixed'), baseMs: Millis }),
  closed({
    kind: Type.Literal('exponential'),
    baseMs: Millis,
    factor: Type.Optional(Type.Number({ minimum: 1, maximum: 100 })),
    maxMs: Type.Optional(Millis),
    jitter: Type.Optional(Type.Enum([...JITTERS])),
  }),
]);

/** A type as PUT: what is left out comes from the lifecycle. */
export const TypeBody = closed({
  lifecycle: Type.String(),
  retry: Type.Optional(
    closed({
      maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      backoff: Type.Optional(BackoffSchema),
    }),
  ),
  retryable: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }))),
  lease: Type.Optional(
    closed({ ttlMs: Type.Optional(Millis), heartbeatMs: Type.Optional(Millis) }),
  ),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 })),
  stages: Type.Optional(
    Type.Array(
      closed({
        name: Type.String({ minLength: 1, maxLength: 128 }),
        min: Type.Integer({ minimum: 0, maximum: 100 }),
        max: Type.Integer({ minimum: 0, maximum: 100 }),
      }),
    ),
  ),
  onExhausted: Type.Optional(Type.Enum(['failed', 'dead_lettered'])),
  dlq: Type.Optional(Type.Enum(['never', 'exhausted', 'failed'])),
});

export const TypeSchema = Type.Object(
  {
    type: Type.String(),
    revision: Type.Integer(),
    lifecycle: Type.String(),
    lifecycleVersion: Type.Integer(),
    retry: Type.Unknown(),
    retryable: Type.Array(Type.String()),
    lease: Type.Unknown(),
    timeoutMs: nullable(Type.Integer()),
    stages: Type.Array(Type.Unknown()),
    onExhausted: Type.String(),
    dlq: Type.String(),
    updatedAt: Type.String(),
  },
  { $id: 'JobType' },
);
