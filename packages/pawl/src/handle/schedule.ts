import { type Duration, DURATION_FAULT, parseDuration } from '../core/duration.ts';
import { type Fault, invalid } from '../core/errors.ts';
import { ENQUEUE_OPTIONS, type EnqueueOptions } from './enqueue-options.ts';
import type { JobSnapshot, Page, Paging } from './job-snapshot.ts';

/** What happens to times that were missed because no process ran. */
export type MissedOption =
  | 'skip'
  | 'once'
  | 'all'
  | {
      readonly policy: 'skip' | 'once' | 'all';
      /** How late a time may be fired and still count as in time; a minute by default. */
      readonly grace?: Duration;
      /** For `all`: at most so many; 100 by default. */
      readonly max?: number;
    };

/** When a schedule creates jobs. */
export type ScheduleRule = { readonly missed?: MissedOption } & (
  | {
      readonly cron: string;
      /** Such as Europe/Berlin; UTC by default. */
      readonly timezone?: string;
    }
  | { readonly every: Duration; readonly startAt?: Date }
  | { readonly at: Date }
);

/** What can be said of scheduled jobs; the rest is given by their time. */
export type ScheduleOptions = Omit<EnqueueOptions, 'key' | 'id' | 'delay' | 'at' | 'deadline'> & {
  /** Counted from the scheduled time. */
  readonly deadline?: Duration;
};

const { key: _key, id: _id, delay: _delay, at: _at, ...OPTIONS } = ENQUEUE_OPTIONS;

export const SCHEDULE_OPTIONS: Readonly<Record<keyof ScheduleOptions, true>> = OPTIONS;

/** A rule and its treatment of missed times in the units of the engine and the wire. */
export interface WireRule {
  readonly rule:
    | { readonly kind: 'cron'; readonly expression: string; readonly timeZone?: string }
    | { readonly kind: 'interval'; readonly everyMs: number; readonly startAt?: number }
    | { readonly kind: 'once'; readonly at: number };
  readonly missed?: {
    readonly policy: 'skip' | 'once' | 'all';
    readonly graceMs?: number;
    readonly max?: number;
  };
}

/** Throws VALIDATION_ERROR with every fault found. */
export function wireRule(given: ScheduleRule): WireRule {
  const faults: Fault[] = [];
  const rule = ruleOf(given, faults);
  const missed = given.missed === undefined ? null : missedOf(given.missed, faults);
  if (faults.length > 0) throw invalid(faults);
  return { rule: rule!, ...(missed === null ? {} : { missed }) };
}

function ruleOf(given: ScheduleRule, faults: Fault[]): WireRule['rule'] | null {
  const kinds = ['cron', 'every', 'at'].filter((kind) => kind in given);
  if (kinds.length !== 1) {
    faults.push({ pointer: '/rule', message: 'must have one of `cron`, `every` and `at`' });
    return null;
  }
  if ('cron' in given) {
    const { cron: expression, timezone } = given;
    const zone = timezone === undefined ? {} : { timeZone: timezone };
    return { kind: 'cron', expression, ...zone };
  }
  if ('at' in given) return { kind: 'once', at: instantOf('/rule/at', given.at, faults) };
  const { every, startAt } = given;
  const start =
    startAt === undefined ? {} : { startAt: instantOf('/rule/startAt', startAt, faults) };
  return { kind: 'interval', everyMs: msOf('/rule/every', every, faults), ...start };
}

function missedOf(given: MissedOption, faults: Fault[]): NonNullable<WireRule['missed']> {
  if (typeof given === 'string') return { policy: given };
  const { policy, grace, max } = given;
  return {
    policy,
    ...(grace === undefined ? {} : { graceMs: msOf('/rule/missed/grace', grace, faults) }),
    ...(max === undefined ? {} : { max }),
  };
}

function msOf(pointer: string, value: Duration, faults: Fault[]): number {
  const ms = parseDuration(value);
  if (ms === null) faults.push({ pointer, message: DURATION_FAULT });
  return ms ?? 0;
}

function instantOf(pointer: string, time: Date, faults: Fault[]): number {
  const at = time instanceof Date ? time.getTime() : Number.NaN;
  if (Number.isNaN(at)) faults.push({ pointer, message: 'must be a Date' });
  return at;
}

/** A schedule, with its next times. */
export interface ScheduleSnapshot {
  readonly name: string;
  readonly rule: ScheduleRule;
  readonly type: string;
  readonly input: unknown;
  readonly isPaused: boolean;
  /** The next five times; none while it is paused. */
  readonly next: readonly Date[];
  /** The time for which it last made a job. */
  readonly lastSlot: Date | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The outcome of one scheduled time, or of several in a row that were skipped. */
export interface FireSnapshot {
  readonly slot: Date;
  readonly through: Date;
  readonly at: Date;
  /** True of a job that somebody asked for with `run`. */
  readonly isManual: boolean;
  readonly result: 'created' | 'joined' | 'refused' | 'skipped';
  readonly jobId: string | null;
  readonly reason: string | null;
  /** In `history`: how its job stands or ended. Null: there is none, or it is no longer kept. */
  readonly job?: {
    readonly state: string;
    readonly phase: JobSnapshot['phase'];
    readonly completedAt: Date | null;
    readonly error: string | null;
  } | null;
}

/** The schedules of a tenant, by name. */
export interface Schedules {
  list(paging?: Paging): Promise<Page<ScheduleSnapshot>>;
  get(name: string): Promise<ScheduleSnapshot>;
  /** Takes the schedule and its history away; the jobs that it has made stay. */
  remove(name: string): Promise<void>;
  /** No time of a paused schedule is fired, nor made up for later. */
  pause(name: string): Promise<ScheduleSnapshot>;
  resume(name: string): Promise<ScheduleSnapshot>;
  /** Makes its job now, paused or not. With a key, one job for it within a day. */
  run(name: string, options?: { readonly key?: string }): Promise<FireSnapshot>;
  /** Past times, the latest first. */
  history(name: string, paging?: Paging): Promise<Page<FireSnapshot>>;
}

/** The rule of a stored schedule as its author would write it. */
export function ruleAgain({ rule, missed }: WireRule): ScheduleRule {
  const { policy = 'once', graceMs, max } = missed ?? {};
  const after: { missed: MissedOption } = {
    missed: {
      policy,
      ...(graceMs === undefined ? {} : { grace: graceMs }),
      ...(max === undefined ? {} : { max }),
    },
  };
  if (rule.kind === 'once') return { at: new Date(rule.at), ...after };
  if (rule.kind === 'cron') {
    const { expression: cron, timeZone: timezone = 'UTC' } = rule;
    return { cron, timezone, ...after };
  }
  const { everyMs: every, startAt } = rule;
  return { every, ...(startAt === undefined ? {} : { startAt: new Date(startAt) }), ...after };
}
