import type { Instant } from '../../core/clock.ts';
import { type Fault, invalid } from '../../core/errors.ts';
import { checkPayloads } from '../draft.ts';
import { checkEnqueue, checkName, type EnqueueRequest } from '../enqueue-request.ts';
import type { MissedPolicy } from './plan-fires.ts';
import { nextSlot, type ScheduleRule } from './rule.ts';

const NOT_SCHEDULED = [
  'id',
  'runAt',
  'deadlineAt',
  'inputJson',
  'idempotencyKey',
  'payloadHash',
] as const;

/** The job that each slot makes: a request without what only the slot can give it. */
export interface ScheduledJob extends Omit<EnqueueRequest, (typeof NOT_SCHEDULED)[number]> {
  /** The job's deadline, counted from its slot. */
  readonly deadlineMs?: number;
}

/** A schedule as its author writes it. */
export interface ScheduleDefinition {
  readonly rule:
    | { readonly kind: 'cron'; readonly expression: string; readonly timeZone?: string }
    | { readonly kind: 'interval'; readonly everyMs: number; readonly startAt?: Instant }
    | { readonly kind: 'once'; readonly at: Instant };
  readonly job: ScheduledJob;
  readonly missed?: Partial<MissedPolicy>;
}

/** The definition with its defaults filled in: what is stored. */
export interface FullDefinition {
  readonly rule: ScheduleRule;
  readonly job: ScheduledJob;
  readonly missed: MissedPolicy;
}

export const EVERY_MS_MIN = 1_000;
export const GRACE_MS_MAX = 86_400_000;
export const MISSED_MAX = 1_000;
const DURATION_MS_MAX = 366 * 86_400_000;
const MISSED_DEFAULTS: MissedPolicy = { policy: 'once', graceMs: 60_000, max: 100 };

/** Throws VALIDATION_ERROR with every fault found. `now` is when an interval begins by itself. */
export function completeDefinition(
  definition: ScheduleDefinition,
  now: Instant,
  before: FullDefinition | null,
): FullDefinition {
  const full: FullDefinition = {
    rule: ruleOf(definition.rule, now, before?.rule ?? null),
    job: definition.job,
    missed: { ...MISSED_DEFAULTS, ...definition.missed },
  };
  const faults = [...checkRule(full.rule, now), ...checkJob(full.job), ...checkMissed(full.missed)];
  if (faults.length > 0) throw invalid(faults);
  return full;
}

export function checkScheduleName(name: string): void {
  const faults = checkName('/name', name);
  if (faults.length > 0) throw invalid(faults);
}

/** Putting the same interval again must not begin it anew. */
function ruleOf(
  rule: ScheduleDefinition['rule'],
  now: Instant,
  before: ScheduleRule | null,
): ScheduleRule {
  if (rule.kind === 'cron') {
    return { kind: 'cron', expression: rule.expression, timeZone: rule.timeZone ?? 'UTC' };
  }
  if (rule.kind !== 'interval') return rule;
  const { everyMs } = rule;
  const isSame = before?.kind === 'interval' && before.everyMs === everyMs;
  const startAt = rule.startAt ?? (isSame ? before.startAt : now + everyMs);
  return { kind: 'interval', everyMs, startAt };
}

function checkRule(rule: ScheduleRule, now: Instant): Fault[] {
  switch (rule.kind) {
    case 'cron':
      return checkCron(rule, now);
    case 'interval':
      return [
        ...whole('/rule/everyMs', rule.everyMs, [EVERY_MS_MIN, DURATION_MS_MAX]),
        ...whole('/rule/startAt', rule.startAt, [0, INSTANT_MAX]),
      ];
    case 'once':
      return whole('/rule/at', rule.at, [0, INSTANT_MAX]);
    default:
      return [{ pointer: '/rule/kind', message: 'must be "cron", "interval" or "once"' }];
  }
}

const INSTANT_MAX = 8.64e15 - 1;
const CRON_SHAPE = /^(?:@[a-z]+|\S+(?:\s+\S+){4,5})$/i;
const CRON_LENGTH_MAX = 256;

function checkCron(rule: Extract<ScheduleRule, { kind: 'cron' }>, now: Instant): Fault[] {
  if (!isTimeZone(rule.timeZone)) {
    const message = 'must be the name of a time zone, such as Europe/Berlin';
    return [{ pointer: '/rule/timeZone', message }];
  }
  const pointer = '/rule/expression';
  const { expression } = rule;
  const isText = typeof expression === 'string' && expression.length <= CRON_LENGTH_MAX;
  if (!isText || !CRON_SHAPE.test(expression.trim())) {
    return [{ pointer, message: 'must be a cron expression of 5 or 6 fields, or like @daily' }];
  }
  try {
    if (nextSlot(rule, now) !== null) return [];
    return [{ pointer, message: 'names a time that never comes' }];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ pointer, message: message.replace(/^Cron\w+: /, '') }];
  }
}

function isTimeZone(name: unknown): boolean {
  if (typeof name !== 'string' || !/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** What only a slot can give; a definition from outside may bring it all the same. */
function checkJob(job: ScheduledJob): Fault[] {
  const faults: Fault[] = NOT_SCHEDULED.filter((name) => name in job).map((name) => ({
    pointer: `/job/${name}`,
    message: 'is given by the slot and cannot be part of a schedule',
  }));
  if (job.deadlineMs !== undefined) {
    faults.push(...whole('/job/deadlineMs', job.deadlineMs, [1, DURATION_MS_MAX]));
  }
  try {
    checkEnqueue(job);
    checkPayloads(job);
  } catch (error) {
    const found = (error as { faults?: readonly Fault[] }).faults;
    if (found === undefined) throw error;
    faults.push(...found.map((one) => ({ ...one, pointer: `/job${one.pointer}` })));
  }
  return faults;
}

function checkMissed({ policy, graceMs, max }: MissedPolicy): Fault[] {
  const faults = [
    ...whole('/missed/graceMs', graceMs, [0, GRACE_MS_MAX]),
    ...whole('/missed/max', max, [1, MISSED_MAX]),
  ];
  if (!['skip', 'once', 'all'].includes(policy)) {
    faults.push({ pointer: '/missed/policy', message: 'must be "skip", "once" or "all"' });
  }
  return faults;
}

function whole(
  pointer: string,
  value: number,
  [min, max]: readonly [min: number, max: number],
): Fault[] {
  if (Number.isInteger(value) && value >= min && value <= max) return [];
  return [{ pointer, message: `must be a whole number from ${min} to ${max}` }];
}
