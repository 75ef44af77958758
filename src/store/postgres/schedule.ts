import type { Instant } from '../../core/clock.ts';
import type { Job } from '../../core/job.ts';
import { rankOf } from '../../core/phase.ts';
import type {
  FireQuery,
  FireRecord,
  LifecyclePlace,
  Schedule,
  SchedulePut,
  SchedulePutOutcome,
  ScheduleQuery,
  ScheduleRef,
} from '../schedule.ts';
import type { Session } from './session.ts';
import { fromMs, nowAt, toMs } from './sql-text.ts';
import { jobsOf } from './sweep.ts';

const FIELDS = `s.tenant_id, s.name, s.id, s.version, s.definition, s.is_paused AS "isPaused",
  ${toMs('s.next_at')} AS "nextAt", ${toMs('s.last_slot')} AS "lastSlot",
  s.created_by AS "createdBy", ${toMs('s.created_at')} AS "createdAt",
  ${toMs('s.updated_at')} AS "updatedAt"`;

interface ScheduleRow extends Omit<Schedule, 'tenant'> {
  readonly tenant_id: number;
}

function scheduleOf(row: ScheduleRow, tenant: string): Schedule {
  const { tenant_id: _, ...schedule } = row;
  return { tenant, ...schedule };
}

const MAKE = `INSERT INTO pawl.schedules AS s (tenant_id, name, definition, is_paused, next_at, id,
    created_by, version, created_at, updated_at)
  SELECT $1, $2, $3, $4, ${fromMs('$5::double precision')}, $7, $8, 1, t.now, t.now
  FROM (SELECT ${nowAt('$6')} AS now) t ON CONFLICT DO NOTHING RETURNING ${FIELDS}`;
const CHANGE = `UPDATE pawl.schedules s SET version = s.version + 1, definition = $3,
    is_paused = $4, next_at = ${fromMs('$5::double precision')}, updated_at = ${nowAt('$6')}
  WHERE s.tenant_id = $1 AND s.name = $2 AND s.version = $7 RETURNING ${FIELDS}`;

export async function putSchedule(session: Session, put: SchedulePut): Promise<SchedulePutOutcome> {
  const { tenant, name, definition, isPaused, nextAt, expected } = put;
  await session.names.addTenants([tenant]);
  const tenantId = session.names.tenantId(tenant);
  const values = [tenantId, name, definition, isPaused, nextAt, session.now()];
  const [row] =
    expected === null
      ? await session.database.write<ScheduleRow>(MAKE, [...values, put.id, put.createdBy])
      : await session.database.write<ScheduleRow>(CHANGE, [...values, expected]);
  if (row === undefined) return { kind: 'missed' };
  return { kind: 'put', schedule: scheduleOf(row, tenant) };
}

const REMOVE = `WITH s AS (
    DELETE FROM pawl.schedules s WHERE s.tenant_id = $1 AND s.name = $2 RETURNING s.seq),
  f AS (DELETE FROM pawl.schedule_fires f USING s WHERE f.schedule_seq = s.seq)
  SELECT seq FROM s`;

export async function removeSchedule(session: Session, ref: ScheduleRef): Promise<boolean> {
  const [tenant] = await session.names.findTenants([ref.tenant]);
  return (await session.database.write(REMOVE, [tenant, ref.name])).length > 0;
}

const LIST = `SELECT ${FIELDS} FROM pawl.schedules s WHERE s.tenant_id = $1 AND s.name > $2
  AND ($3::text IS NULL OR s.name = $3) ORDER BY s.name LIMIT $4`;

export async function listSchedules(session: Session, query: ScheduleQuery): Promise<Schedule[]> {
  const [tenant] = await session.names.findTenants([query.tenant]);
  const values = [tenant, query.after ?? '', query.name ?? null, query.limit];
  const rows = await session.database.readFor<ScheduleRow>(tenant, LIST, values);
  return rows.map((row) => scheduleOf(row, query.tenant));
}

const DUE = `SELECT ${FIELDS} FROM pawl.schedules s WHERE s.next_at <= ${nowAt('$1')}
  ORDER BY s.next_at LIMIT $2`;

export async function dueSchedules(session: Session, limit: number): Promise<Schedule[]> {
  const rows = await session.database.read<ScheduleRow>(DUE, [session.now(), limit]);
  await session.names.learn(rows);
  return rows.map((row) => scheduleOf(row, session.names.tenant(row.tenant_id)));
}

const FIRES = `SELECT f.n, ${toMs('f.slot')} AS slot, ${toMs('f.through')} AS through,
    ${toMs('f.at')} AS at, f.is_manual AS "isManual", f.result, f.job_id AS "jobId", f.reason
  FROM pawl.schedules s JOIN pawl.schedule_fires f ON f.schedule_seq = s.seq
  WHERE s.tenant_id = $1 AND s.name = $2 AND f.n < $3 ORDER BY f.n DESC LIMIT $4`;

export async function listFires(session: Session, query: FireQuery): Promise<FireRecord[]> {
  const { tenant, name } = query;
  const [id] = await session.names.findTenants([tenant]);
  const values = [id, name, query.before ?? Number.MAX_SAFE_INTEGER, query.limit];
  const rows = await session.database.read<Omit<FireRecord, 'tenant' | 'name'>>(FIRES, values);
  return rows.map((row) => ({ tenant, name, ...row }));
}

export async function overdueJobs(
  session: Session,
  places: readonly LifecyclePlace[],
  limit: number,
): Promise<Job[]> {
  await session.names.learnLifecycles(places);
  const values = [
    places.map((place) => session.names.lifecycleId(place)),
    places.map(({ state }) => state),
    places.map(({ phase }) => rankOf(phase)),
    limit,
    session.now(),
  ];
  return jobsOf(session, 'SELECT * FROM pawl.overdue_v1($1, $2, $3, $4, $5)', values);
}

/** What a fire needs to know of the schedule it has moved. */
export interface FiredRow {
  readonly seq: number;
  readonly at: Instant;
}
