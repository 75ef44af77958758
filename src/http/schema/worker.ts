import { Type } from 'typebox';
import { DLQ_REASONS } from '../../core/error-class.ts';
import { closed, Json, Name, nullable } from './values.ts';

/** What every owner verb carries. */
const OWNER = { workerId: Name, epoch: Type.Integer({ minimum: 1 }) };

export const FailureSchema = closed({
  class: Type.String({ minLength: 1, maxLength: 128 }),
  message: Type.String({ maxLength: 16_384 }),
  code: Type.Optional(nullable(Type.String({ maxLength: 128 }))),
  stage: Type.Optional(nullable(Type.String({ maxLength: 128 }))),
  details: Type.Optional(Json),
});

export const ReasonSchema = Type.Enum([...DLQ_REASONS]);

export const ClaimBody = closed({
  workerId: Name,
  types: Type.Array(Name, { minItems: 1, maxItems: 256 }),
  max: Type.Integer({ minimum: 1, maximum: 1_000 }),
  queues: Type.Optional(Type.Array(Name, { minItems: 1, maxItems: 256 })),
  waitMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
});

export const OwnerBody = closed(OWNER);

const LINE_MAX = 16_384;

export const HeartbeatBody = closed({
  ...OWNER,
  stage: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  progress: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  message: Type.Optional(Type.String({ maxLength: LINE_MAX })),
  checkpoint: Type.Optional(Json),
  log: Type.Optional(Type.Array(Type.String({ maxLength: LINE_MAX }), { maxItems: 256 })),
  tokens: Type.Optional(Type.String({ maxLength: 65_536 })),
});

export const StageBody = closed({ ...OWNER, result: Type.Optional(Json) });

export const CompleteBody = closed({ ...OWNER, result: Type.Optional(Json) });

export const FailBody = closed({
  ...OWNER,
  error: FailureSchema,
  deadLetter: Type.Optional(ReasonSchema),
});

export const SnoozeBody = closed({
  ...OWNER,
  delayMs: Type.Integer({ minimum: 0, maximum: 30 * 86_400_000 }),
  checkpoint: Type.Optional(Json),
});

export const CancelledBody = closed({ ...OWNER, checkpoint: Type.Optional(Json) });
