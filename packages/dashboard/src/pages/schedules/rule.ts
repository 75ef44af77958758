import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { ScheduleBodyJson, ScheduleJson } from '../../../../pawl/src/contract/schedule.ts';
import { dayText } from '../../parts/clock.ts';
import { jsonIn } from '../../parts/form-values.ts';

export type Rule = ScheduleJson['rule'];

/** A rule as people say it. */
export function ruleText(rule: Rule): string {
  if (rule.kind === 'interval') return `every ${durationText(rule.everyMs)}`;
  if (rule.kind === 'once') return `once, at ${dayText(rule.at)}`;
  return rule.timeZone === undefined ? rule.expression : `${rule.expression} in ${rule.timeZone}`;
}

function ruleIn(values: Readonly<Record<string, string>>): Rule {
  const { kind, when = '', timeZone = '' } = values;
  if (kind === 'interval') return { kind, everyMs: Math.round(Number(when) * 1_000) };
  if (kind === 'once') {
    const at = new Date(when);
    if (Number.isNaN(at.getTime()))
      throw new Error(`"${when}" is not a time; write it as 2026-12-24T18:00Z`);
    return { kind, at: at.toISOString() };
  }
  return { kind: 'cron', expression: when, ...(timeZone === '' ? {} : { timeZone }) };
}

/** What the form's values define; what the form does not show stays as it was. */
export function definitionIn(
  values: Readonly<Record<string, string>>,
  old: ScheduleJson | null,
): ScheduleBodyJson {
  const input = jsonIn(values['input'] === '' ? 'null' : (values['input'] ?? 'null'));
  const job = { ...old?.job, type: values['type'] ?? '', input } as ScheduleBodyJson['job'];
  const policy = values['missed'] as 'skip' | 'once' | 'all';
  const missed = { ...old?.missed, policy };
  return { rule: ruleIn(values), job, missed };
}
