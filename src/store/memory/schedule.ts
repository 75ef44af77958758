import type { Instant } from '../../core/clock.ts';
import type { Job } from '../../core/job.ts';
import { samePlace } from '../../core/lifecycle.ts';
import { isTerminal } from '../../core/phase.ts';
import {
  type Fire,
  type FireOutcome,
  type FireQuery,
  type FireRecord,
  lastSlotOf,
  type LifecyclePlace,
  resultOf,
  type Schedule,
  type SchedulePut,
  type SchedulePutOutcome,
  type ScheduleQuery,
  type ScheduleRef,
} from '../schedule.ts';
import { insertJobs } from './insert.ts';
import { deepFreeze, jsonText, keyOf, type Tables } from './tables.ts';

export function putSchedule(tables: Tables, put: SchedulePut): SchedulePutOutcome {
  const now = tables.clock.now();
  const before = tables.schedules.get(keyOf(put.tenant, put.name));
  if ((before?.version ?? null) !== put.expected) return { kind: 'missed' };
  const schedule: Schedule = deepFreeze({
    tenant: put.tenant,
    name: put.name,
    id: before?.id ?? put.id,
    version: (before?.version ?? 0) + 1,
    definition: jsonText(put.definition),
    isPaused: put.isPaused,
    nextAt: put.nextAt,
    lastSlot: before?.lastSlot ?? null,
    createdBy: before === undefined ? put.createdBy : before.createdBy,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  });
  tables.schedules.set(keyOf(put.tenant, put.name), schedule);
  return { kind: 'put', schedule };
}

export function removeSchedule(tables: Tables, ref: ScheduleRef): boolean {
  const key = keyOf(ref.tenant, ref.name);
  const isThere = tables.schedules.get(key) !== undefined;
  tables.schedules.delete(key);
  tables.fires.delete(key);
  return isThere;
}

export function listSchedules(tables: Tables, query: ScheduleQuery): Schedule[] {
  return tables.schedules
    .values()
    .filter(
      ({ tenant, name }) =>
        tenant === query.tenant &&
        (query.name === undefined || name === query.name) &&
        (query.after === undefined || name > query.after),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .slice(0, query.limit);
}

export function dueSchedules(tables: Tables, limit: number): Schedule[] {
  const now = tables.clock.now();
  return tables.schedules
    .values()
    .filter(({ nextAt }) => nextAt !== null && nextAt <= now)
    .sort((one, other) => one.nextAt! - other.nextAt!)
    .slice(0, limit);
}

export function fireSchedule(tables: Tables, fire: Fire): FireOutcome {
  const at = tables.clock.now();
  const key = keyOf(fire.tenant, fire.name);
  const schedule = tables.schedules.get(key);
  if (schedule === undefined || !standsThere(schedule, fire)) return { kind: 'missed' };
  const records = writeRecords(tables, fire, at);
  if (fire.expected !== null) {
    const lastSlot = lastSlotOf(fire.entries);
    const version = schedule.version + 1;
    const after = { ...schedule, version, nextAt: fire.nextAt, lastSlot, updatedAt: at };
    tables.schedules.set(key, deepFreeze(after));
  }
  return { kind: 'fired', records };
}

function standsThere({ id, version, isPaused, nextAt }: Schedule, fire: Fire): boolean {
  if (id !== fire.id) return false;
  const { expected } = fire;
  return (
    expected === null || (!isPaused && version === expected.version && nextAt === expected.slot)
  );
}

function writeRecords(tables: Tables, fire: Fire, at: Instant): FireRecord[] {
  const { tenant, name } = fire;
  const key = keyOf(tenant, name);
  const before = tables.fires.get(key) ?? [];
  const records = fire.entries.map((entry, index): FireRecord => {
    const outcome = entry.kind === 'job' ? insertJobs(tables, [entry.job])[0]! : null;
    const n = (before.at(-1)?.n ?? 0) + 1 + index;
    return { tenant, name, n, at, isManual: fire.expected === null, ...resultOf(entry, outcome) };
  });
  tables.fires.set(key, deepFreeze([...before, ...records]));
  return records;
}

export function listFires(tables: Tables, query: FireQuery): FireRecord[] {
  return (tables.fires.get(keyOf(query.tenant, query.name)) ?? [])
    .filter(({ n }) => query.before === undefined || n < query.before)
    .toReversed()
    .slice(0, query.limit);
}

export function overdueJobs(
  tables: Tables,
  places: readonly LifecyclePlace[],
  limit: number,
): Job[] {
  const now = tables.clock.now();
  return tables.jobs
    .values()
    .map(({ job }) => job)
    .filter((job) => !isTerminal(job.phase) && job.deadlineAt !== null && job.deadlineAt <= now)
    .filter((job) => places.some((place) => samePlace(place, job) && isOf(job, place)))
    .sort((one, other) => one.deadlineAt! - other.deadlineAt!)
    .slice(0, limit);
}

function isOf(job: Job, place: LifecyclePlace): boolean {
  return job.lifecycle === place.lifecycle && job.lifecycleVersion === place.lifecycleVersion;
}
