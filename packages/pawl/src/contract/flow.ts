import { type Static, Type } from 'typebox';
import { SPAWN_MAX } from '../core/flow.ts';
import { IDEMPOTENT_BY_KEY } from './headers.ts';
import { JobErrorSchema } from './job.ts';
import {
  closed,
  Json,
  Label,
  Name,
  named,
  nullable,
  PhaseName,
  shown,
  text,
  Time,
} from './values.ts';
import { OWNER } from './owner.ts';

export const WaitName = Name;

const ChildKey = Type.String({
  ...text(128, 1),
  description: 'Unique within the wait: the same key again is the same child.',
});

const YEARS_10_MS = 3_653 * 86_400_000;

const DelayMs = Type.Integer({ minimum: 0, maximum: YEARS_10_MS });

const ChildBody = named('ChildRequest', {
  key: ChildKey,
  type: Name,
  input: Type.Optional(Json),
  inputHash: Type.Optional(
    Type.String({ ...Label, description: 'Represents an encrypted input.' }),
  ),
  queue: Type.Optional(Name),
  priority: Type.Optional(
    Type.Union([
      Type.Enum(['normal', 'high']),
      Type.Integer({ minimum: -32_767, maximum: 32_767 }),
    ]),
  ),
  delayMs: Type.Optional(DelayMs),
  limitKey: Type.Optional(Label),
  documentId: Type.Optional(Label),
  metadata: Type.Optional(Type.Record(Type.String(), Json)),
});

export const ON_FAILURE = ['throw', 'failFast', 'collect', 'hold'] as const;

export const ChildrenBody = named('SpawnRequest', {
  ...OWNER,
  wait: WaitName,
  items: Type.Array(ChildBody, { minItems: 1, maxItems: SPAWN_MAX }),
  onFailure: Type.Optional(
    Type.Enum([...ON_FAILURE], {
      default: 'throw',
      description:
        '`throw` and `collect` are decided when all have ended, `failFast` by the first failure, ' +
        '`hold` waits while a failed child can be replayed from its dead letter.',
    }),
  ),
  onParentEnd: Type.Optional(
    Type.Enum(['cancel', 'abandon'], {
      description: 'What happens to open children when the parent ends; default: cancel.',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000 * SPAWN_MAX,
      multipleOf: SPAWN_MAX,
      description: `How many items of the wait came before; a multiple of ${SPAWN_MAX}.`,
      fault: `must be a multiple of ${SPAWN_MAX}`,
    }),
  ),
  isLast: Type.Optional(
    Type.Boolean({ default: true, description: 'False: more items follow in another request.' }),
  ),
});

export type ChildrenJson = Static<typeof ChildrenBody>;

const TimeWait = named('TimeWait', {
  name: WaitName,
  kind: Type.Literal('time'),
  delayMs: DelayMs,
});
const MessageWait = named('MessageWait', {
  name: WaitName,
  kind: Type.Literal('message'),
  message: Type.Optional(
    Type.String({ ...WaitName, description: "The message's name; default: that of the wait." }),
  ),
  schema: Type.Optional(
    Type.Record(Type.String(), Json, {
      description:
        'What the message should look like, as JSON Schema: for the form that asks a person for ' +
        'it. The worker checks it.',
    }),
  ),
});
const ChildrenWait = named('ChildrenWait', { name: WaitName, kind: Type.Literal('children') });
const SingleWait = Type.Union([ChildrenWait, TimeWait, MessageWait], { $id: 'SingleWait' });

const FirstWait = named('FirstWait', {
  name: WaitName,
  kind: Type.Literal('first'),
  members: Type.Array(named('FirstMember', { key: WaitName, wait: SingleWait }), {
    minItems: 1,
    maxItems: 64,
  }),
  onLose: Type.Optional(Type.Enum(['cancel', 'keep'], { default: 'cancel' })),
});

const WaitBody = Type.Union([ChildrenWait, TimeWait, MessageWait, FirstWait], { $id: 'Wait' });

export type WaitJson = Static<typeof WaitBody>;

export const AwaitBody = named('AwaitRequest', {
  ...OWNER,
  waits: Type.Array(WaitBody, { minItems: 1, maxItems: 1_000 }),
  suspend: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Ends the turn if none of them is decided; false only asks.',
    }),
  ),
});

export const SuspendBody = named('SuspendRequest', {
  ...OWNER,
  waits: Type.Array(WaitName, { minItems: 1, maxItems: 10_000 }),
});

export const ChildResultSchema = Type.Object(
  {
    key: Type.String(),
    id: Type.String(),
    ok: Type.Boolean(),
    result: Type.Optional(Json),
    error: Type.Optional(nullable(JobErrorSchema)),
  },
  { $id: 'ChildResult', additionalProperties: false },
);

export type ChildResultJson = Static<typeof ChildResultSchema>;

const Counts = named('ChildCounts', {
  total: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
});

const ChildrenValue = named('ChildrenValue', {
  kind: Type.Literal('children'),
  counts: Counts,
  results: Type.Array(ChildResultSchema, { description: 'The first 100, in order.' }),
  isAll: Type.Boolean({ description: 'False: there are more; read them page by page.' }),
});
const TimeValue = named('TimeValue', { kind: Type.Literal('time') });
const MessageValue = named('MessageValue', {
  kind: Type.Literal('message'),
  id: Type.String(),
  payload: Json,
});

const FirstValue = named('FirstValue', {
  kind: Type.Literal('first'),
  which: Type.String({ description: 'The key of the member that was decided first.' }),
  value: Type.Union([ChildrenValue, TimeValue, MessageValue], { $id: 'SingleValue' }),
});

const WaitValueSchema = Type.Union([ChildrenValue, TimeValue, MessageValue, FirstValue], {
  $id: 'WaitValue',
});

export type WaitValueJson = Static<typeof WaitValueSchema>;

export const WaitStateSchema = Type.Object(
  {
    name: Type.String(),
    state: Type.Enum(['open', 'decided']),
    value: Type.Optional(WaitValueSchema),
  },
  { $id: 'WaitState', additionalProperties: false },
);

export type WaitStateJson = Static<typeof WaitStateSchema>;

export const AwaitedSchema = named('Awaited', {
  suspended: Type.Boolean({
    description: 'True: the turn is over; the job is claimed again when a wait is decided.',
  }),
  waits: Type.Array(WaitStateSchema),
});

const MessageKey = text(256, 1);

/** Where the key of the message can be sent as a header too. */
export const MessageHeaders = Type.Object({
  ...IDEMPOTENT_BY_KEY.properties,
  'idempotency-key': Type.Optional(MessageKey),
});

export const MessageBody = named('MessageRequest', {
  name: WaitName,
  payload: Type.Optional(Json),
  key: Type.Optional(
    Type.String({ ...MessageKey, description: 'A repeat with the same key is ignored.' }),
  ),
});

export const SentSchema = named('MessageSent', {
  id: Type.String(),
  isNew: Type.Boolean({ description: 'False: a message with this key was sent earlier.' }),
});

export const AsideBody = named('SetAsideRequest', { ...OWNER, reason: shown(4_096, 1) });

export const MessageSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    payload: Json,
    by: Type.String(),
    at: Time,
    takenBy: nullable(Type.String({ description: 'The wait that received it.' })),
    setAside: nullable(Type.String({ description: 'Why it was set aside, if it was.' })),
  },
  { $id: 'Message', additionalProperties: false },
);

export type MessageJson = Static<typeof MessageSchema>;

export const ResultsBody = named('ResultsRequest', {
  ...OWNER,
  after: Type.Optional(nullable(Type.String({ maxLength: 1_024 }))),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: SPAWN_MAX, default: SPAWN_MAX })),
});

const WAIT_KINDS = ['children', 'time', 'message', 'first', 'jobs'] as const;

const TREE_WAIT = {
  name: Type.String(),
  kind: Type.Enum([...WAIT_KINDS]),
  isOpen: Type.Boolean({ description: 'Whether the job is suspended on it.' }),
  type: nullable(Type.String()),
  counts: nullable(closed({ ...Counts.properties, open: Type.Integer() })),
  until: nullable(Time),
  message: nullable(Type.String({ description: 'The name of the message that it takes.' })),
  schema: nullable(
    Type.Record(Type.String(), Json, {
      description: 'JSON Schema of that message, if known.',
    }),
  ),
  members: Type.Array(Type.String(), { description: 'The waits that `first` waits for.' }),
};

const TREE_JOB = {
  id: Type.String(),
  key: nullable(Type.String({ description: 'Within the wait that it belongs to.' })),
  type: Type.String(),
  state: Type.String(),
  phase: PhaseName,
  progress: Type.Number(),
};

const TreeJob = closed(TREE_JOB);
const TreeWait = closed(TREE_WAIT);

/** A job with its waits, and the jobs that those wait for in turn. */
export interface TreeJson extends Static<typeof TreeJob> {
  waits: (Static<typeof TreeWait> & { jobs: TreeJson[] })[];
}

export const TreeSchema = Type.Unsafe<TreeJson>(
  Type.Object(
    {
      ...TREE_JOB,
      waits: Type.Array(
        closed({
          ...TREE_WAIT,
          jobs: Type.Array(Type.Unsafe<TreeJson>({ $ref: 'Tree#' }), {
            description: 'The first 50; `counts` covers all.',
          }),
        }),
      ),
    },
    { $id: 'Tree', additionalProperties: false },
  ),
);
