import { isUuid } from '../../core/uuid.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { EventPage, EventQuery } from '../query.ts';
import type { StageResult } from '../stage-result.ts';
import { type EventRow, eventOf, type JobRow, toJobs } from './row.ts';
import type { Session } from './session.ts';

/** An id that is no UUID names nothing; to the database it would be an error. */
export function canExist(...ids: (string | undefined)[]): boolean {
  return ids.every((id) => id === undefined || isUuid(id.toLowerCase()));
}

export async function readJobs(session: Session, refs: readonly JobRef[]): Promise<(Job | null)[]> {
  const { database, names } = session;
  const numbers = await names.findTenants(refs.map(({ tenant }) => tenant));
  const tenants = [...new Set(numbers.filter((number) => number !== null))];
  const ids = refs.map(({ id }) => id.toLowerCase()).filter((id) => canExist(id));
  if (tenants.length === 0 || ids.length === 0) return refs.map(() => null);
  const rows = await database.ask<JobRow>('read_jobs', [tenants, ids.toSorted()]);
  const jobs = new Map<string, Job>();
  for (const job of await toJobs(rows, names)) {
    const key = keyOf(job);
    if (!jobs.has(key)) jobs.set(key, job);
  }
  return refs.map((ref) => jobs.get(keyOf(ref)) ?? null);
}

function keyOf({ tenant, id }: JobRef): string {
  return `${id.toLowerCase()} ${tenant}`;
}

export async function listStages(session: Session, ref: JobRef): Promise<StageResult[]> {
  const tenant = await session.tenantOf(ref.tenant);
  if (tenant === null || !canExist(ref.id)) return [];
  const { database } = session;
  return database.readAs<StageResult>(
    tenant,
    `SELECT s.name, s.result, (extract(epoch FROM s.at) * 1000)::int8 AS at
     FROM ${database.tables}.stages s WHERE s.id = $1 AND s.tenant = $2 ORDER BY s.n`,
    { values: [ref.id, tenant] },
  );
}

/** A cursor may name any number; none beyond this one is stored. */
const INT_MAX = 2_147_483_647;

export async function listEvents(session: Session, query: EventQuery): Promise<EventPage> {
  const { database, names } = session;
  const tenant = await session.tenantOf(query.tenant);
  if (tenant === null || !canExist(query.id)) return { events: [], hasMore: false };
  const { version, note } = query.after ?? { version: 0, note: 0 };
  const limit = Math.trunc(query.limit) + 1;
  const rows = await database.askAs<EventRow>(tenant, 'history', [
    tenant,
    query.id,
    Math.min(version, INT_MAX),
    Math.min(note, INT_MAX),
    limit,
    query.notes,
  ]);
  await names.learn(rows);
  const events = rows.slice(0, query.limit).map((row) => eventOf(row, names));
  return { events, hasMore: rows.length > query.limit };
}
