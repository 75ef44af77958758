import type { ScheduleDefinition } from 'pawl/internal/engine/schedules/definition';
import { nextRuns, type ScheduleView } from 'pawl/internal/engine/schedules/schedules';
import type { FireRecord } from 'pawl/internal/records/fires';
import type { FireJson, ScheduleBodyJson, ScheduleJson } from 'pawl/internal/contract/schedule';
import { timeText } from 'pawl/internal/contract/event-view';

const NEXT_SHOWN = 5;

/** The definition that a body asks for, with its times read. */
export function definitionOf({ rule, job, missed }: ScheduleBodyJson): ScheduleDefinition {
  return { rule: ruleOf(rule), job, ...(missed === undefined ? {} : { missed }) };
}

function ruleOf(rule: ScheduleBodyJson['rule']): ScheduleDefinition['rule'] {
  if (rule.kind === 'once') return { kind: 'once', at: Date.parse(rule.at) };
  if (rule.kind === 'cron') return rule;
  const { kind, everyMs, startAt } = rule;
  return { kind, everyMs, ...(startAt === undefined ? {} : { startAt: Date.parse(startAt) }) };
}

function ruleJson({ rule }: ScheduleView['definition']): ScheduleJson['rule'] {
  if (rule.kind === 'once') return { kind: 'once', at: timeText(rule.at) };
  if (rule.kind === 'cron') return rule;
  return { ...rule, startAt: timeText(rule.startAt) };
}

export function scheduleJson(schedule: ScheduleView): ScheduleJson {
  const { name, definition, isPaused, lastSlot, version, createdBy } = schedule;
  return {
    name,
    rule: ruleJson(definition),
    // Only what a body's schema allowed can be there.
    job: definition.job as ScheduleJson['job'],
    missed: definition.missed,
    isPaused,
    next: nextRuns(schedule, NEXT_SHOWN).map(timeText),
    lastSlot: lastSlot === null ? null : timeText(lastSlot),
    version,
    createdBy,
    createdAt: timeText(schedule.createdAt),
    updatedAt: timeText(schedule.updatedAt),
  };
}

export function fireJson(fire: FireRecord): FireJson {
  const { n, slot, through, at, isManual, result, jobId, reason } = fire;
  const times = { slot: timeText(slot), through: timeText(through), at: timeText(at) };
  return { n, ...times, isManual, result, jobId, reason };
}
