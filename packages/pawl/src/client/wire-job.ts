import type { JobWish } from '../handle/enqueue-options.ts';
import type { WireRule } from '../handle/schedule.ts';
import type { BatchJobJson, EnqueueJson } from '../contract/enqueue.ts';
import type { ScheduleBodyJson } from '../contract/schedule.ts';

/** A wish for a job in the words of the API, its key aside. */
export function wireJob(wish: JobWish): EnqueueJson {
  const { idempotencyKey: _, ...rest } = keyedWireJob(wish);
  return rest;
}

/** The same for a batch, whose jobs bring their keys with them. */
export function keyedWireJob({ runAt, deadlineAt, input, ...rest }: JobWish): BatchJobJson {
  const more = rest as Omit<BatchJobJson, 'input' | 'runAt' | 'deadlineAt'>;
  return {
    ...more,
    ...(input === undefined ? {} : { input }),
    ...(runAt === undefined ? {} : { runAt: timeText(runAt) }),
    ...(deadlineAt === undefined ? {} : { deadlineAt: timeText(deadlineAt) }),
  };
}

export function wireSchedule({ rule, missed }: WireRule, wish: JobWish): ScheduleBodyJson {
  return {
    rule: wireRuleOf(rule),
    job: wireJob(wish),
    ...(missed === undefined ? {} : { missed }),
  };
}

function wireRuleOf(rule: WireRule['rule']): ScheduleBodyJson['rule'] {
  if (rule.kind === 'cron') return rule;
  if (rule.kind === 'once') return { kind: 'once', at: timeText(rule.at) };
  const { kind, everyMs, startAt } = rule;
  return { kind, everyMs, ...(startAt === undefined ? {} : { startAt: timeText(startAt) }) };
}

function timeText(instant: number): string {
  return new Date(instant).toISOString();
}
