import { type Static, Type } from 'typebox';
import { EnqueueBody } from './enqueue.ts';
import { closed, Name, named, nullable, PhaseName, text, Time, Uuid } from './values.ts';

const DURATION_MS_MAX = 366 * 86_400_000;
const EVERY_MS_MIN = 1_000;
const GRACE_MS_MAX = 86_400_000;
const MISSED_MAX = 1_000;

const Rule = Type.Union([
  named('CronRule', {
    kind: Type.Literal('cron'),
    expression: text(256, 1),
    timeZone: Type.Optional(text(64, 1)),
  }),
  named('IntervalRule', {
    kind: Type.Literal('interval'),
    everyMs: Type.Integer({ minimum: EVERY_MS_MIN, maximum: DURATION_MS_MAX }),
    startAt: Type.Optional(Time),
  }),
  named('OnceRule', { kind: Type.Literal('once'), at: Time }),
]);

const {
  id: _id,
  runAt: _runAt,
  delayMs: _delayMs,
  deadlineAt: _deadlineAt,
  payloadHash: _payloadHash,
  ...JOB
} = EnqueueBody.properties;

/** What each slot makes: a job without what only the slot can give it. */
const ScheduledJob = named('ScheduledJob', {
  ...JOB,
  deadlineMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: DURATION_MS_MAX, description: 'Counted from the slot.' }),
  ),
});

const MISSED = {
  policy: Type.Enum(['skip', 'once', 'all'], {
    description: 'What happens to slots that were not fired in time.',
  }),
  graceMs: Type.Integer({
    minimum: 0,
    maximum: GRACE_MS_MAX,
    description: 'How late a slot may be fired and still count as on time.',
  }),
  max: Type.Integer({
    minimum: 1,
    maximum: MISSED_MAX,
    description: 'For `all`: maximum number of missed slots to fire.',
  }),
};

const DEFINITION = {
  rule: Rule,
  job: ScheduledJob,
  missed: Type.Optional(
    closed({
      policy: Type.Optional(MISSED.policy),
      graceMs: Type.Optional(MISSED.graceMs),
      max: Type.Optional(MISSED.max),
    }),
  ),
};

/** A schedule as its author writes it. */
export const ScheduleBody = Type.Object(DEFINITION, {
  $id: 'ScheduleDefinition',
  additionalProperties: false,
});

/** Body of `PUT /v1/schedules/{name}`. */
export type ScheduleBodyJson = Static<typeof ScheduleBody>;

/** The same with its name, where the address does not say it. */
export const NewScheduleBody = named('ScheduleRequest', { name: Name, ...DEFINITION });

/** A schedule, with its next times. */
export const ScheduleSchema = Type.Object(
  {
    name: Name,
    rule: Rule,
    job: ScheduledJob,
    missed: closed(MISSED),
    isPaused: Type.Boolean(),
    next: Type.Array(Time, { description: 'The next five slots; none while it is paused.' }),
    lastSlot: nullable(Time),
    version: Type.Integer(),
    createdBy: nullable(Type.String()),
    createdAt: Time,
    updatedAt: Time,
  },
  { $id: 'Schedule', additionalProperties: false },
);

export type ScheduleJson = Static<typeof ScheduleSchema>;

/** The outcome of one slot, or of several in a row that were skipped. */
export const FireSchema = Type.Object(
  {
    n: Type.Integer(),
    slot: Time,
    through: Time,
    at: Time,
    isManual: Type.Boolean(),
    result: Type.Enum(['created', 'joined', 'refused', 'skipped']),
    jobId: nullable(Uuid),
    reason: nullable(Type.String()),
    job: Type.Optional(
      nullable(
        closed({
          state: Type.String(),
          phase: PhaseName,
          completedAt: nullable(Time),
          error: nullable(Type.String({ description: 'The failure, in one sentence.' })),
        }),
      ),
    ),
  },
  { $id: 'ScheduleFire', additionalProperties: false },
);

export type FireJson = Static<typeof FireSchema>;

/** How a schedule is named in an address. */
export const ScheduleParams = closed({ name: Name });
