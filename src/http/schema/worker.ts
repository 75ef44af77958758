import { type Static, Type } from 'typebox';
import { DLQ_REASONS } from '../../core/error-class.ts';
import { JobSchema } from './job.ts';
import { closed, Json, Name, nullable, text, Time } from './values.ts';

/** What every owner verb carries. */
const OWNER = {
  workerId: Name,
  epoch: Type.Integer({ minimum: 1, description: 'Of the claim: the fencing token.' }),
};

export const StageName: ReturnType<typeof text> = text(128, 1);

export const FailureSchema = Type.Object(
  {
    class: text(128, 1),
    message: text(16_384),
    code: Type.Optional(nullable(text(128))),
    stage: Type.Optional(nullable(text(128))),
    details: Type.Optional(Json),
  },
  {
    $id: 'Failure',
    additionalProperties: false,
    examples: [{ class: 'network_timeout', message: 'no answer within 30 s' }],
  },
);

export const ReasonSchema = Type.Enum([...DLQ_REASONS]);

export const WAIT_MS_MAX = 60_000;

export const ClaimBody = closed({
  workerId: Name,
  types: Type.Array(Name, { minItems: 1, maxItems: 256 }),
  max: Type.Integer({ minimum: 1, maximum: 1_000 }),
  queues: Type.Optional(Type.Array(Name, { minItems: 1, maxItems: 256 })),
  waitMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: WAIT_MS_MAX, description: 'Waits so long for a job.' }),
  ),
  requestId: Type.Optional(text(128, 1)),
});

const LEASE = {
  owner: Type.String(),
  expiresAt: Time,
  expiresInMs: Type.Integer({ description: 'From the moment of this answer, by server time.' }),
  renewInMs: Type.Integer({ description: 'When to send the next heartbeat at the latest.' }),
};

export const ClaimSchema = Type.Object(
  {
    job: JobSchema,
    input: Json,
    epoch: Type.Integer(),
    lease: closed({ ...LEASE, heartbeatMs: Type.Integer() }),
    checkpoint: Json,
    stages: Type.Record(Type.String(), Json, { description: 'Kept results of earlier attempts.' }),
    attempt: Type.Integer(),
    timeoutMs: nullable(Type.Integer({ description: 'How long this attempt may take.' })),
    onTimeout: Type.Enum(['fail', 'resume'], {
      description:
        'What to report when that time is over: `fail` with the class `timeout`, or, with a ' +
        'newer checkpoint than the claim had, `release`.',
    }),
    idempotencyKey: Type.String({ description: 'The same in every attempt of the job.' }),
  },
  { $id: 'Claim', additionalProperties: false },
);

export type ClaimJson = Static<typeof ClaimSchema>;

export const CancelWishSchema = nullable(
  closed({ mode: Type.Enum(['soft', 'hard']), reason: nullable(Type.String()) }),
);

const RENEWED = {
  lease: closed(LEASE),
  progress: Type.Number({ description: 'As it now stands: a lower one was raised.' }),
  cancel: CancelWishSchema,
};

export const HeartbeatSchema = Type.Object(RENEWED, {
  $id: 'Heartbeat',
  additionalProperties: false,
});

export type HeartbeatJson = Static<typeof HeartbeatSchema>;

export const StageKeptSchema = closed({ name: Type.String(), ...RENEWED });

export const OwnerBody = closed(OWNER);

const LINE_MAX = 16_384;
const TOKENS_MAX = 65_536;

export const HeartbeatBody = closed({
  ...OWNER,
  stage: Type.Optional(StageName),
  progress: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  message: Type.Optional(text(LINE_MAX)),
  checkpoint: Type.Optional(Json),
  log: Type.Optional(
    Type.Union([text(LINE_MAX), Type.Array(text(LINE_MAX), { maxItems: 256 })], {
      description: 'One line, or several.',
    }),
  ),
  tokens: Type.Optional(
    Type.Union([text(TOKENS_MAX), Type.Array(text(LINE_MAX), { maxItems: 4_096 })], {
      description: 'Text as it comes from a model, whole or in pieces; pieces are joined.',
    }),
  ),
  liveTokens: Type.Optional(
    Type.String({
      ...text(TOKENS_MAX),
      description:
        'The same where it must not be kept: it goes to the streams that are open here now, is ' +
        'stored nowhere, and the history has a gap in its place.',
    }),
  ),
});

export type HeartbeatRequest = Static<typeof HeartbeatBody>;

export const StageBody = closed({ ...OWNER, result: Type.Optional(Json) });

export const CompleteBody = closed({ ...OWNER, result: Type.Optional(Json) });

export const FailBody = closed({
  ...OWNER,
  error: FailureSchema,
  deadLetter: Type.Optional(ReasonSchema),
});

export const ReleaseBody = closed({
  ...OWNER,
  cause: Type.Optional(
    Type.String({ ...text(64, 1), description: 'Why, in a word, for the history.' }),
  ),
});

export const SnoozeBody = closed({
  ...OWNER,
  delayMs: Type.Integer({ minimum: 0, maximum: 30 * 86_400_000 }),
  checkpoint: Type.Optional(Json),
});

export const CancelledBody = closed({ ...OWNER, checkpoint: Type.Optional(Json) });
