import type { ApiClient } from 'pawl/client';
import { PawlError } from 'pawl/define';
import type { ScheduleBodyJson } from 'pawl/plugin';
import { inputHere, type TypesHere } from './here.ts';
import { payloadFault } from './payload.ts';
import type { Source, SourceSchedule } from './source.ts';
import { typeOf } from './type-map.ts';

/** A rule of theirs, and what it would be here. */
export interface SchedulePlan {
  readonly schedule: SourceSchedule;
  readonly name: string;
  /** Null where we have no such rule, or not the same input. */
  readonly definition: ScheduleBodyJson | null;
  /** Made here and gone there. */
  isMoved: boolean;
  problem: string | null;
}

const NAME_LENGTH_MAX = 128;

/** Names here are letters, digits and a few signs. */
function nameOf({ queue, key }: SourceSchedule): string {
  const text = key === '' || key === queue ? queue : `${queue}.${key}`;
  const safe = text.replaceAll(/[^A-Za-z0-9._:/-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return safe.slice(0, NAME_LENGTH_MAX) || 'schedule';
}

function problemOf(rule: SourceSchedule['rule']): string | null {
  return rule === null ? 'has no equivalent rule here: create it manually' : null;
}

/** Their schedules in our words; changes nothing. */
export async function planSchedules(
  source: Source,
  { types, here }: { readonly types: ReadonlyMap<string, string>; readonly here: TypesHere },
): Promise<SchedulePlan[]> {
  return (await source.schedules()).map((schedule) => {
    const { kind, rule, input, inexact } = schedule;
    const type = typeOf({ kind, type: kind.slice(kind.indexOf('/') + 1) }, types);
    const job = { type, input: inputHere(here, type, input ?? {}) };
    const problem = inexact === null ? problemOf(rule) : payloadFault(inexact);
    const definition = rule === null || problem !== null ? null : { rule, job };
    return { schedule, name: nameOf(schedule), definition, isMoved: false, problem };
  });
}

/** The command that makes it by hand, for a POSIX shell. */
export function commandOf({ name, definition }: SchedulePlan): string {
  const json = JSON.stringify(definition).replaceAll("'", String.raw`'\''`);
  return `pawl schedules put ${name} -d '${json}'`;
}

/** Makes each here, then takes it away there: for a moment both have it, and never neither. */
export async function moveSchedules(
  plans: readonly SchedulePlan[],
  { source, client }: { readonly source: Source; readonly client: ApiClient },
): Promise<void> {
  for (const plan of plans) {
    if (plan.definition === null) continue;
    try {
      await client.schedules.put(plan.name, plan.definition);
    } catch (error) {
      if (!(error instanceof PawlError)) throw error;
      plan.problem = error.message;
      continue;
    }
    await source.dropSchedule(plan.schedule);
    plan.isMoved = true;
  }
}
