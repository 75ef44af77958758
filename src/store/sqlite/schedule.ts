import type { Job } from '../../core/job.ts';
import { rankOf } from '../../core/phase.ts';
import {
  type Fire,
  type FireOutcome,
  type FireQuery,
  type FireRecord,
  type FireResult,
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
import { bytesToStore, JOB_COLUMNS, type JobRow, jobOfRow, type Row, uuidOfBytes } from './row.ts';
import type { Work } from './work.ts';

const FIND = 'SELECT * FROM schedules WHERE tenant_id = ? AND name = ?';
const MAKE = `INSERT INTO schedules (tenant_id, name, id, version, definition, is_paused, next_at,
    created_by, created_at, updated_at) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?)`;
const CHANGE = `UPDATE schedules SET version = version + 1, definition = ?, is_paused = ?,
    next_at = ?, updated_at = ? WHERE seq = ?`;

function find({ connection, registry }: Work, { tenant, name }: ScheduleRef): Row | undefined {
  const tenantId = registry.findTenant(tenant);
  return tenantId === null ? undefined : connection.sql(FIND).get(tenantId, name);
}

export function putSchedule(work: Work, put: SchedulePut): SchedulePutOutcome {
  const { connection, registry, now } = work;
  const { tenant, name, definition, nextAt, expected } = put;
  const tenantId = registry.makeTenant(tenant);
  const row = find(work, put);
  if ((row?.['version'] ?? null) !== expected) return { kind: 'missed' };
  const isPaused = Number(put.isPaused);
  if (row === undefined) {
    const id = bytesToStore(put.id);
    const by = put.createdBy;
    connection.sql(MAKE).run(tenantId, name, id, definition, isPaused, nextAt, by, now, now);
  } else {
    connection.sql(CHANGE).run(definition, isPaused, nextAt, now, row['seq']!);
  }
  return { kind: 'put', schedule: scheduleOfRow(find(work, put)!, tenant) };
}

export function removeSchedule(work: Work, ref: ScheduleRef): boolean {
  const row = find(work, ref);
  if (row === undefined) return false;
  work.connection.sql('DELETE FROM schedule_fires WHERE schedule_seq = ?').run(row['seq']!);
  work.connection.sql('DELETE FROM schedules WHERE seq = ?').run(row['seq']!);
  return true;
}

const LIST = `SELECT * FROM schedules WHERE tenant_id = ?1 AND name > ?2
  AND (?3 IS NULL OR name = ?3) ORDER BY name LIMIT ?4`;

export function listSchedules(work: Work, query: ScheduleQuery): Schedule[] {
  const tenantId = work.registry.findTenant(query.tenant);
  return work.connection
    .sql(LIST)
    .all(tenantId, query.after ?? '', query.name ?? null, query.limit)
    .map((row) => scheduleOfRow(row, query.tenant));
}

const DUE = `SELECT * FROM schedules WHERE next_at IS NOT NULL AND next_at <= ?
  ORDER BY next_at LIMIT ?`;

export function dueSchedules({ connection, registry, now }: Work, limit: number): Schedule[] {
  return connection
    .sql(DUE)
    .all(now, limit)
    .map((row) => scheduleOfRow(row, registry.tenantName(row['tenant_id'] as number)));
}

function scheduleOfRow(row: Row, tenant: string): Schedule {
  return {
    tenant,
    name: row['name'] as string,
    id: uuidOfBytes(row['id'] as Uint8Array),
    version: row['version'] as number,
    definition: row['definition'] as string,
    isPaused: row['is_paused'] === 1,
    nextAt: row['next_at'] as number | null,
    lastSlot: row['last_slot'] as number | null,
    createdBy: row['created_by'] as string | null,
    createdAt: row['created_at'] as number,
    updatedAt: row['updated_at'] as number,
  };
}

const MOVE_ON = `UPDATE schedules SET version = version + 1, next_at = ?, last_slot = ?,
    updated_at = ? WHERE seq = ?`;
const RECORD = `INSERT INTO schedule_fires (schedule_seq, slot, through, at, is_manual, result,
    job_id, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

export function fireSchedule(work: Work, fire: Fire): FireOutcome {
  const { connection, now } = work;
  const row = find(work, fire);
  if (row === undefined || !standsThere(row, fire)) return { kind: 'missed' };
  const { tenant, name, entries } = fire;
  const isManual = fire.expected === null;
  const records = entries.map((entry): FireRecord => {
    const outcome = entry.kind === 'job' ? insertJobs(work, [entry.job])[0]! : null;
    const result = resultOf(entry, outcome);
    const { lastInsertRowid } = connection
      .sql(RECORD)
      .run(
        row['seq']!,
        result.slot,
        result.through,
        now,
        Number(isManual),
        result.result,
        result.jobId === null ? null : bytesToStore(result.jobId),
        result.reason,
      );
    return { tenant, name, n: Number(lastInsertRowid), at: now, isManual, ...result };
  });
  if (!isManual) connection.sql(MOVE_ON).run(fire.nextAt, lastSlotOf(entries), now, row['seq']!);
  return { kind: 'fired', records };
}

function standsThere(row: Row, { id, expected }: Fire): boolean {
  if (uuidOfBytes(row['id'] as Uint8Array) !== id) return false;
  if (expected === null) return true;
  const { version, slot } = expected;
  return row['is_paused'] === 0 && row['version'] === version && row['next_at'] === slot;
}

const FIRES = `SELECT * FROM schedule_fires WHERE schedule_seq = ? AND n < ?
  ORDER BY n DESC LIMIT ?`;

export function listFires(work: Work, query: FireQuery): FireRecord[] {
  const { tenant, name } = query;
  const row = find(work, query);
  if (row === undefined) return [];
  return work.connection
    .sql(FIRES)
    .all(row['seq']!, query.before ?? Number.MAX_SAFE_INTEGER, query.limit)
    .map((fire) => ({
      tenant,
      name,
      n: fire['n'] as number,
      slot: fire['slot'] as number,
      through: fire['through'] as number,
      at: fire['at'] as number,
      isManual: fire['is_manual'] === 1,
      result: fire['result'] as FireResult,
      jobId: fire['job_id'] === null ? null : uuidOfBytes(fire['job_id'] as Uint8Array),
      reason: fire['reason'] as string | null,
    }));
}

const OVERDUE = `SELECT ${JOB_COLUMNS} FROM jobs INDEXED BY jobs_deadline
  WHERE lifecycle = ? AND state = ? AND phase = ? AND phase < 5
    AND deadline_at IS NOT NULL AND deadline_at <= ? ORDER BY deadline_at LIMIT ?`;

/** One look-up for each place, so that jobs in others, however many, cost nothing. */
export function overdueJobs(
  { connection, registry, now }: Work,
  places: readonly LifecyclePlace[],
  limit: number,
): Job[] {
  const rows = places.flatMap((place) => {
    const lifecycle = registry.lifecycleId(place.lifecycle, place.lifecycleVersion);
    const rank = rankOf(place.phase);
    return connection.sql(OVERDUE).all(lifecycle, place.state, rank, now, limit) as JobRow[];
  });
  return rows
    .sort((one, other) => one.deadline_at! - other.deadline_at!)
    .slice(0, limit)
    .map((row) => jobOfRow(registry, row));
}
