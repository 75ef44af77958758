import { type Static, Type } from 'typebox';
import { BOUNDS, CAUSES_MAX, KEPT_NAME_MAX } from '../core/bounds.ts';
import { DLQ_REASONS } from '../core/error-class.ts';
import { LOG_LEVELS } from '../handler/log.ts';
import { JobSchema } from './job.ts';
import { WaitStateSchema } from './flow.ts';
import { OWNER } from './owner.ts';
import { RevisionsSchema } from './worker-sign.ts';
import { closed, Json, Name, named, nullable, shown, text, Time } from './values.ts';

export const StageName: ReturnType<typeof text> = text(KEPT_NAME_MAX, 1);

const LABEL_MAX = BOUNDS.errorLabel;

const CauseBody = closed({
  class: shown(LABEL_MAX, 1),
  message: shown(BOUNDS.errorMessage),
  code: Type.Optional(nullable(shown(LABEL_MAX))),
  stack: Type.Optional(nullable(shown(BOUNDS.errorStack))),
  details: Type.Optional(Json),
});

export const FailureSchema = Type.Object(
  {
    class: shown(LABEL_MAX, 1),
    message: shown(BOUNDS.errorMessage),
    code: Type.Optional(nullable(shown(LABEL_MAX))),
    stage: Type.Optional(nullable(shown(LABEL_MAX))),
    details: Type.Optional(Json),
    stack: Type.Optional(nullable(shown(BOUNDS.errorStack))),
    causes: Type.Optional(
      Type.Array(CauseBody, {
        maxItems: 1_000,
        description: `What led to it, the nearest first; ${CAUSES_MAX} are kept.`,
      }),
    ),
    classes: Type.Optional(
      Type.Array(shown(LABEL_MAX, 1), {
        maxItems: 64,
        description: 'The class and those it is derived from, the most derived first.',
      }),
    ),
    retryable: Type.Optional(
      Type.Boolean({
        description:
          "The worker's own judgement. It is followed, unless the lists of the type are fixed; " +
          'left out, the lists and the classes decide.',
      }),
    ),
  },
  {
    $id: 'Failure',
    additionalProperties: false,
    description: 'Stored up to 64 KiB without possible secrets; a longer one is cut visibly.',
    examples: [{ class: 'network_timeout', message: 'no answer within 30 s' }],
  },
);

export const ReasonSchema = Type.Enum([...DLQ_REASONS]);

export const WAIT_MS_MAX = 60_000;

export const ClaimBody = named('ClaimRequest', {
  workerId: Name,
  types: Type.Array(Name, { minItems: 1, maxItems: 256 }),
  max: Type.Integer({ minimum: 1, maximum: 1_000 }),
  queues: Type.Optional(Type.Array(Name, { minItems: 1, maxItems: 256 })),
  waitMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: WAIT_MS_MAX, description: 'How long to wait for a job.' }),
  ),
  requestId: Type.Optional(text(128, 1)),
  revisions: Type.Optional(RevisionsSchema),
});

const LEASE = {
  owner: Type.String(),
  expiresAt: Time,
  expiresInMs: Type.Integer({ description: 'From the moment of this answer, by server time.' }),
  renewInMs: Type.Integer({ description: 'Latest time of the next heartbeat.' }),
};

export const ClaimSchema = Type.Object(
  {
    job: JobSchema,
    input: Json,
    epoch: OWNER.epoch,
    token: Type.String({ description: 'A random token of this claim; the owner sends it back.' }),
    lease: named('ClaimedLease', { ...LEASE, heartbeatMs: Type.Integer() }),
    checkpoint: Json,
    stages: Type.Record(Type.String(), Json, {
      description: 'Stored stage results of earlier attempts.',
    }),
    attempt: Type.Integer(),
    timeoutMs: nullable(Type.Integer({ description: 'Time limit of this attempt.' })),
    onTimeout: Type.Enum(['fail', 'resume'], {
      description:
        'What to report when that time is over: `fail` with the class `timeout`, or, with a ' +
        'newer checkpoint than the claim had, `release`.',
    }),
    idempotencyKey: Type.String({ description: 'The same in every attempt of the job.' }),
    waits: Type.Optional(
      Type.Array(WaitStateSchema, {
        description: 'For a job that has waited: its decided waits.',
      }),
    ),
  },
  { $id: 'Claim', additionalProperties: false },
);

export type ClaimJson = Static<typeof ClaimSchema>;

export const CancelWishSchema = nullable(
  named('CancelWish', { mode: Type.Enum(['soft', 'hard']), reason: nullable(Type.String()) }),
);

const RENEWED = {
  lease: named('Lease', LEASE),
  progress: Type.Number({ description: 'The stored value, which never decreases.' }),
  cancel: CancelWishSchema,
};

export const HeartbeatSchema = Type.Object(RENEWED, {
  $id: 'Heartbeat',
  additionalProperties: false,
});

export type HeartbeatJson = Static<typeof HeartbeatSchema>;

export const StageKeptSchema = named('StageKept', { name: Type.String(), ...RENEWED });

export const OwnerBody = named('Ownership', OWNER);

/** One more than a worker keeps between two heartbeats: the last says how many were left out. */
const LINES_MAX = 257;

const LogLine = named('LogLine', {
  line: shown(BOUNDS.logLine),
  level: Type.Enum([...LOG_LEVELS]),
});

export const HeartbeatBody = named('HeartbeatRequest', {
  ...OWNER,
  stage: Type.Optional(StageName),
  progress: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  message: Type.Optional(shown(BOUNDS.message)),
  checkpoint: Type.Optional(Json),
  log: Type.Optional(
    Type.Union(
      [
        shown(BOUNDS.logLine),
        Type.Array(Type.Union([shown(BOUNDS.logLine), LogLine]), { maxItems: LINES_MAX }),
      ],
      { description: 'One or more lines; the default level is `info`.' },
    ),
  ),
  tokens: Type.Optional(
    Type.Union([shown(BOUNDS.tokens), Type.Array(shown(BOUNDS.tokens), { maxItems: 4_096 })], {
      description: 'Text from a model, whole or in chunks; chunks are joined.',
    }),
  ),
  liveTokens: Type.Optional(
    Type.String({
      ...shown(BOUNDS.tokens),
      description:
        'The same where it must not be kept: it goes to the streams that are open here now, is ' +
        'stored nowhere, and the history has a gap in its place.',
    }),
  ),
});

export type HeartbeatRequest = Static<typeof HeartbeatBody>;

export const StageBody = named('StageResult', { ...OWNER, result: Type.Optional(Json) });

export const CompleteBody = named('CompleteRequest', { ...OWNER, result: Type.Optional(Json) });

export const FailBody = named('FailRequest', {
  ...OWNER,
  error: FailureSchema,
  deadLetter: Type.Optional(ReasonSchema),
});

export const ReleaseBody = named('ReleaseRequest', {
  ...OWNER,
  cause: Type.Optional(Type.String({ ...text(64, 1), description: 'Reason, for the history.' })),
});

export const SnoozeBody = named('SnoozeRequest', {
  ...OWNER,
  delayMs: Type.Integer({ minimum: 0, maximum: 30 * 86_400_000 }),
  checkpoint: Type.Optional(Json),
});

export const CancelledBody = named('CancelledReport', {
  ...OWNER,
  checkpoint: Type.Optional(Json),
});
